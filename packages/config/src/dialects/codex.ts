import { isConfigMap } from "../parse/config-data.ts";
import { readOauth } from "../read/read-settings.ts";
import type { DraftBuilder } from "../read/draft-builder.ts";
import type { ConfigEntry } from "../read/entry.ts";
import { createDialect } from "./create-dialect.ts";
import { words } from "../read/unknown-keys.ts";
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
      if (type === "http") readCredentials(entry, draft);
      else readForwarded(entry, draft);
      if (entry.flag("required") === true) draft.set("required", true, entry.at("required"));
      readApproval(entry, draft);
    },
  },
});

function readCredentials(entry: ConfigEntry, draft: DraftBuilder): void {
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

function readForwarded(entry: ConfigEntry, draft: DraftBuilder): void {
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

const modes: Readonly<Record<string, "never" | "always" | undefined>> = {
  approve: "never",
  prompt: "always",
  auto: undefined,
};

function readApproval(entry: ConfigEntry, draft: DraftBuilder): void {
  const mode = (written: string | undefined, name: string): "never" | "always" | undefined => {
    if (written === undefined) return undefined;
    if (Object.hasOwn(modes, written)) return modes[written];
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
