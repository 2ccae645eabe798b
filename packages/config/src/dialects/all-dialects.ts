import { adk, anda, evva } from "./frameworks.ts";
import { claudeCode, codex, mcporter } from "./agents.ts";
import type { ConfigDialect } from "../read/server-reader.ts";
import type { DialectName } from "../drafts/configured-server.ts";
import { nexo } from "./nexo.ts";
import { hostside } from "./hostside.ts";
import { continueDev, opencode, vscode, zed } from "./editors.ts";
import { createDialect } from "./create-dialect.ts";
import { readOauth, readServerLists } from "../read/read-settings.ts";

/** `mcp_config.json` of Windsurf. */
const windsurf: ConfigDialect = createDialect({
  name: "windsurf",
  syntax: { forms: ["env", "file"], unset: () => "error" },
  rules: {
    title: "Windsurf",
    types: { stdio: "stdio", http: "http", "streamable-http": "streamable", sse: "sse" },
    untypedUrl: "unsure",
    urlKeys: ["serverUrl", "url"],
    off: { key: "disabled", when: true },
    deny: "disabledTools",
  },
});

/** `.roo/mcp.json`. */
const roo: ConfigDialect = createDialect({
  name: "roo",
  syntax: { forms: ["env"], unset: () => "error" },
  rules: {
    title: "Roo",
    types: { stdio: "stdio", sse: "sse", "streamable-http": "streamable" },
    untypedUrl: "error",
    cwd: true,
    timeouts: [{ key: "timeout", unit: "s", field: "callMs" }],
    off: { key: "disabled", when: true },
    deny: "disabledTools",
    autoApprove: "alwaysAllow",
    unsupported: { watchPaths: "a server is not started again when files change" },
  },
});

/**
 * `mcpServers` in a file of no tool in particular: what most tools agree on, and every way of
 * writing a reference that means one thing alone.
 */
const mcpJson: ConfigDialect = createDialect({
  name: "mcp-json",
  syntax: { forms: ["braces", "default", "env", "file", "input", "folders"], unset: () => "error" },
  rules: {
    title: "a file with mcpServers",
    looseType: true,
    types: {
      stdio: "stdio",
      http: "http",
      "streamable-http": "streamable",
      streamablehttp: "streamable",
      streamable_http: "streamable",
      sse: "sse",
    },
    untypedUrl: "http",
    urlKeys: ["url", "serverUrl", "httpUrl"],
    cwd: true,
    off: { key: "disabled", when: true },
    allow: "includeTools",
    deny: "excludeTools",
    unsupported: { timeout: "the unit of timeout is another one in each tool; name the dialect, and it is used" },
    others: ["oauth"],
    unknown: "told",
    extra: (entry, draft) => readOauth(entry, draft),
  },
});

/** `config.yaml` of Goose: its extensions that are MCP servers. */
const goose: ConfigDialect = createDialect({
  name: "goose",
  format: "yaml",
  roots: [["extensions"]],
  rules: {
    title: "Goose",
    types: {
      stdio: "stdio",
      streamable_http: "streamable",
      sse: "sse",
      builtin: "unsupported",
      platform: "unsupported",
    },
    untypedUrl: "error",
    commandKeys: ["cmd"],
    envKey: "envs",
    urlKeys: ["uri"],
    timeouts: [{ key: "timeout", unit: "s", field: "callMs" }],
    off: { key: "enabled", when: false },
    allow: "available_tools",
    others: ["name", "display_name", "description", "bundled", "env_keys"],
    extra(entry, draft, { type }) {
      if (type !== "stdio") return;
      for (const [index, name] of (entry.texts("env_keys") ?? []).entries()) {
        const field = `env.${name}`;
        draft.variable({ field, variable: name, required: false }, entry.at("env_keys", index));
      }
    },
  },
});

