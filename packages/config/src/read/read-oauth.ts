import type { ServerExtras } from "../configured-server.ts";
import type { DraftBuilder } from "./draft-builder.ts";
import type { ConfigEntry } from "./entry.ts";

type OauthSettings = NonNullable<ServerExtras["oauth"]>;

const spellings = {
  clientId: ["clientId", "client_id", "CLIENT_ID"],
  clientSecret: ["clientSecret", "client_secret", "CLIENT_SECRET"],
  metadataUrl: ["authServerMetadataUrl"],
  redirectUri: ["redirectUri", "redirect_uri", "redirectURI"],
} as const;
const known: ReadonlySet<string> = new Set([
  ...Object.values(spellings).flat(),
  "flow",
  "callbackPort",
  "scopes",
  "scope",
  "enabled",
]);

/**
 * What a server's `oauth` says, in the spellings of several tools. `false`, `enabled: false` or no
 * object: nothing.
 */
export function readOauth(entry: ConfigEntry, draft: DraftBuilder, key: string = "oauth"): OauthSettings | undefined {
  const oauth = typeof entry.get(key) === "boolean" ? undefined : entry.entry(key);
  if (oauth === undefined || oauth.flag("enabled") === false) return undefined;
  const settings = new Map<string, unknown>();
  for (const [field, names] of Object.entries(spellings)) {
    const name = names.find((one) => oauth.has(one));
    if (name === undefined) continue;
    settings.set(field, oauth.text(name));
    draft.place(`oauth.${field}`, oauth.at(name));
  }
  settings.set("flow", readFlow(oauth));
  settings.set("callbackPort", oauth.number("callbackPort"));
  const scopesKey = oauth.has("scopes") ? "scopes" : "scope";
  const written = oauth.get(scopesKey);
  settings.set(
    "scopes",
    typeof written === "string" ? written.split(/[\s,]+/).filter(Boolean) : oauth.texts(scopesKey),
  );
  for (const name of oauth.names) {
    if (!known.has(name)) oauth.warn(name, { code: "unsupported", message: "is not used here when signing in" });
  }
  const found = Object.fromEntries([...settings].filter(([, setting]) => setting !== undefined));
  draft.extra("oauth", found);
  return found;
}

/** The word for the way of signing in. Without a client there is nothing to sign in as. */
export function readFlow(oauth: ConfigEntry): OauthSettings["flow"] {
  const flow = oauth.text("flow");
  if (flow === undefined || flow === "authorization_code") return undefined;
  if (flow !== "client_credentials") {
    oauth.error("flow", { code: "wrong_type", message: 'must be "authorization_code" or "client_credentials"' });
    return undefined;
  }
  const has = (names: readonly string[]): boolean => names.some((name) => oauth.has(name));
  if (!has(spellings.clientId) || !has(spellings.clientSecret)) {
    oauth.error("flow", { code: "missing_field", message: "client_credentials needs a client id and a client secret" });
  }
  return flow;
}
