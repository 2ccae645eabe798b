import { createOAuth, type ClientConfig, type OAuth, type OAuthOptions } from "@toolport/auth";
import { loopbackRedirect, openBrowser } from "@toolport/auth/node";
import type { ServerExtras } from "@toolport/config";
import type { Clock } from "@toolport/core";
import type { ConnectorOptions } from "@toolport/transports";
import type { ToolportState } from "../toolport-options.ts";

/** Who lets the host in. */
export interface ChosenAuth {
  readonly authProvider: ConnectorOptions["authProvider"];
  readonly oauth: OAuth | undefined;
  close(): Promise<void>;
}

/** What a configuration says of signing in, and where tokens are kept. */
export interface AuthMeans {
  readonly state: ToolportState;
  readonly extrasOf: (serverId: string) => ServerExtras | undefined;
  readonly clock: Clock | undefined;
}

/** Takes what was handed in, or makes what signs users in. Shows nobody a page before `authorize()`. */
export function chooseAuth(
  given: OAuth | OAuthOptions | NonNullable<ConnectorOptions["authProvider"]> | false | undefined,
  means: AuthMeans,
): ChosenAuth {
  const nothing = async (): Promise<void> => undefined;
  if (given === false) return { authProvider: undefined, oauth: undefined, close: nothing };
  if (typeof given === "function") return { authProvider: given, oauth: undefined, close: nothing };
  if (given !== undefined && "authorize" in given)
    return { authProvider: given.authProvider, oauth: given, close: nothing };
  const oauth = createOAuth({
    store: means.state.credentials,
    redirect: loopbackRedirect(),
    prompt: openBrowser(),
    clients: ({ serverId }) => toClient(means.extrasOf(serverId)?.oauth),
    clock: means.clock,
    ...given,
  });
  return { authProvider: oauth.authProvider, oauth, close: () => oauth.close() };
}

function toClient(said: ServerExtras["oauth"]): ClientConfig | undefined {
  if (said === undefined) return undefined;
  const { clientId, clientSecret, scopes, redirectUri, resource } = said;
  return { clientId, clientSecret, scopes, redirectUri, resource };
}
