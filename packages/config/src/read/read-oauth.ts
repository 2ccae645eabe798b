import type { DraftBuilder } from "./draft-builder.ts";
import type { Entry } from "./entry.ts";

/** What a server's `oauth` says, in the spellings of several tools. `false` or no object: nothing. */
export function readOauth(entry: Entry, draft: DraftBuilder, key: string = "oauth"): void {
  const value = entry.get(key);
  if (value === undefined || typeof value === "boolean") return;
  const oauth = entry.entry(key);
  if (oauth === undefined) return;
  const text = (...names: readonly string[]): string | undefined => {
    const name = names.find((one) => oauth.has(one));
    return name === undefined ? undefined : oauth.text(name);
  };
  const clientId = text("clientId", "client_id", "CLIENT_ID");
  const clientSecret = text("clientSecret", "client_secret", "CLIENT_SECRET");
  const metadataUrl = text("authServerMetadataUrl");
  const redirectUri = text("redirectUri", "redirect_uri", "redirectURI");
  const callbackPort = oauth.number("callbackPort");
  const written = oauth.get("scopes") ?? oauth.get("scope");
  const scopes = typeof written === "string" ? written.split(/[\s,]+/).filter(Boolean) : oauth.texts("scopes");
  const settings = { clientId, clientSecret, metadataUrl, redirectUri, callbackPort, scopes };
  for (const name of oauth.names) draft.place(`oauth.${camel(name)}`, oauth.at(name));
  draft.extra("oauth", Object.fromEntries(Object.entries(settings).filter(([, setting]) => setting !== undefined)));
}

// `client_id` and `CLIENT_ID` are `clientId`.
function camel(name: string): string {
  return name.includes("_")
    ? name.toLowerCase().replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
    : name;
}
