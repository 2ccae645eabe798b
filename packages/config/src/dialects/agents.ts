import { isConfigMap } from "../parse/config-data.ts";
import { readOauth, readServerLists } from "../read/read-settings.ts";
import type { DraftBuilder } from "../read/draft-builder.ts";
import type { ConfigEntry } from "../read/entry.ts";
import { createDialect } from "./create-dialect.ts";
import { words, type ServerEntryRules } from "../read/unknown-keys.ts";
import type { ConfigDialect } from "../read/server-reader.ts";

/** `config.toml` of Codex. */
export const codex: ConfigDialect = createDialect({
  name: "codex",
  format: "toml",
  roots: [["mcp_servers"]],
  rules: {
    title: "Codex",
    typeKeys: [],
    types: {},
    untypedUrl: "streamable",
    headersKey: "http_headers",
    cwd: true,
    timeouts: [
      { key: "startup_timeout_ms", unit: "ms", field: "connectMs" },
      { key: "startup_timeout_sec", unit: "s", field: "connectMs" },
      { key: "tool_timeout_sec", unit: "s", field: "callMs" },
    ],
    off: { key: "enabled", when: false },
    allow: "enabled_tools",
    deny: "disabled_tools",
    unsupported: {
      http_headers_helper: "the command that makes headers is not run here, so that its headers are not sent",
    },
    others: words(
      "bearer_token bearer_token_env_var env_http_headers env_vars oauth oauth_resource scopes",
      "required tools default_tools_approval_mode",
    ),
    extra(entry, draft, { type }) {
      if (type === "http") readCodexCredentials(entry, draft);
      else readCodexVariables(entry, draft);
      if (entry.flag("required") === true) draft.set("required", true, entry.at("required"));
      readCodexApproval(entry, draft);
    },
  },
});

function readCodexCredentials(entry: ConfigEntry, draft: DraftBuilder): void {
  if (entry.has("bearer_token")) {
    const message = "Codex refuses its whole file for a token in it";
    const fix = "name a variable with bearer_token_env_var";
    entry.error("bearer_token", { code: "conflicting_fields", message, fix });
  }
  const variable = entry.text("bearer_token_env_var");
  if (variable !== undefined) {
    draft.variable({ field: "bearerToken", variable, required: true }, entry.at("bearer_token_env_var"));
  }
  for (const [name, header] of entry.textMap("env_http_headers") ?? []) {
    const path = entry.at("env_http_headers", name);
    draft.variable({ field: `headers.${name}`, variable: header, required: false }, path);
  }
  const oauth = readOauth(entry, draft);
  const scopes = entry.texts("scopes");
  const resource = entry.text("oauth_resource");
  if (scopes !== undefined || resource !== undefined) {
    draft.extra("oauth", { ...oauth, ...(scopes && { scopes }), ...(resource !== undefined && { resource }) });
  }
}

function readCodexVariables(entry: ConfigEntry, draft: DraftBuilder): void {
  for (const [index, item] of (entry.list("env_vars") ?? []).entries()) {
    const name = isConfigMap(item) ? item.get("name") : item;
    const source = isConfigMap(item) ? (item.get("source") ?? name) : name;
    if (typeof name !== "string" || typeof source !== "string") {
      entry.error("env_vars", { code: "wrong_type", message: `item ${index} must be a name` });
    } else {
      draft.variable({ field: `env.${name}`, variable: source, required: false }, entry.at("env_vars", index));
    }
  }
}

const codexModes: Readonly<Record<string, "never" | "always" | undefined>> = {
  approve: "never",
  prompt: "always",
  auto: undefined,
};

function readCodexApproval(entry: ConfigEntry, draft: DraftBuilder): void {
  const mode = (written: string | undefined, name: string): "never" | "always" | undefined => {
    if (written === undefined) return undefined;
    if (Object.hasOwn(codexModes, written)) return codexModes[written];
    const message = "is no approval mode that is known; calls are asked about as by default";
    entry.warn(name, { code: "unsupported", message });
    return undefined;
  };
  draft.extra("approval", mode(entry.text("default_tools_approval_mode"), "default_tools_approval_mode"));
  const tools = entry.entry("tools");
  for (const name of tools?.names ?? []) {
    const chosen = mode(tools?.entry(name)?.text("approval_mode"), "tools");
    if (chosen !== undefined) draft.tool(name, { requireApproval: chosen === "always" }, entry.at("tools", name));
  }
}

const claudeRules: ServerEntryRules = {
  title: "Claude Code",
  types: { stdio: "stdio", http: "http", "streamable-http": "http", sse: "sse", ws: "unsupported" },
  untypedUrl: "error",
  both: "stdio",
  timeouts: [{ key: "timeout", unit: "ms", field: "callMs" }],
  others: ["alwaysLoad", "oauth", "tools"],
  unsupported: { headersHelper: "the command that makes headers is not run here, so that its headers are not sent" },
  extra: readClaudeExtras,
};

