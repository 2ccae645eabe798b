import { defaultLimits } from "@hostside/core";
import { isConfigMap } from "../parse/config-data.ts";
import type { DraftBuilder } from "../read/draft-builder.ts";
import type { ConfigEntry } from "../read/entry.ts";
import { type ChosenTransport, type ServerEntryRules, words } from "../read/unknown-keys.ts";
import { readOauth } from "../read/read-settings.ts";
import { createDialect } from "./create-dialect.ts";
import type { ConfigDialect } from "../read/server-reader.ts";

const lifecycles = { auto: "auto", discover: "2026-07-28", initialize: "legacy" } as const;
const startups = { eager: "init", background: "background" } as const;
const concurrencies = { serial: "serial", read_only_parallel: "read-only-parallel", parallel: "parallel" } as const;
const timeFields = { connect: "connectMs", list: "listMs", call: "callMs", request: "requestMs" } as const;

const rules: ServerEntryRules = {
  title: "anda",
  nested: "transport",
  types: { stdio: "stdio", streamable_http: "streamable", http: "streamable" },
  untypedUrl: "streamable",
  cwd: true,
  allow: "include",
  deny: "exclude",
  innerOthers: ["bearer_token", "auth", "environment", "inherit_env"],
  others: words(
    "id bearer_token auth environment inherit_env lifecycle required startup concurrency",
    "limits timeouts elicitation resources tasks disabled enabled",
  ),
  missing: {
    command: "MCP stdio command must not be empty",
    url: "MCP HTTP URL must not be empty",
    both: "has neither command nor url",
  },
  extra: readExtras,
};

/** Servers of anda, as a list or by name, and of the bot that is made with it. */
export const anda: ConfigDialect = createDialect({
  name: "anda",
  syntax: { forms: ["braces", "default", "bare", "folders"], unset: () => "error" },
  roots: ({ data }) => (Array.isArray(data) ? [[]] : [["servers"], ["mcpServers"]]),
  nameKey: "id",
  refusesAlike: true,
  rules,
});

function readExtras(entry: ConfigEntry, draft: DraftBuilder, chosen: ChosenTransport): void {
  if (chosen.type === "stdio") readProcess(chosen.transport, draft);
  else readCredentials(chosen.transport, draft);
  readKnobs(entry, draft);
  readTimes(entry, draft);
  readLimits(entry, draft);
}

function readProcess(transport: ConfigEntry, draft: DraftBuilder): void {
  for (const [name, value] of transport.textMap("environment") ?? []) {
    draft.member("env", [name, value], transport.at("environment", name));
  }
  if (transport.flag("inherit_env") === true) draft.set("inheritEnv", "all", transport.at("inherit_env"));
  if (!transport.has("cwd")) draft.set("cwd", "${workspaceFolder}", transport.path);
}

function readCredentials(transport: ConfigEntry, draft: DraftBuilder): void {
  const token = transport.text("bearer_token");
  if (token !== undefined && token.trim() !== "") {
    if (transport.has("auth"))
      transport.error("auth", { code: "conflicting_fields", message: "cannot set both bearer_token and auth" });
    draft.set("bearerToken", token, transport.at("bearer_token"));
  }
  const auth = isConfigMap(transport.get("auth")) ? transport.entry("auth") : undefined;
  for (const name of ["redirect_uri", "client_id", "client_secret"]) {
    if (auth?.text(name)?.trim() === "") auth.error(name, { code: "missing_field", message: "must not be blank" });
  }
  readOauth(transport, draft, "auth");
}

function readKnobs(entry: ConfigEntry, draft: DraftBuilder): void {
  const word = <Words extends object>(name: string, known: Words): Words[keyof Words] | undefined => {
    const written = entry.text(name);
    if (written === undefined) return undefined;
    if (Object.hasOwn(known, written)) return known[written as keyof Words];
    entry.error(name, { code: "wrong_type", message: `must be one of ${Object.keys(known).join(", ")}` });
    return undefined;
  };
  const required = entry.flag("required");
  const startup = word("startup", startups);
  draft.set("era", word("lifecycle", lifecycles), entry.at("lifecycle"));
  draft.set("required", required, entry.at("required"));
  draft.set("startup", startup, entry.at("startup"));
  if (required === true && startup === "background") {
    const message = "a server that is required cannot start in the background";
    entry.error("startup", { code: "conflicting_fields", message, fix: 'write "eager"' });
  }
  draft.set("concurrency", word("concurrency", concurrencies) ?? "serial", entry.at("concurrency"));
  draft.set("elicitation", entry.flag("elicitation"), entry.at("elicitation"));
  if (entry.flag("resources") === false)
    entry.warn("resources", {
      code: "unsupported",
      message: "is not used: resources are on offer for all servers or none",
    });
  if (entry.flag("disabled") === true || entry.flag("enabled") === false)
    draft.set("disabled", true, entry.at("disabled"));
  if (entry.entry("tasks")?.number("max_wait_secs") !== undefined)
    entry.warn("tasks", { code: "unsupported", message: "max_wait_secs is not used: a task has the time of its call" });
}

function readTimes(entry: ConfigEntry, draft: DraftBuilder): void {
  const timeouts = entry.entry("timeouts");
  for (const name of timeouts?.names ?? []) {
    const [, known, unit] = /^(connect|list|call|request)_(secs|ms)$/.exec(name) ?? [];
    if (known === undefined) {
      timeouts?.warn(name, { code: "unsupported", message: `there is no timeout ${JSON.stringify(name)} here` });
      continue;
    }
    const amount = timeouts?.number(name);
    const ms = amount === undefined || unit === "ms" ? amount : amount * 1000;
    draft.timeout(timeFields[known as keyof typeof timeFields], ms, entry.at("timeouts", name));
  }
}

// `max_tools` is `maxTools`.
function readLimits(entry: ConfigEntry, draft: DraftBuilder): void {
  const written = entry.entry("limits");
  const limits: Record<string, number | undefined> = {};
  for (const name of written?.names ?? []) {
    const known = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (Object.hasOwn(defaultLimits, known)) limits[known] = written?.number(name);
    else entry.warn("limits", { code: "unsupported", message: `there is no limit ${JSON.stringify(name)} here` });
  }
  if (Object.keys(limits).length > 0) draft.set("limits", limits, entry.at("limits"));
}
