import type { OAuthClient, OAuthContext, OAuthProvider, OAuthTokens } from "@toolport/transports";

/** What the official suite gives to a scenario that needs credentials of its own. */
export interface GivenCredentials {
  readonly client_id?: string;
  readonly client_secret?: string;
}

/** An OAuth provider that keeps everything in memory, and a browser that consents to everything at once. */
export interface MemoryOAuth {
  readonly provider: OAuthProvider & { readonly clientMetadataUrl: string };
  /** The query of the callback of the latest authorization page, which is followed now; `undefined` if there was none since. */
  consent(): Promise<URLSearchParams | undefined>;
}

const redirectUrl = "http://127.0.0.1:3333/callback";

/** Stores clients and tokens by issuer, so that a server that changes its authorization server never gets what belongs to another. */
export function createMemoryOAuth(given: GivenCredentials = {}): MemoryOAuth {
  const clients = new Map<string, OAuthClient>();
  const tokens = new Map<string, OAuthTokens>();
  let latestTokens: OAuthTokens | undefined;
  let verifier = "";
  let page: URL | undefined;
  const key = (context?: OAuthContext): string => context?.issuer ?? "";
  const preRegistered: OAuthClient | undefined =
    given.client_id === undefined ? undefined : { client_id: given.client_id, client_secret: given.client_secret };
  const provider = {
    redirectUrl,
    clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
    clientMetadata: {
      client_name: "toolport-conformance",
      redirect_uris: [redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: given.client_secret === undefined ? "none" : "client_secret_post",
      application_type: "native",
    },
    clientInformation: (context?: OAuthContext) => preRegistered ?? clients.get(key(context)),
    saveClientInformation: (client: OAuthClient, context?: OAuthContext) => void clients.set(key(context), client),
    tokens: (context?: OAuthContext) => (context === undefined ? latestTokens : tokens.get(key(context))),
    saveTokens(saved: OAuthTokens, context?: OAuthContext) {
      latestTokens = saved;
      tokens.set(key(context), saved);
    },
    redirectToAuthorization: (url: URL) => void (page = url),
    saveCodeVerifier: (code: string) => void (verifier = code),
    codeVerifier: () => verifier,
  };
  return {
    provider,
    async consent() {
      if (page === undefined) return undefined;
      const response = await fetch(page, { redirect: "manual" });
      page = undefined;
      const location = response.headers.get("location");
      return location === null ? undefined : new URL(location, redirectUrl).searchParams;
    },
  };
}
