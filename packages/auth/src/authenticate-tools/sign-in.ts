import { isHostsideError, type AdmissionServer, type Event, type HostsideErrorCode } from "@hostside/core";
import { untilAborted, clock } from "@hostside/core/implement";
import { isNotShown } from "../auth-errors.ts";
import type { OAuthPrompt } from "../oauth-options.ts";
import type { OAuth } from "../oauth.ts";

/** An answer that a model reads. */
export interface SignInAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** Signs in to servers for a model. */
export interface SignIns {
  /**
   * Has the user sign in, and brings the server's tools in. Rejects with the reason of `signal`.
   */
  signIn(server: SignInServer, signal: AbortSignal): Promise<SignInAnswer>;
  /** Brings the tools of a server in that somebody has signed in to; one at a time. */
  bringTools(serverId: string): Promise<void>;
  /** Forgets what was begun for a server that is gone. */
  forget(serverId: string): void;
}

/** Everything that sign-ins are made with. */
export interface SignInMeans {
  readonly oauth: Pick<OAuth, "authorize" | "begin" | "cancel" | "onSignedIn">;
  /** The provider of the servers that are signed in to. */
  readonly provider: SignInProvider;
  /** On whose behalf, as the connections of the provider have it. Default: the host itself. */
  readonly principal?: string | undefined;
}

/** The part of a server's status that decides whether somebody has to sign in. */
export interface SignInStatus {
  readonly id: string;
  /** Such as `needs-auth` or `ready`; `removed` in the last event of a registration. */
  readonly state: string;
  /** The `auth` of its spec: `oauth` for a server that can be signed in to. */
  readonly auth?: string | undefined;
  /** The reason that it is not ready. */
  readonly error?: { readonly code: HostsideErrorCode } | undefined;
}

/**
 * The part of a provider that signing in needs; the one of `@hostside/provider` is such a provider.
 */
export interface SignInProvider {
  statuses(): readonly SignInStatus[];
  /** The tools on offer. */
  routes(): readonly { readonly name: string; readonly serverId: string }[];
  has(name: string): boolean;
  /** In the host's own words. */
  describeServer?(serverId: string): Pick<AdmissionServer, "title"> | undefined;
  /** Connects to a server and lists its tools. `signal` ends the wait. */
  refreshServer(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  readonly onStatusChanged: Event<SignInStatus>;
  readonly onToolsChanged: Event<unknown>;
  readonly closed: boolean;
  /** Fires once, when it is closed. */
  readonly onClosed: Event<undefined>;
}

/** A server that can be signed in to, in the host's own words. */
export interface SignInServer {
  readonly serverId: string;
  /** Its title, or its id; in quotation marks, as one bounded line. */
  readonly shown: string;
}

interface Page {
  readonly url: URL;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

const mostNames = 100;
const again = "Call the tool again only if the user wants to try again.";
// A page that ends before the user has read the answer is of no use.
const leastPageMs = 30_000;

/** Makes sign-ins. `closing` ends what is under way. */
export function createSignIns(
  { oauth, provider, principal }: SignInMeans,
  { closing }: { readonly closing: AbortSignal },
): SignIns {
  const bringing = new Map<string, Promise<void>>();
  // The pages that a model shows, where the host shows none.
  const pages = new Map<string, Page>();
  const opening = new Map<string, Promise<URL | undefined>>();

  const bringTools = (serverId: string): Promise<void> => {
    pages.delete(serverId);
    return shareWork(bringing, serverId, () => provider.refreshServer(serverId, { signal: closing }));
  };
  // For a host that listens for users, but has no way to show them a page: waits on, for a user
  // whom the model sends there.
  const listen = (serverId: string): Promise<URL | undefined> =>
    new Promise((resolve, reject) => {
      const prompt: OAuthPrompt = async ({ url }) => {
        pages.set(serverId, { url, expiresAt: Number.POSITIVE_INFINITY });
        resolve(url);
        return "completed";
      };
      oauth
        .authorize(serverId, { principal, prompt, signal: closing })
        .finally(() => pages.delete(serverId))
        // Once there is a page, the user knows better than anybody how it went.
        .then(() => resolve(undefined), reject);
    });
  const openPage = async (serverId: string): Promise<URL | undefined> => {
    try {
      const page = await oauth.begin(serverId, { principal, signal: closing });
      pages.set(serverId, page);
      return page.url;
    } catch (error) {
      if (!isHostsideError(error, "unsupported_operation")) throw error;
    }
    return listen(serverId);
  };
  /** The page to show, where somebody has to and the host does not. */
  const authorize = async (serverId: string, signal: AbortSignal): Promise<URL | undefined> => {
    try {
      await oauth.authorize(serverId, { principal, signal });
      return undefined;
    } catch (error) {
      if (!isHostsideError(error, "unsupported_operation") && !isNotShown(error)) throw error;
    }
    if (pages.has(serverId)) {
      // The user may have signed in meanwhile, in another process that shares the store.
      const isLetIn = await provider.refreshServer(serverId, { signal }).then(
        () => true,
        () => false,
      );
      if (isLetIn) return undefined;
      const known = pages.get(serverId);
      if (known !== undefined && known.expiresAt - clock.date() > leastPageMs) return known.url;
    }
    return shareWork(opening, serverId, () => openPage(serverId));
  };
  return {
    bringTools,
    forget(serverId) {
      pages.delete(serverId);
      // For what a user may still come back from; mostly there is nothing.
      oauth.cancel(serverId, { principal }).catch(() => {});
    },
    async signIn({ serverId, shown }, signal) {
      const failed = (what: string): SignInAnswer => {
        signal.throwIfAborted();
        return { text: what, isError: true };
      };
      try {
        const page = await untilAborted(authorize(serverId, signal), signal);
        if (page !== undefined) {
          const ask = `The user has to sign in to ${shown} themselves. Show them this URL as it is, and wait until they say that they are done:`;
          return { text: `${ask}\n${page.href}\nThe server's tools are available then.`, isError: false };
        }
      } catch (error) {
        return failed(`The user is not signed in to ${shown}: ${describe(error)}. ${again}`);
      }
      try {
        await untilAborted(bringTools(serverId), signal);
      } catch (error) {
        return failed(`The user is signed in to ${shown}, but its tools could not be listed: ${describe(error)}.`);
      }
      return { text: `The user is signed in to ${shown}. ${listTools(provider, serverId)}`, isError: false };
    },
  };
}

function listTools(provider: SignInProvider, serverId: string): string {
  const names = provider.routes().flatMap((route) => (route.serverId === serverId ? route.name : []));
  if (names.length === 0) return "The server has no tools on offer.";
  const lines = names.sort().map((name) => `- ${name}`);
  const more = lines.length > mostNames ? [`and ${lines.length - mostNames} more`] : [];
  return ["Its tools are available now:", ...lines.slice(0, mostNames), ...more].join("\n");
}

/** Waits for the work that is under way under a key, or starts it. */
function shareWork<T>(underWay: Map<string, Promise<T>>, key: string, start: () => Promise<T>): Promise<T> {
  const known = underWay.get(key);
  if (known !== undefined) return known;
  const work = start().finally(() => underWay.delete(key));
  // Callers handle its failure; none has to wait.
  work.catch(() => {});
  underWay.set(key, work);
  return work;
}

// Messages of this project hold no secret; those of others may.
function describe(error: unknown): string {
  return isHostsideError(error) ? `${error.rawMessage} (${error.code})` : "the host failed";
}
