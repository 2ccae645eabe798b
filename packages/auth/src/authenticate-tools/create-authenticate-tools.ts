import {
  cleanText,
  type ToolDefinition,
  type ToolProvider,
  isHostsideError,
  type AdmissionServer,
  type Event,
  type HostsideErrorCode,
} from "@hostside/core";
import {
  assertKnownOptions,
  createHostTools,
  quoteText,
  type Fields,
  untilAborted,
  clock,
  foldCase,
} from "@hostside/core/implement";
import {
  type NamingStrategy,
  assignNames,
  assertNamingStrategy,
  emptyNames,
  hostsideNaming,
  localNameOf,
  withoutNames,
  withoutServer,
} from "@hostside/naming";
import { isNotShown } from "../auth-errors.ts";
import type { OAuthPrompt } from "../oauth-options.ts";
import type { OAuth, PendingAuthorization } from "../oauth.ts";

/** Options of {@linkcode createAuthenticateTools}. */
export interface AuthenticateToolsOptions {
  readonly oauth: Pick<OAuth, "authorize" | "begin" | "cancel" | "onSignedIn">;
  /** The provider of the servers that are signed in to. */
  readonly provider: SignInProvider;
  /** On whose behalf, as the connections of the provider have it. Default: the host itself. */
  readonly principal?: string | undefined;
  /**
   * Names the tools, as those of the tool `authenticate` of each server. Default `hostsideNaming`,
   * also in place of a strategy that does not show the server.
   */
  readonly naming?: NamingStrategy | undefined;
}

const fields: Fields<AuthenticateToolsOptions> = { oauth: true, provider: true, principal: true, naming: true };
const group = {
  id: "authenticate",
  title: "Signing in",
  description: "MCP servers that the user has to sign in to before their tools can be used",
};

/**
 * Makes the tools by which a model asks for servers to be signed in to, for
 * `createToolbox({ providers })`: one for each server of `auth: "oauth"` that needs the user to
 * sign in, as long as it does. A call signs in by the `prompt` of `createOAuth`, or answers with
 * the URL to show where there is none, and brings the server's own tools in; so does a sign-in that
 * is completed anywhere else. Whatever comes of it is an answer that a model can read: only what
 * the caller ended rejects (`aborted`, `call_timeout`), and wrong use.
 *
 * No tool of the server's is ever taken for one of these, nor the other way around: a name that
 * another tool has is not used. `init()` and `refresh()` start nothing. Closed by `close()`, and
 * with the provider. Throws a `TypeError` that names an option that cannot be used.
 *
 * @example
 * const signIns = createAuthenticateTools({ oauth, provider });
 * const toolbox = createToolbox({ providers: [provider, signIns] });
 */
export function createAuthenticateTools(options: AuthenticateToolsOptions): ToolProvider {
  assertKnownOptions("createAuthenticateTools()", options, fields);
  const { oauth, provider, principal } = options;
  const nameTools = createToolNames(options.naming);
  const {
    provider: tools,
    show,
    closing,
  } = createHostTools(group, () => {
    for (const end of subscriptions) end();
  });
  const signIns = createSignIns(options, closing);
  let offered: readonly string[] = [];

  const follow = (): void => {
    const statuses = provider.statuses();
    const names = nameTools(
      statuses.map(({ id }) => id),
      (name) => provider.has(name),
    );
    offered = statuses.filter(needsSignIn).map(({ id }) => id);
    show(
      offered.map((id) => {
        const title = cleanText(provider.describeServer?.(id)?.title ?? id, 100).replaceAll(/\s+/g, " ");
        const definition = defineTool(id, title, names.get(id) ?? "");
        return {
          definition,
          async run(args, { signal = closing }) {
            const isWrong = Object.keys(args).length > 0;
            const wrong = { text: `${definition.name} takes no arguments: call it with {}.`, isError: true };
            const { text, isError } = isWrong ? wrong : await signIns.signIn(id, JSON.stringify(title), signal);
            return { content: [{ type: "text", text }], isError };
          },
        };
      }),
    );
  };
  const subscriptions = [
    provider.onStatusChanged(({ id, state }) => {
      if (state === "removed") signIns.forget(id);
      follow();
    }),
    provider.onToolsChanged(follow),
    provider.onClosed(() => void tools.close()),
    oauth.onSignedIn(({ serverId, principal: whose }) => {
      if (whose === principal && offered.includes(serverId)) void signIns.bringTools(serverId);
    }),
  ];
  if (provider.closed) void tools.close();
  else follow();
  return tools;
}

// While it is tried again, a server says what its latest attempt failed with.
function needsSignIn({ state, auth, error }: SignInStatus): boolean {
  const wasRefused = error?.code === "auth_required" || error?.code === "forbidden";
  return auth === "oauth" && (state === "needs-auth" || (state === "connecting" && wasRefused));
}

