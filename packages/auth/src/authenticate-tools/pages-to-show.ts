import { isHostsideError } from "@hostside/core";
import { dateOf } from "@hostside/core/implement";
import type { OAuthPrompt } from "../oauth-options.ts";
import type { AuthenticateSettings } from "./authenticate-options.ts";

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
export function createPagesToShow(
  { oauth, principal, clock }: AuthenticateSettings,
  closing: AbortSignal,
): PagesToShow {
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
