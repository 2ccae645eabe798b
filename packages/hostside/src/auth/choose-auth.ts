import { inOption } from "../check-options.ts";
import { createOAuth, type ClientsFor, type CredentialStore, type OAuth, type OAuthOptions } from "@hostside/auth";
import { loopbackRedirect, openBrowser } from "@hostside/auth/node";
import type { ServerExtras } from "@hostside/config";
import type { Notices } from "@hostside/core";
import type { ConnectorOptions } from "@hostside/transports";
import { chooseFetch } from "../parts/choose-connector.ts";
import type { HostOptions } from "../host-options.ts";
import { createSignInNews, type SignInNews } from "../sign-ins/sign-in-news.ts";
import { toClient } from "./to-client.ts";

/** Who lets the host in. */
export interface ChosenAuth {
  readonly authProvider: ConnectorOptions["authProvider"];
  readonly oauth: OAuth | undefined;
  readonly signInNews: SignInNews;
  /** Ends what was made here. */
  close(): Promise<void>;
}

/** What a configuration says of signing in, and where tokens are kept. */
export interface AuthMeans {
  readonly credentials: CredentialStore;
  readonly extrasOf: (serverId: string) => ServerExtras | undefined;
  /** Tells the other replicas of sign-ins. */
  readonly notices?: Notices | undefined;
  /** How servers are reached: requests that no connection makes go the same way. */
  readonly way?: HostOptions["connector"];
}

/**
 * Takes what was handed in, or makes what signs users in. Shows nobody a page before `authorize()`.
 */
export function chooseAuth(given: HostOptions["auth"], means: AuthMeans): ChosenAuth {
  const chosen = chooseOAuth(given, means);
  const signInNews = createSignInNews(chosen.oauth, means.notices);
  const close = (): Promise<void> => {
    signInNews.close();
    return chosen.close();
  };
  return { ...chosen, signInNews, close };
}

function chooseOAuth(given: HostOptions["auth"], means: AuthMeans): Omit<ChosenAuth, "signInNews"> {
  const nothing = async (): Promise<void> => undefined;
  if (given === false) return { authProvider: undefined, oauth: undefined, close: nothing };
  if (typeof given === "function") return { authProvider: given, oauth: undefined, close: nothing };
  if (given !== undefined && "authorize" in given)
    return { authProvider: given.authProvider, oauth: given, close: nothing };
  const { redirect } = given ?? {};
  const hasPage = typeof redirect === "string" || redirect instanceof URL;
  const oauth = inOption("auth", () =>
    createOAuth({
      store: means.credentials,
      redirect: loopbackRedirect(),
      // Users who are sent back to a page of the product are not at this machine.
      prompt: hasPage ? undefined : openBrowser(),
      fetch: chooseFetch(means.way),
      ...given,
      clients: firstOf(given?.clients, ({ serverId }) => toClient(means.extrasOf(serverId)?.oauth)),
    }),
  );
  return { authProvider: oauth.authProvider, oauth, close: () => oauth.close() };
}

/** What the product says of a server, else what its configuration says. */
function firstOf(given: OAuthOptions["clients"], configured: ClientsFor): ClientsFor {
  if (given === undefined) return configured;
  if (typeof given === "function") return (server) => given(server) ?? configured(server);
  return (server) => (Object.hasOwn(given, server.serverId) ? given[server.serverId] : configured(server));
}
