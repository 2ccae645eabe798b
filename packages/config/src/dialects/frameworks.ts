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

const andaRules: ServerEntryRules = {
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
  extra: readAndaExtras,
};

/** Servers of anda, as a list or by name, and of the bot that is made with it. */
export const anda: ConfigDialect = createDialect({
  name: "anda",
  syntax: { forms: ["braces", "default", "bare", "folders"], unset: () => "error" },
  roots: ({ data }) => (Array.isArray(data) ? [[]] : [["servers"], ["mcpServers"]]),
  nameKey: "id",
  refusesAlike: true,
  rules: andaRules,
});

function readAndaExtras(entry: ConfigEntry, draft: DraftBuilder, chosen: ChosenTransport): void {
  if (chosen.type === "stdio") readAndaProcess(chosen.transport, draft);
  else readAndaCredentials(chosen.transport, draft);
  readAndaKnobs(entry, draft);
  readAndaTimes(entry, draft);
  readAndaLimits(entry, draft);
}

function readAndaProcess(transport: ConfigEntry, draft: DraftBuilder): void {
  for (const [name, value] of transport.textMap("environment") ?? []) {
    draft.member("env", [name, value], transport.at("environment", name));
  }
  if (transport.flag("inherit_env") === true) draft.set("inheritEnv", "all", transport.at("inherit_env"));
  if (!transport.has("cwd")) draft.set("cwd", "${workspaceFolder}", transport.path);
}

function readAndaCredentials(transport: ConfigEntry, draft: DraftBuilder): void {
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

function readAndaKnobs(entry: ConfigEntry, draft: DraftBuilder): void {
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

function readAndaTimes(entry: ConfigEntry, draft: DraftBuilder): void {
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
function readAndaLimits(entry: ConfigEntry, draft: DraftBuilder): void {
  const written = entry.entry("limits");
  const limits: Record<string, number | undefined> = {};
  for (const name of written?.names ?? []) {
    const known = name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    if (Object.hasOwn(defaultLimits, known)) limits[known] = written?.number(name);
    else entry.warn("limits", { code: "unsupported", message: `there is no limit ${JSON.stringify(name)} here` });
  }
  if (Object.keys(limits).length > 0) draft.set("limits", limits, entry.at("limits"));
}

const callSeconds = { stdio: 30, http: 60 } as const;

const adkRules: ServerEntryRules = {
  title: "adk",
  typeKeys: [],
  types: {},
  untypedUrl: "streamable",
  inheritEnv: "all",
  innerOthers: ["timeout"],
  others: ["timeout", "confirmation"],
  missing: {
    command: "MCP stdio command must not be empty",
    url: "MCP HTTP url must not be empty",
    both: "has neither stdio nor http",
  },
  extra: readAdkExtras,
};

/**
 * The parameters of adk's tool sets, as data:
 * `{ "toolsets": { "files": { "stdio": { "command": … } } } }`.
 */
export const adk: ConfigDialect = createDialect({
  name: "adk",
  roots: [["toolsets"]],
  rules: adkRules,
  rulesOf: (entry) => ({ ...adkRules, nested: ["stdio", "http"].find((type) => isConfigMap(entry.get(type))) }),
});

function readAdkExtras(entry: ConfigEntry, draft: DraftBuilder, { type, transport }: ChosenTransport): void {
  const timeout = transport.get("timeout");
  const parts = isConfigMap(timeout) ? transport.entry("timeout") : undefined;
  // Seconds, or the two parts in which Rust writes a duration.
  const seconds =
    parts === undefined
      ? transport.number("timeout")
      : (parts.number("secs") ?? 0) + (parts.number("nanos") ?? 0) / 1e9;
  draft.timeout("callMs", (seconds ?? callSeconds[type]) * 1000, transport.at("timeout"));
  const policy = entry.get("confirmation");
  if (policy === undefined || policy === "None") return;
  if (policy === "All") return draft.extra("approval", "always");
  const named = isConfigMap(policy) ? entry.entry("confirmation")?.texts("Named") : undefined;
  if (named === undefined)
    entry.error("confirmation", { code: "wrong_type", message: 'must be "None", "All" or { "Named": […] }' });
  for (const [index, name] of (named ?? []).entries()) {
    draft.tool(name, { requireApproval: true }, entry.at("confirmation", "Named", index));
  }
}

const connectSeconds = 30;
const longestConnectSeconds = 600;

const evvaRules: ServerEntryRules = {
  title: "evva",
  looseType: true,
  types: { stdio: "stdio", http: "streamable" },
  untypedUrl: "streamable",
  both: "stdio",
  off: { key: "disabled", when: true },
  inheritEnv: "all",
  others: ["timeout"],
  missing: {
    command: "stdio requires command",
    url: "http requires url",
    both: 'unknown type "" (want "stdio" or "http")',
  },
  extra: readEvvaTime,
};

/** `settings.json` of evva. */
export const evva: ConfigDialect = createDialect({
  name: "evva",
  syntax: { forms: ["braces", "default"], unset: () => "literal", evva: true },
  rules: evvaRules,
});

function readEvvaTime(entry: ConfigEntry, draft: DraftBuilder): void {
  const seconds = entry.number("timeout") ?? 0;
  const isWithin = Number.isInteger(seconds) && seconds >= 1 && seconds <= longestConnectSeconds;
  if (!isWithin && seconds !== 0) {
    const message = `timeout ${seconds} out of range [1,${longestConnectSeconds}]`;
    entry.warn("timeout", { code: "out_of_range", message, fix: `${connectSeconds} seconds are used` });
  }
  draft.timeout("connectMs", (isWithin ? seconds : connectSeconds) * 1000, entry.at("timeout"));
}
