import { isHostsideError } from "@hostside/core";
import { untilAborted } from "@hostside/core/implement";
import type { AuthenticateSettings } from "./authenticate-options.ts";
import { quoteTitle, type SignInServer } from "./define-tool.ts";
import { isNotShown } from "../auth-errors.ts";
import { createPagesToShow } from "./pages-to-show.ts";

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
