import { isHostsideError } from "@hostside/core";
import { untilAborted, dateOf } from "@hostside/core/implement";
import type { AuthenticateSettings } from "./authenticate-options.ts";
import { quoteTitle, type SignInServer } from "./live-tools.ts";
import { isNotShown } from "../auth-errors.ts";
import type { OAuthPrompt } from "../oauth-options.ts";

/** What a model reads. */
export interface SignInAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** Signs in to servers for a model. */
export interface SignIns {
  /**
   * Has the user sign in, and brings the server's tools in. Rejects only with the reason of
   * `signal`.
   */
  signIn(server: SignInServer, signal: AbortSignal): Promise<SignInAnswer>;
  /** Brings the tools of a server in that somebody has signed in to; one at a time. */
  bringTools(serverId: string): Promise<void>;
  /** Forgets what was begun for a server that is gone. */
  forget(serverId: string): void;
}

const mostNames = 100;

/** Makes sign-ins. `closing` ends what is under way. */
export function createSignIns(settings: AuthenticateSettings, closing: AbortSignal): SignIns {
  const { oauth, provider, principal } = settings;
  const pages = createPagesToShow(settings, closing);
  const bringing = new Map<string, Promise<void>>();

  const bringTools = (serverId: string): Promise<void> => {
    pages.forget(serverId);
    const known = bringing.get(serverId);
    if (known !== undefined) return known;
    const work = provider.refreshServer(serverId, { signal: closing }).finally(() => bringing.delete(serverId));
    // Whoever waits for it is answered; nobody has to.
    work.catch(() => {});
    bringing.set(serverId, work);
    return work;
  };
  const isLetIn = (serverId: string, signal: AbortSignal): Promise<boolean> =>
    provider.refreshServer(serverId, { signal }).then(
      () => true,
      () => false,
    );
  /** The page to show, where somebody has to and the host does not. */
  const authorize = async (serverId: string, signal: AbortSignal): Promise<URL | undefined> => {
    try {
      await oauth.authorize(serverId, { principal, signal });
      return undefined;
    } catch (error) {
      if (!isHostsideError(error, "unsupported_operation") && !isNotShown(error)) throw error;
    }
    // Whoever is asked again may have signed in, in another process that shares the store.
    if (pages.has(serverId) && (await isLetIn(serverId, signal))) return undefined;
    return pages.pageFor(serverId);
  };
  const listTools = (serverId: string): string => {
    const names = provider.routes().flatMap((route) => (route.serverId === serverId ? route.name : []));
    if (names.length === 0) return "The server has no tools on offer.";
    const lines = names.sort().map((name) => `- ${name}`);
    const more = lines.length > mostNames ? [`and ${lines.length - mostNames} more`] : [];
    return ["Its tools are available now:", ...lines.slice(0, mostNames), ...more].join("\n");
  };

  return {
    bringTools,
    forget(serverId) {
      pages.forget(serverId);
      // For what a user may still come back from; mostly there is nothing.
      oauth.cancel(serverId, { principal }).catch(() => {});
    },
    async signIn({ serverId, title }, signal) {
      const shown = quoteTitle(title);
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
        const again = "Call the tool again only if the user wants to try again.";
        return failed(`The user is not signed in to ${shown}: ${describe(error)}. ${again}`);
      }
      try {
        await untilAborted(bringTools(serverId), signal);
      } catch (error) {
        return failed(`The user is signed in to ${shown}, but its tools could not be listed: ${describe(error)}.`);
      }
      return { text: `The user is signed in to ${shown}. ${listTools(serverId)}`, isError: false };
    },
  };
}

// Messages of this project hold no secret; those of others may.
function describe(error: unknown): string {
  return isHostsideError(error) ? `${error.rawMessage} (${error.code})` : "the host failed";
}

/** The pages that a model shows, where the host shows none. */
export interface PagesToShow {
  /**
   * The page to sign in to a server, the same one while it is waited for; `undefined` when somebody
   * signed in without one.
   */
  pageFor(serverId: string): Promise<URL | undefined>;
  /** Whether somebody has been shown one. */
  has(serverId: string): boolean;
  /** Somebody has signed in, or nobody is to. */
  forget(serverId: string): void;
}

interface Page {
  readonly url: URL;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

// A page that ends before the user has read the answer is of no use.
const leastPageMs = 30_000;

/** Makes them. `closing` ends what is waited for. */
function createPagesToShow({ oauth, principal, clock }: AuthenticateSettings, closing: AbortSignal): PagesToShow {
  const pages = new Map<string, Page>();
  const asking = new Map<string, Promise<URL | undefined>>();

  /**
   * For a host that listens for users, but has no way to show them a page: waits on, for a user
   * whom the model sends there.
   */
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
  const open = async (serverId: string): Promise<URL | undefined> => {
    try {
      const page = await oauth.begin(serverId, { principal, signal: closing });
      pages.set(serverId, page);
      return page.url;
    } catch (error) {
      if (!isHostsideError(error, "unsupported_operation")) throw error;
    }
    return listen(serverId);
  };
  return {
    async pageFor(serverId) {
      const known = pages.get(serverId);
      if (known !== undefined && known.expiresAt - dateOf(clock) > leastPageMs) return known.url;
      const page = asking.get(serverId) ?? open(serverId).finally(() => asking.delete(serverId));
      asking.set(serverId, page);
      return page;
    },
    has: (serverId) => pages.has(serverId),
    forget: (serverId) => void pages.delete(serverId),
  };
}
