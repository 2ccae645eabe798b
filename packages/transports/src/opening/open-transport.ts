import type * as httpModule from "#http";
import { openStdio } from "#stdio";
import { HostsideError, type AuthorizationFetch, type ServerEntry } from "@hostside/core";
import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import type { AuthorizationFetchOptions } from "../http/http-options.ts";
import { openMemory } from "../memory/open-memory.ts";
import type { ConnectAttempt } from "../handshake/next-attempt.ts";
import type { Transport } from "../message/transport.ts";
import { openCustom } from "../sdk/open-custom.ts";
import type { StdioEffects } from "../stdio/open-stdio.ts";
import type { ConnectionContext } from "./connection-context.ts";
import { assertHttpOptions } from "./connector-options.ts";

/** Opens the transport of one attempt. */
export async function openTransport(
  context: ConnectionContext,
  channel: ConnectAttempt["channel"],
): Promise<Transport> {
  const { spec, serverId, effects } = context;
  if (spec.command !== undefined) {
    // The options of a connector are typed without Node; `openStdio` looks at what a `spawn`
    // returns.
    return openStdio(spec, { ...context, effects: effects as StdioEffects | undefined });
  }
  if (spec.url !== undefined) {
    const { openSse, openStreamableHttp } = await loadHttp(serverId);
    return channel === "sse" ? openSse(spec, context) : openStreamableHttp(spec, context);
  }
  return spec.type === "memory" ? openMemory(spec, context) : openCustom(spec, context);
}

let attempts = 0;

/**
 * Loads the code for HTTP. Throws `unreachable`, which may be retried, when the system is out of
 * open files or memory for now.
 */
export async function loadHttp(serverId: string): Promise<typeof httpModule> {
  try {
    return await import("#http");
  } catch {
    attempts += 1;
    try {
      // A runtime keeps a module that failed to load as failed, under its address; with a query,
      // the address is another one, of the same file.
      const address = `${import.meta.resolve("#http")}?again=${attempts}`;
      return (await import(/* webpackIgnore: true */ /* @vite-ignore */ address)) as typeof httpModule;
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? String(cause.code) : "no reason given";
      // What newer versions of Node say of a package.json that cannot be opened.
      const reason = code === "ERR_INVALID_PACKAGE_CONFIG" ? `most likely EMFILE, told as ${code}` : code;
      throw new HostsideError(
        `server ${JSON.stringify(serverId)}: the code for HTTP could not be loaded; the system may be out of open files or memory (${reason})`,
        { code: "unreachable", serverId, retryable: true, outcome: "not-sent", cause },
      );
    }
  }
}

/**
 * Begins to load the code for HTTP, so that it is there when the first server is wanted. Its
 * failure is told then.
 */
export function preload({ url }: ServerEntry): void {
  if (url !== undefined) import("#http").catch(() => undefined);
}

const optionFields: Fields<AuthorizationFetchOptions> = { ca: true, proxy: true, server: true };

/**
 * Makes a `fetch` that goes the same way as a connector with these options, for
 * `createOAuth({ fetch })`: signing in asks authorization servers for things before there is a
 * connection. It follows no redirect, answers within 30 s and 1 MiB, over `https:` or on this
 * machine alone, and with the headers that OAuth code reads. Like any `fetch` it fails with a
 * `TypeError`, whose cause is the `HostsideError`, or with the reason of its `signal`. Outside of
 * Node it is the global `fetch`.
 *
 * Throws a `TypeError` that names the option that is unknown or of a wrong type.
 *
 * @example
 * const oauth = createOAuth({ fetch: createAuthorizationFetch({ proxy: "environment" }) });
 */
export function createAuthorizationFetch(options: AuthorizationFetchOptions = {}): AuthorizationFetch {
  const owner = "createAuthorizationFetch()";
  assertKnownOptions(owner, options, optionFields);
  assertHttpOptions(owner, options);
  let opening: Promise<AuthorizationFetch> | undefined;
  const open = async (): Promise<AuthorizationFetch> => {
    const { openAuthorizationFetch } = await loadHttp("authorization");
    return openAuthorizationFetch(options);
  };
  return async (url, init) => {
    opening ??= open();
    // What could not be loaded may be there the next time.
    opening.catch(() => (opening = undefined));
    return (await opening)(url, init);
  };
}
