import { quoteText } from "@hostside/core/implement";
import type { ConfiguredServer, HostSettings } from "../drafts/configured-server.ts";
import type { DraftBuilder } from "../read/draft-builder.ts";
import type { ConfigEntry } from "../read/entry.ts";
import { type ServerEntryRules, words, refuseUnknownKeys } from "../read/unknown-keys.ts";
import { readEntry } from "../read/read-entry.ts";
import { readShape, type Shape } from "../read/read-settings.ts";
import { createServerReader, type ReadServer, type ConfigDialect } from "../read/server-reader.ts";

const settingKeys: readonly string[] = words(
  "enabled session_ttl idle_reap_interval connect_timeout connect_timeout_ms",
  "initialize_timeout call_timeout call_timeout_ms shutdown_grace shutdown_grace_ms servers",
  "resource_cache resource_uri_allowlist strict_root_paths context sampling watch",
);

const rules: ServerEntryRules = {
  title: "nexo",
  nested: "transport",
  typeKeys: ["type"],
  types: { stdio: "stdio", http: "http", streamable_http: "streamable", sse: "sse", auto: "http" },
  untypedUrl: "http",
  cwd: true,
  unknown: "refused",
  inheritEnv: "all",
  unsupported: { log_level: "levels of logging are not sent to servers" },
  innerOthers: ["mode"],
  others: ["context"],
  extra: readServerExtras,
};
// As its source has it: all in one object, and `transport` is the word.
const flatRules: ServerEntryRules = {
  ...rules,
  nested: undefined,
  typeKeys: ["transport"],
  others: ["context", "mode"],
};

const modes = { auto: "auto", streamable_http: "streamable", sse: "sse" } as const;

/** `mcp.yaml` of nexo, and the files of its extensions. */
export const nexo: ConfigDialect = {
  name: "nexo",
  title: rules.title,
  format: "yaml",
  syntax: { forms: ["braces", "default", "file", "folders"], unset: () => "error", foldersNotIn: ["url"] },
  read(parsed, { extensionId }) {
    const reader = createServerReader(parsed, { dialect: "nexo" });
    const mcp = reader.top?.entry("mcp");
    const { settings, timeouts } = mcp === undefined ? { settings: {}, timeouts: [] } : readSettings(mcp);
    // What is misspelt may be what protects: as there, nothing of the file is used.
    if (mcp?.failed() === true) return reader.result(settings);
    const read: ReadServer = (entry, id) => {
      const own = entry.get("transport");
      const chosen = typeof own === "string" ? flatRules : rules;
      return readEntry(entry, withSettings(chosen, settings, timeouts), { id, parsed });
    };
    reader.readAll(["mcp", "servers"], { prefix: extensionId === undefined ? "" : `${extensionId}.` }, read);
    return reader.result(settings);
  },
};

interface Timeout {
  readonly field: "connectMs" | "listMs" | "callMs" | "requestMs" | "closeMs";
  readonly ms: number;
  readonly path: ConfiguredServer["path"];
}

function withSettings(
  chosen: ServerEntryRules,
  settings: HostSettings,
  timeouts: readonly Timeout[],
): ServerEntryRules {
  return {
    ...chosen,
    extra(entry, draft, decided) {
      chosen.extra?.(entry, draft, decided);
      for (const { field, ms, path } of timeouts) draft.timeout(field, ms, path);
      draft.extra("breaker", true);
      if (settings.enabled === false) draft.set("disabled", true, ["mcp", "enabled"]);
    },
  };
}

function readServerExtras(
  entry: ConfigEntry,
  draft: DraftBuilder,
  { type, transport }: { type: string; transport: ConfigEntry },
): void {
  draft.extra("passContext", entry.entry("context")?.flag("passthrough"));
  const mode = type === "http" ? transport.text("mode") : undefined;
  if (mode === undefined) return;
  if (Object.hasOwn(modes, mode)) draft.set("mode", modes[mode as keyof typeof modes], transport.at("mode"));
  else
    transport.error("mode", {
      code: "unknown_transport",
      message: `${quoteText(mode, 40)} is none of ${Object.keys(modes).join(", ")}`,
    });
}

