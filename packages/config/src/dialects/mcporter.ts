import type { DraftBuilder } from "../read/draft-builder.ts";
import type { ConfigEntry } from "../read/entry.ts";
import { createDialect } from "./create-dialect.ts";
import { words } from "../read/unknown-keys.ts";
import type { ConfigDialect } from "../read/server-reader.ts";

const names = words(
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
    others: names.flatMap((name) => [name, snakeCase(name)]),
    extra(entry, draft, { type }) {
      readTools(entry, draft);
      if (type === "http") readAuth(entry, draft);
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

function readTools(entry: ConfigEntry, draft: DraftBuilder): void {
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

function readAuth(entry: ConfigEntry, draft: DraftBuilder): void {
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