/** `settings.json` of Gemini CLI. */
const gemini: ConfigDialect = createDialect({
  name: "gemini",
  syntax: {
    forms: ["braces", "default", "bare", "percent"],
    unset: (field) => (field === "env" || field === "headers" ? "empty" : "literal"),
  },
  rules: {
    title: "Gemini CLI",
    types: { stdio: "stdio", http: "streamable", sse: "sse" },
    untypedUrl: "http",
    urlKeys: ["httpUrl", "url"],
    cwd: true,
    timeouts: [{ key: "timeout", unit: "ms", field: "callMs" }],
    allow: "includeTools",
    deny: "excludeTools",
    unsupported: { authProviderType: "no provider of credentials but OAuth is there here" },
    others: ["trust", "oauth", "description", "extension"],
    extra(entry, draft, { type }) {
      readOauth(entry, draft);
      if (entry.flag("trust") === true) draft.extra("approval", "never");
      if (type === "http" && entry.has("httpUrl")) draft.set("mode", "streamable", entry.at("httpUrl"));
    },
  },
  settings: ({ top }) => readServerLists(top?.entry("mcp")),
});

/** `.cursor/mcp.json`. */
const cursor: ConfigDialect = createDialect({
  name: "cursor",
  syntax: { forms: ["env", "folders"], unset: () => "error" },
  rules: {
    title: "Cursor",
    types: { stdio: "stdio", http: "http", "streamable-http": "streamable", sse: "sse" },
    untypedUrl: "http",
    envFile: true,
    others: ["auth"],
    extra: (entry, draft) => readOauth(entry, draft, "auth"),
  },
});

/** `cline_mcp_settings.json`, and `mcp.json` of Cline's command line. */
const cline: ConfigDialect = createDialect({
  name: "cline",
  syntax: { forms: ["env"], unset: () => "literal" },
  rules: {
    title: "Cline",
    nested: "transport",
    typeKeys: ["type", "transportType"],
    types: { stdio: "stdio", sse: "sse", streamableHttp: "streamable", http: "streamable" },
    untypedUrl: "sse",
    cwd: true,
    timeouts: [{ key: "timeout", unit: "s", field: "callMs" }],
    off: { key: "disabled", when: true },
    autoApprove: "autoApprove",
    others: ["oauth"],
    extra: (entry, draft) => readOauth(entry, draft),
  },
});

/** Agent files of Amazon Q, and its old `mcp.json`. */
const amazonQ: ConfigDialect = createDialect({
  name: "amazon-q",
  syntax: { forms: ["env"], unset: () => "error" },
  rules: {
    title: "Amazon Q",
    types: { stdio: "stdio", http: "http" },
    untypedUrl: "unsure",
    timeouts: [{ key: "timeout", unit: "ms", field: "callMs" }],
  },
  settings({ top }) {
    const message = "is not read here, so that these tools are asked about";
    if (top?.list("allowedTools") !== undefined) top.warn("allowedTools", { code: "unsupported", message });
    return {};
  },
});

/** `claude_desktop_config.json`. */
const claudeDesktop: ConfigDialect = createDialect({
  name: "claude-desktop",
  rules: { title: "Claude Desktop", types: { stdio: "stdio" }, untypedUrl: "none" },
});

const all: Readonly<Record<DialectName, ConfigDialect>> = {
  hostside,
  "mcp-json": mcpJson,
  "claude-code": claudeCode,
  "claude-desktop": claudeDesktop,
  cursor,
  vscode,
  codex,
  gemini,
  windsurf,
  zed,
  cline,
  roo,
  continue: continueDev,
  opencode,
  goose,
  "amazon-q": amazonQ,
  mcporter,
  evva,
  nexo,
  anda,
  adk,
};

/** The dialect of a name. Throws a `TypeError` for one that there is not. */
export function configDialectOf(name: DialectName): ConfigDialect {
  if (!Object.hasOwn(all, name)) throw new TypeError(`there is no dialect ${JSON.stringify(name)}`);
  return all[name];
}