function readSettings(mcp: ConfigEntry): { readonly settings: HostSettings; readonly timeouts: readonly Timeout[] } {
  refuseUnknownKeys(mcp, settingKeys, rules.title);
  for (const name of ["session_ttl", "idle_reap_interval"]) {
    if (readTime(mcp, name) === undefined) continue;
    mcp.warn(name, {
      code: "unsupported",
      message: "is not used: pool of the host says when unused connections close",
    });
  }
  const resourceCache = readPart(mcp, "resource_cache", { enabled: "flag", ttl: readTime, max_entries: "number" });
  const watch = readPart(mcp, "watch", { enabled: "flag", debounce_ms: "number" });
  const context = readPart(mcp, "context", { passthrough: "flag" });
  const sampling = readPart(mcp, "sampling", { enabled: "flag" });
  if (sampling?.["enabled"] === true) {
    mcp.warn("sampling", { code: "unsupported", message: "sampling is never offered to a server" });
  }
  const settings = {
    enabled: mcp.flag("enabled"),
    resourceCache: renamed(resourceCache, { enabled: "enabled", ttl: "ttlMs", max_entries: "maxEntries" }),
    allowedResourceUris: mcp.texts("resource_uri_allowlist"),
    strictRootPaths: mcp.flag("strict_root_paths"),
    passContext: context?.["passthrough"],
    watch: renamed(watch, { enabled: "enabled", debounce_ms: "quietMs" }),
  };
  const call = firstTime(mcp, "callMs", { names: ["call_timeout_ms", "call_timeout"], ms: 30_000 });
  const timeouts = [
    firstTime(mcp, "connectMs", { names: ["connect_timeout_ms", "connect_timeout", "initialize_timeout"], ms: 10_000 }),
    // There it bounds every request.
    ...(["listMs", "callMs", "requestMs"] as const).map((field) => ({ ...call, field })),
    firstTime(mcp, "closeMs", { names: ["shutdown_grace_ms", "shutdown_grace"], ms: 3000 }),
  ];
  return { settings: settings as HostSettings, timeouts };
}

function firstTime(
  mcp: ConfigEntry,
  field: Timeout["field"],
  { names, ms }: { readonly names: readonly string[]; readonly ms: number },
): Timeout {
  const name = names.find((one) => mcp.has(one)) ?? names[0] ?? "";
  return { field, ms: readTime(mcp, name) ?? ms, path: mcp.at(name) };
}

// `…_ms` is a number of milliseconds, everything else a text with units.
function readTime(entry: ConfigEntry, name: string): number | undefined {
  const written = name.endsWith("_ms") ? entry.number(name) : entry.text(name);
  if (written === undefined) return undefined;
  const ms = typeof written === "number" ? written : parseDuration(written);
  if (ms !== undefined && ms > 0) return ms;
  const fix = "write it like 30s or 5m";
  entry.warn(name, { code: "out_of_range", message: "is no duration, and is not used", fix });
  return undefined;
}

function readPart(mcp: ConfigEntry, name: string, shape: Shape): Record<string, unknown> | undefined {
  const part = mcp.entry(name);
  return part && readShape(part, shape, rules.title);
}

function renamed(part: Record<string, unknown> | undefined, names: Readonly<Record<string, string>>): unknown {
  return part && Object.fromEntries(Object.entries(part).map(([name, value]) => [names[name], value]));
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** A duration such as `30m` or `1h 30m`, in milliseconds; `undefined` for any other text. */
function parseDuration(text: string): number | undefined {
  const part = String.raw`(\d{1,12})\s*(ms|[smhd])(?:(?<=s)ecs?|(?<=m)ins?|(?<=h)rs?|(?<=d)ays?)?`;
  if (text.length > 64 || !new RegExp(`^(?:\\s*${part})+\\s*$`).test(text)) return undefined;
  const parts = Array.from(
    text.matchAll(new RegExp(part, "g")),
    ([, amount, unit = ""]) => Number(amount) * (units[unit] ?? 0),
  );
  return parts.reduce((total, ms) => total + ms, 0);
}
