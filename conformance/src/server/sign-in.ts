import type { CredentialHeaders, ServerCredentials, ServerSpec } from "@hostside/core";
import { createOAuth, type ClientConfig, type OAuth, type OAuthPrompt } from "@hostside/auth";
import { loopbackRedirect } from "@hostside/auth/node";

/** What lets the kit in at a server that wants OAuth. */
export interface SignIn {
  /** The headers for a request now; tokens are renewed before they end. */
  readonly headersFor: (request: { readonly method: string; readonly url: URL }) => Promise<CredentialHeaders>;
  /**
   * Takes what comes with the answer to a request that had those headers, such as a nonce. `true`:
   * the answer only asks for that, and the request is worth sending once more (RFC 9449, section
   * 9).
   */
  readonly onAnswered: (
    request: { readonly method: string; readonly url: URL },
    answer: { readonly status: number; readonly headers: ReadonlyMap<string, string> },
  ) => boolean;
  /**
   * A token for another resource of the same authorization server; `undefined` when there is none
   * to be had without a user.
   */
  tokenFor(resource: string): Promise<string | undefined>;
  /** For the preview of what a host makes of the server. */
  readonly authProvider: OAuth["authProvider"];
  /** Masks every token that was handed out. */
  redact(text: string): string;
  close(): Promise<void>;
}

/** Options of {@linkcode signIn}. */
export interface SignInOptions {
  readonly url: URL;
  /** As whom. Default: a user, as a client that registers itself. */
  readonly client?: ClientConfig;
  readonly prompt: OAuthPrompt;
  readonly signal?: AbortSignal;
}

/**
 * Signs in at a server, as a program where `client` has the flow of client credentials, else as a
 * user who is shown a page. Nothing is kept: the next run signs in again. Rejects with the errors
 * of `OAuth.authorize()`.
 */
export async function signIn({ url, client, prompt, signal }: SignInOptions): Promise<SignIn> {
  // The title stands where the user is asked, and on the page that says that it is done.
  const spec: ServerSpec = {
    id: "server",
    title: url.host,
    type: "http",
    url: url.href,
    auth: "oauth",
  };
  const secrets = new Set<string>();
  const oauths: OAuth[] = [];
  const open = (config: ClientConfig | undefined): OAuth => {
    const oauth = createOAuth({
      redirect: loopbackRedirect(),
      prompt,
      product: { name: "Hostside conformance kit" },
      ...(config && { clients: { server: config } }),
    });
    oauths.push(oauth);
    return oauth;
  };
  const close = async (): Promise<void> => {
    await Promise.all(oauths.map((oauth) => oauth.close()));
  };
  const learn = (headers: CredentialHeaders): CredentialHeaders => {
    for (const value of Object.values(headers)) for (const part of value.split(" ").slice(1)) secrets.add(part);
    return headers;
  };
  const oauth = open(client);
  try {
    await oauth.authorize(spec, { ...(signal && { signal }) });
  } catch (error) {
    await close();
    throw error;
  }
  const credentials = credentialsOf(oauth, spec);
  return {
    authProvider: oauth.authProvider,
    headersFor: async (request) => learn(await credentials.headersFor(request)),
    onAnswered(request, { status, headers }) {
      credentials.onAnswered?.(request, (name) => headers.get(name.toLowerCase()));
      return (
        status === 401 && headers.has("dpop-nonce") && /use_dpop_nonce/.test(headers.get("www-authenticate") ?? "")
      );
    },
    async tokenFor(resource) {
      if (client?.flow !== "client_credentials") return undefined;
      const other = open({ ...client, resource });
      try {
        await other.authorize(spec);
        const headers = learn(await credentialsOf(other, spec).headersFor({ method: "POST", url }));
        return new Headers(headers).get("authorization")?.split(" ")[1];
      } catch {
        // The authorization server gives no tokens for what it does not know, as it should.
        return undefined;
      }
    },
    redact: (text) => [...secrets].reduce((masked, secret) => masked.replaceAll(secret, "***"), text),
    close,
  };
}

function credentialsOf(oauth: OAuth, spec: ServerSpec): ServerCredentials {
  const request = {
    interactive: false,
    fetch: (at: string | URL, init?: RequestInit) => fetch(at, { ...init, redirect: "manual" }),
  };
  const credentials = oauth.authProvider(spec, request);
  if (credentials === undefined) throw new TypeError("the server is not one of OAuth");
  return credentials;
}