// Nothing in it is the server's.
function defineTool(serverId: string, title: string, name: string): ToolDefinition {
  const which = title === serverId ? "" : ` (${quoteText(serverId)})`;
  const description = [
    `Signs the user in to the MCP server ${JSON.stringify(title)}${which}, whose tools are not available before.`,
    "Call it when the task needs that server. It takes no arguments.",
    "The user is shown a page, or the answer has the URL of one to show them; once they have signed in, the server's tools are available.",
  ].join(" ");
  const definition: ToolDefinition = {
    name,
    title: `Sign in to ${title}`,
    description,
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    effect: "external",
    groupIds: [group.id],
  };
  return Object.freeze(definition);
}

/** The part of a server's status that decides whether somebody has to sign in. */
interface SignInStatus {
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
interface SignInProvider {
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

const mostNames = 100;
const again = "Call the tool again only if the user wants to try again.";
// A page that ends before the user has read the answer is of no use.
const leastPageMs = 30_000;

/** Signs in to servers for a model. `closing` ends what is under way. */
function createSignIns({ oauth, provider, principal }: AuthenticateToolsOptions, closing: AbortSignal) {
  const bringing = new Map<string, Promise<void>>();
  // The pages that a model shows, where the host shows none.
  const pages = new Map<string, Pick<PendingAuthorization, "expiresAt" | "url">>();
  const opening = new Map<string, Promise<URL | undefined>>();

  /** Brings the tools of a server in that somebody has signed in to; one at a time. */
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
    /** Forgets what was begun for a server that is gone. */
    forget(serverId: string) {
      pages.delete(serverId);
      // For what a user may still come back from; mostly there is nothing.
      oauth.cancel(serverId, { principal }).catch(() => {});
    },
    /**
     * Has the user sign in, and brings the server's tools in. Resolves to what a model reads of it.
     * Rejects with the reason of `signal`. `shown`: the server, in the host's own words.
     */
    async signIn(serverId: string, shown: string, signal: AbortSignal) {
      let isSignedIn = false;
      try {
        const page = await untilAborted(authorize(serverId, signal), signal);
        if (page !== undefined) {
          const ask = `The user has to sign in to ${shown} themselves. Show them this URL as it is, and wait until they say that they are done:`;
          return { text: `${ask}\n${page.href}\nThe server's tools are available then.`, isError: false };
        }
        isSignedIn = true;
        await untilAborted(bringTools(serverId), signal);
      } catch (error) {
        signal.throwIfAborted();
        const why = describe(error);
        const text = isSignedIn
          ? `The user is signed in to ${shown}, but its tools could not be listed: ${why}.`
          : `The user is not signed in to ${shown}: ${why}. ${again}`;
        return { text, isError: true };
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

const toolName = "authenticate";

/**
 * The names that the tools of `createAuthenticateTools` will have for these servers, sorted. Give
 * them to `createProvider({ reservedNames })`, so that a server's own tool of that name gets
 * another one; otherwise the tool of this package does. Throws a `TypeError` for a strategy
 * that cannot be used.
 *
 * @example
 * const reservedNames = authenticateToolNames(["tracker"]); // ["mcp_tracker_authenticate"]
 */
export function authenticateToolNames(serverIds: readonly string[], naming?: NamingStrategy): readonly string[] {
  return [...createToolNames(naming)(serverIds, () => false).values()].sort();
}

/**
 * Names one tool for each server, by a strategy that shows the server; by `hostsideNaming` for any
 * other. A server keeps its name as long as it is there. `isTaken`: a tool of somebody else has
 * this name now.
 */
function createToolNames(naming: NamingStrategy = hostsideNaming) {
  assertNamingStrategy(naming);
  const strategy = naming.showServer ? naming : hostsideNaming;
  let names = emptyNames;
  return (serverIds: readonly string[], isTaken: (name: string) => boolean): ReadonlyMap<string, string> => {
    const taken = new Set<string>();
    for (const id of names.servers.keys()) if (!serverIds.includes(id)) names = withoutServer(names, id);
    for (;;) {
      const wanted = serverIds.map((serverId) => ({ serverId, toolName }));
      names = assignNames(wanted, { strategy, previous: names, serverIds, reservedNames: taken }).names;
      const given = new Map(serverIds.map((serverId) => [serverId, localNameOf(names, { serverId, toolName }) ?? ""]));
      const clashing = [...given.values()].filter((name) => !taken.has(foldCase(name)) && isTaken(name));
      if (clashing.length === 0) return given;
      for (const name of clashing) taken.add(foldCase(name));
      names = withoutNames(names, clashing);
    }
  };
}
