import { dataAt, isConfigMap } from "../parse/config-data.ts";
import type { ServerEntryRules } from "../read/entry-rules.ts";
import { readEntry } from "../read/read-entry.ts";
import { readOauth } from "../read/read-settings.ts";
import { createServerReader } from "../read/server-reader.ts";
import type { ConfigDialect } from "../read/dialect.ts";

const common = {
  title: "opencode",
  types: { local: "stdio", remote: "http" },
  untypedUrl: "http",
  envKey: "environment",
} as const;

const first: ServerEntryRules = {
  ...common,
  timeouts: [{ key: "timeout", unit: "ms", field: "connectMs" }],
  off: { key: "enabled", when: false },
  others: ["oauth"],
  extra: (entry, draft) => readOauth(entry, draft),
};

const second: ServerEntryRules = {
  ...common,
  cwd: true,
  off: { key: "disabled", when: true },
  others: ["oauth", "timeout"],
  extra(entry, draft) {
    readOauth(entry, draft);
    const timeout = entry.entry("timeout");
    const startup = timeout?.number("startup");
    const request = timeout?.number("request");
    if (startup !== undefined) draft.timeout("connectMs", startup, [...entry.at("timeout"), "startup"]);
    if (request !== undefined) draft.timeout("callMs", request, [...entry.at("timeout"), "request"]);
  },
};

/** `opencode.json`: `mcp`, and since its second version `mcp.servers`. */
export const opencode: ConfigDialect = {
  name: "opencode",
  title: common.title,
  format: "jsonc",
  syntax: { forms: ["curly"], unset: () => "error" },
  read(parsed) {
    const reader = createServerReader(parsed, { dialect: "opencode" });
    const servers = dataAt(parsed.data, ["mcp", "servers"]);
    const isSecond = isConfigMap(servers) && !servers.has("type");
    const rules = isSecond ? second : first;
    reader.readMap(isSecond ? ["mcp", "servers"] : ["mcp"], (entry, id) => readEntry(entry, rules, { id, parsed }));
    return reader.result();
  },
};