/** `.mcp.json`, and `mcpServers` of `~/.claude.json`, at the top and of each project. */
export const claudeCode: ConfigDialect = createDialect({
  name: "claude-code",
  syntax: { forms: ["braces", "default"], unset: () => "literal" },
  rules: claudeRules,
  roots({ file = "" }, { projectFolder }) {
    const isHomeFile = /(?:^|[\\/])\.claude\.json$/.test(file);
    const top = { path: ["mcpServers"], scope: isHomeFile ? "user" : undefined } as const;
    if (projectFolder === undefined) return [top];
    // Of the same name, what is local wins: it is read first.
    return [{ path: ["projects", projectFolder, "mcpServers"], scope: "local" }, top];
  },
  settings: ({ top }) => readServerLists(top),
});

function readClaudeExtras(entry: ConfigEntry, draft: DraftBuilder): void {
  readOauth(entry, draft);
  const denied: string[] = [];
  for (const [index, tool] of (entry.list("tools") ?? []).entries()) {
    const name = isConfigMap(tool) ? tool.get("name") : undefined;
    const policy = isConfigMap(tool) ? tool.get("permission_policy") : undefined;
    const path = entry.at("tools", index);
    if (typeof name !== "string")
      entry.error("tools", { code: "wrong_type", message: `item ${index} must have a name` });
    else if (policy === "always_deny") denied.push(name);
    else if (policy === "always_allow") draft.tool(name, { requireApproval: false }, path);
    else if (policy === "always_ask") draft.tool(name, { requireApproval: true }, path);
    else if (policy !== undefined)
      entry.error("tools", { code: "wrong_type", message: `the permission_policy of item ${index} is not known` });
  }
  if (denied.length > 0) draft.set("deny", denied, entry.at("tools"));
}

const mcporterNames = words(
  "auth description bearerToken bearerTokenEnv allowedTools blockedTools",
  "oauthScope oauthClientId oauthClientSecret oauthRedirectUrl",
);

/** `mcporter.json`. Its keys may be in camel or in snake case. */
export const mcporter: ConfigDialect = createDialect({
  name: "mcporter",
  syntax: { forms: ["braces", "default", "shell"], unset: () => "error" },
  rules: {
    title: "mcporter",
    typeKeys: [],
    types: {},
    untypedUrl: "http",
    urlKeys: ["baseUrl", "base_url", "url", "serverUrl", "server_url"],
    cwd: true,
    unsupported: {
      refresh: "credentials are not refreshed by settings of mcporter here",
      lifecycle: "servers are started when they are needed; its lifecycle is not used",
    },
    others: mcporterNames.flatMap((name) => [name, snakeCase(name)]),
    extra(entry, draft, { type }) {
      readMcporterTools(entry, draft);
      if (type === "http") readMcporterAuth(entry, draft);
    },
  },
  settings({ top }) {
    const names = top?.list("imports")?.filter((name) => typeof name === "string");
    return names === undefined ? {} : { imports: names.map((from) => ({ from })) };
  },
});

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function keyOf(entry: ConfigEntry, name: string): string {
  return entry.has(name) || !entry.has(snakeCase(name)) ? name : snakeCase(name);
}

function readMcporterTools(entry: ConfigEntry, draft: DraftBuilder): void {
  const allowedKey = keyOf(entry, "allowedTools");
  const blockedKey = keyOf(entry, "blockedTools");
  const allowed = entry.texts(allowedKey);
  const blocked = entry.texts(blockedKey);
  if (allowed !== undefined && blocked !== undefined) {
    const message = `has both ${allowedKey} and ${blockedKey}`;
    entry.error(blockedKey, { code: "conflicting_fields", message, fix: "remove one of them" });
  }
  draft.set("allow", allowed, entry.at(allowedKey));
  draft.set("deny", blocked, entry.at(blockedKey));
}

function readMcporterAuth(entry: ConfigEntry, draft: DraftBuilder): void {
  const tokenKey = keyOf(entry, "bearerToken");
  const variableKey = keyOf(entry, "bearerTokenEnv");
  const variable = entry.text(variableKey);
  draft.set("bearerToken", entry.text(tokenKey), entry.at(tokenKey));
  if (variable !== undefined) draft.variable({ field: "bearerToken", variable, required: true }, entry.at(variableKey));
  if (entry.text("auth") === "oauth") draft.set("auth", "oauth", entry.at("auth"));
  else if (entry.has("auth")) entry.warn("auth", { code: "unsupported", message: 'nothing but "oauth" is there here' });
  const text = (name: string): string | undefined => entry.text(keyOf(entry, name));
  const [clientId, clientSecret] = [text("oauthClientId"), text("oauthClientSecret")];
  const redirectUri = text("oauthRedirectUrl");
  const scopes = text("oauthScope")?.split(/\s+/).filter(Boolean);
  const settings = Object.entries({ clientId, clientSecret, redirectUri, scopes }).filter(
    ([, value]) => value !== undefined,
  );
  if (settings.length > 0) draft.extra("oauth", Object.fromEntries(settings));
}
