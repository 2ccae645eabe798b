import { inOption } from "../contract/check-options.ts";
import type { OAuth, OAuthOptions, OAuthPrompt } from "@hostside/auth";
import type { ServerExtras } from "@hostside/config";
import type { AuthorizationFetch, ServerSpec } from "@hostside/core";
import { createAuthorizationFetch, type ConnectorOptions } from "@hostside/transports";
import type { HostOptions, HostState } from "../contract/host-options.ts";
import { createSignInNews, type SignInNews } from "../sign-ins/sign-in-news.ts";
import type { Credentials } from "../state/choose-state.ts";
import { createLazyOAuth } from "./lazy-oauth.ts";
import { toClient } from "./to-client.ts";

/** The sign-ins of a host. */
export interface ChosenAuth {
  readonly authProvider: ConnectorOptions["authProvider"];
  readonly oauth: OAuth | undefined;
  readonly signInNews: SignInNews;
  /** Ends what was made here. */
  close(): Promise<void>;
}

/** Parts of {@linkcode chooseAuth}. */
export interface AuthMeans extends Pick<HostState, "notices"> {
  readonly credentials: Credentials;
  readonly extrasOf: (serverId: string) => ServerExtras | undefined;
  /** How servers are reached: requests that no connection makes go the same way. */
  readonly connector?: HostOptions["connector"];
  /** Shows sign-in pages where the options do not say how. Default: the browser. */
  readonly prompt?: OAuthPrompt | undefined;
}

/**
 * Takes what was handed in, or makes what signs users in. Shows nobody a page before `authorize()`.
 * Options are checked now. Without options, nothing is loaded before a server asks for a sign-in,
 * or a program is to sign in.
 */
export async function chooseAuth(given: HostOptions["auth"], means: AuthMeans): Promise<ChosenAuth> {
  const isOwn = given === undefined || (typeof given === "object" && !("authorize" in given));
  const oauth = isOwn ? await makeOAuth(given, means) : typeof given === "object" ? given : undefined;
  const signInNews = createSignInNews(oauth, means.notices);
  return {
    authProvider: typeof given === "function" ? given : oauth?.authProvider,
    oauth,
    signInNews,
    async close() {
      signInNews.close();
      if (isOwn) await oauth?.close();
    },
  };
}

async function makeOAuth(given: OAuthOptions | undefined, means: AuthMeans): Promise<OAuth> {
  const load = () => loadOAuth(given, means);
  if (given !== undefined) return load();
  // A program signs in before its first request.
  const isProgram = (serverId: string): boolean => means.extrasOf(serverId)?.oauth?.flow !== undefined;
  return createLazyOAuth(load, { isEmpty: (serverId) => means.credentials.isEmpty && !isProgram(serverId) });
}

async function loadOAuth(given: OAuthOptions | undefined, means: AuthMeans): Promise<OAuth> {
  const { redirect, clients = {} } = given ?? {};
  const hasPage = typeof redirect === "string" || redirect instanceof URL;
  const [{ createOAuth }, { loopbackRedirect, openBrowser }, store] = await Promise.all([
    import("@hostside/auth"),
    import("@hostside/auth/node"),
    means.credentials.open(),
  ]);
  return inOption("auth", () =>
    createOAuth({
      store,
      redirect: loopbackRedirect(),
      // Users who are sent back to a page of the product are not at this machine.
      prompt: hasPage ? undefined : (means.prompt ?? openBrowser()),
      fetch: chooseFetch(means.connector),
      ...given,
      // The product's word comes before that of its configuration.
      clients: (server) => {
        const { serverId } = server;
        const own =
          typeof clients === "function" ? clients(server) : Object.hasOwn(clients, serverId) && clients[serverId];
        return own || toClient(means.extrasOf(serverId)?.oauth);
      },
    }),
  );
}

/**
 * Makes the function that asks authorization servers, by the proxy and with the certificates of the
 * connector.
 */
function chooseFetch(given: HostOptions["connector"] = {}): OAuthOptions["fetch"] {
  if ("connect" in given) return undefined;
  const { proxy, ca } = given;
  const known = new WeakMap<ServerSpec, AuthorizationFetch>();
  return (url, init, server) => {
    const fetch = known.get(server) ?? createAuthorizationFetch({ proxy, ca, server });
    known.set(server, fetch);
    return fetch(url, init);
  };
}
