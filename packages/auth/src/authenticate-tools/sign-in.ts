import { isToolportError } from "@toolport/core";
import { dateOf, untilAborted } from "@toolport/core/implement";
import type { PendingAuthorization } from "../oauth.ts";
import type { AuthenticateSettings } from "./authenticate-options.ts";
import { quoteTitle, type SignInServer } from "./define-tool.ts";

/** What a model reads. */
export interface SignInAnswer {
  readonly text: string;
  readonly isError: boolean;
}

/** Signs in to servers for a model. */
export interface SignIns {
  /** Has the user sign in, and brings the server's tools in. Rejects only when `signal` aborts. */
  signIn(server: SignInServer, signal: AbortSignal): Promise<SignInAnswer>;
  /** Brings the tools of a server in that somebody has signed in to; one at a time. */
  bringTools(serverId: string): Promise<void>;
  /** Forgets what was begun for a server that is gone. */
  forget(serverId: string): void;
}

const mostNames = 100;
// A page that ends before the user has read the answer is of no use.
const leastPageMs = 30_000;

/** Makes sign-ins. `closing` ends what is under way. */
export function createSignIns(settings: AuthenticateSettings, closing: AbortSignal): SignIns {
  const { oauth, provider, principal, clock } = settings;
  const bringing = new Map<string, Promise<void>>();
  const pages = new Map<string, PendingAuthorization>();

  const bringTools = (serverId: string): Promise<void> => {
    pages.delete(serverId);
    const known = bringing.get(serverId);
    if (known !== undefined) return known;
    const work = provider.refreshServer(serverId, { signal: closing }).finally(() => bringing.delete(serverId));
    // Whoever waits for it is answered; nobody has to.
    work.catch(() => {});
    bringing.set(serverId, work);
    return work;
  };
  const describeTools = (serverId: string): string => {
    const names = provider.routes().flatMap((route) => (route.serverId === serverId ? route.name : []));
    if (names.length === 0) return "The server has no tools on offer.";
    const more = names.length > mostNames ? [`and ${names.length - mostNames} more`] : [];
    return [
      `Its tools are available now:`,
      ...names
        .sort()
        .slice(0, mostNames)
        .map((name) => `- ${name}`),
      ...more,
    ].join("\n");
  };
  /** For a host that shows users no pages itself. */
  const begin = async ({ serverId, title }: SignInServer, signal: AbortSignal): Promise<SignInAnswer> => {
    const known = pages.get(serverId);
    const isFresh = known !== undefined && known.expiresAt - dateOf(clock) > leastPageMs;
    const page = isFresh ? known : await oauth.begin(serverId, { principal, signal });
    pages.set(serverId, page);
    return {
      text: `The user has to sign in to ${quoteTitle(title)} themselves. Show them this URL as it is, and wait until they say that they are done:\n${page.url.href}\nThe server's tools are available then.`,
      isError: false,
    };
  };
  const authorize = async (server: SignInServer, signal: AbortSignal): Promise<SignInAnswer | undefined> => {
    try {
      await oauth.authorize(server.serverId, { principal, signal });
      return undefined;
    } catch (error) {
      if (!isToolportError(error, "unsupported_operation")) throw error;
    }
    return begin(server, signal);
  };

  return {
    bringTools,
    forget(serverId) {
      pages.delete(serverId);
      // It is for what a user may still come back from; there is mostly nothing.
      oauth.cancel(serverId, { principal }).catch(() => {});
    },
    async signIn(server, signal) {
      const title = quoteTitle(server.title);
      try {
        const answer = await untilAborted(authorize(server, signal), signal);
        if (answer !== undefined) return answer;
      } catch (error) {
        signal.throwIfAborted();
        const text = `The user is not signed in to ${title}: ${describe(error)}. Call the tool again only if the user wants to try again.`;
        return { text, isError: true };
      }
      try {
        await untilAborted(bringTools(server.serverId), signal);
      } catch (error) {
        signal.throwIfAborted();
        const text = `The user is signed in to ${title}, but its tools could not be listed: ${describe(error)}.`;
        return { text, isError: true };
      }
      return { text: `The user is signed in to ${title}. ${describeTools(server.serverId)}`, isError: false };
    },
  };
}

// Messages of this project hold no secret; those of others may.
function describe(error: unknown): string {
  if (!isToolportError(error)) return "the host failed";
  return `${error.rawMessage} (${error.code})`;
}
