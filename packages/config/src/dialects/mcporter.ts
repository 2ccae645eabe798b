import type { DraftBuilder } from "../read/draft-builder.ts";
import type { ConfigEntry } from "../read/entry.ts";
import { createDialect } from "./create-dialect.ts";
import { words } from "../read/entry-rules.ts";
import type { ConfigDialect } from "../read/dialect.ts";

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
    others: words(
      "auth description bearerToken bearer_token bearerTokenEnv bearer_token_env allowedTools",
      "allowed_tools blockedTools blocked_tools oauthScope oauth_scope oauthClientId",
      "oauth_client_id oauthClientSecret oauth_client_secret oauthRedirectUrl",
      "oauth_redirect_url",
    ),
    extra(entry, draft, { type }) {
      readTools(entry, draft);
      if (type === "http") readAuth(entry, draft);
    },
  },
  settings(reader) {
    const imports = reader.listAt(["imports"]);
    if (imports === undefined) return {};
    const names = imports.filter((name) => typeof name === "string");
    return { imports: names.map((from) => ({ from })) };
  },
});

function keyOf(entry: ConfigEntry, ...names: readonly string[]): string {
  return names.find((name) => entry.has(name)) ?? names[0] ?? "";
}

function readTools(entry: ConfigEntry, draft: DraftBuilder): void {
  const allowedKey = keyOf(entry, "allowedTools", "allowed_tools");
  const blockedKey = keyOf(entry, "blockedTools", "blocked_tools");
  const allowed = entry.texts(allowedKey);
  const blocked = entry.texts(blockedKey);
  if (allowed !== undefined && blocked !== undefined) {
    const message = `has both ${allowedKey} and ${blockedKey}`;
    entry.error(blockedKey, { code: "conflicting_fields", message, fix: "remove one of them" });
  }
  draft.set("allow", allowed, entry.at(allowedKey));
  draft.set("deny", blocked, entry.at(blockedKey));
}

function readAuth(entry: ConfigEntry, draft: DraftBuilder): void {
  const tokenKey = keyOf(entry, "bearerToken", "bearer_token");
  const variableKey = keyOf(entry, "bearerTokenEnv", "bearer_token_env");
  const variable = entry.text(variableKey);
  draft.set("bearerToken", entry.text(tokenKey), entry.at(tokenKey));
  if (variable !== undefined) draft.variable({ field: "bearerToken", variable, required: true }, entry.at(variableKey));
  if (entry.text("auth") === "oauth") draft.set("auth", "oauth", entry.at("auth"));
  else if (entry.has("auth")) entry.warn("auth", { code: "unsupported", message: 'nothing but "oauth" is there here' });
  const clientId = entry.text(keyOf(entry, "oauthClientId", "oauth_client_id"));
  const clientSecret = entry.text(keyOf(entry, "oauthClientSecret", "oauth_client_secret"));
  const redirectUri = entry.text(keyOf(entry, "oauthRedirectUrl", "oauth_redirect_url"));
  const scopes = entry
    .text(keyOf(entry, "oauthScope", "oauth_scope"))
    ?.split(/\s+/)
    .filter(Boolean);
  const settings = Object.entries({ clientId, clientSecret, redirectUri, scopes }).filter(
    ([, value]) => value !== undefined,
  );
  if (settings.length > 0) draft.extra("oauth", Object.fromEntries(settings));
}
