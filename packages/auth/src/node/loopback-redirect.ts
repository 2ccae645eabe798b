import { HostsideError } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import type { RedirectReceiver } from "../oauth-options.ts";
import { showPage } from "./callback-page.ts";
import { nodeErrorCodeOf, openCallbackServer, type CallbackServer } from "./callback-server.ts";
import { createRedirectListener, type CallbackWaiter } from "./redirect-listener.ts";
import {
  configuredPlaceOf,
  listenableUris,
  redirectPlaceOf,
  readRedirectOptions,
  uriOf,
  type LoopbackRedirectOptions,
  type RedirectPlace,
} from "./redirect-place.ts";

export type { LoopbackHost, LoopbackRedirectOptions } from "./redirect-place.ts";

/** Listens at one redirect URI, for everybody who is sent there. */
interface Door {
  readonly server: CallbackServer;
  readonly waits: Set<CallbackWaiter>;
  users: number;
}

/**
 * Listens on this machine for users who come back from an authorization page (RFC 8252, 7.3), and
 * answers them with a page that says how it went: it is sent when the listener is closed with the
 * outcome, or after 15 seconds without one.
 *
 * An answer counts that has the `state` that is waited for; anybody else who comes is answered and
 * changes nothing. Nothing is open unless somebody is waited for; two who wait at one URI share it.
 * Throws a `TypeError` that names an option that cannot be used.
 */
export function loopbackRedirect(options: LoopbackRedirectOptions = {}): RedirectReceiver {
  const { place, timeoutMs, clock } = readRedirectOptions(options);
  const doors = new Map<string, Door>();
  let turn: Promise<unknown> = Promise.resolve();

  // A port is free again only when the one who had it is gone.
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work);
    turn = mine.catch(() => {});
    return mine;
  };
  const enter = async (at: RedirectPlace, preferred: RedirectPlace | undefined): Promise<Door> => {
    const isSame = preferred?.host === at.host && preferred.path === at.path;
    const wanted = at.port === undefined && isSame ? preferred : at;
    const door = doors.get(uriOf(wanted, wanted.port)) ?? (await openDoor(at, wanted.port));
    doors.set(door.server.redirectUri, door);
    door.users += 1;
    return door;
  };
  const leave = async (door: Door): Promise<void> => {
    door.users -= 1;
    if (door.users > 0) return;
    doors.delete(door.server.redirectUri);
    await door.server.close();
  };
  return {
    async listen(expected) {
      const { redirectUri, preferredUri, serverId, signal } = expected;
      signal.throwIfAborted();
      const at = redirectUri === undefined ? place : configuredPlaceOf(redirectUri);
      if (at === undefined) throw noPlace(redirectUri, serverId);
      const door = await inTurn(() => enter(at, redirectPlaceOf(preferredUri))).catch((error: unknown) => {
        throw cannotListen(error, { place: at, serverId });
      });
      const listener = createRedirectListener(expected, {
        redirectUri: door.server.redirectUri,
        waits: door.waits,
        timeoutMs,
        clock,
        leave: () => inTurn(() => leave(door)),
      });
      if (!signal.aborted) return listener;
      await listener.close();
      throw signal.reason;
    },
  };
}

async function openDoor(place: RedirectPlace, preferredPort: number | undefined): Promise<Door> {
  const waits = new Set<CallbackWaiter>();
  const server = await openCallbackServer(place, preferredPort, (callback) => {
    for (const wait of waits) if (wait.take(callback)) return;
    showPage(callback.response, "not-waited-for");
  });
  return { server, waits, users: 0 };
}

function noPlace(redirectUri: string | undefined, serverId: string): HostsideError {
  const uri = quoteText(redirectUri ?? "");
  return new HostsideError(
    `server ${quoteText(serverId)}: users cannot be listened for at its redirect URI ${uri}: ${listenableUris}`,
    { code: "auth_required", serverId, details: { operation: "sign in" } },
  );
}

function cannotListen(
  cause: unknown,
  { place, serverId }: { readonly place: RedirectPlace; readonly serverId: string },
): HostsideError {
  const code = nodeErrorCodeOf(cause);
  const port = `port ${place.port} of this machine, which the redirect URI has`;
  const busy = place.port === undefined ? "no port of this machine is free" : `${port}, is used by another program`;
  const why =
    code === "EADDRINUSE"
      ? busy
      : place.port !== undefined && code === "EACCES"
        ? `${port}, may not be used by this program`
        : `this machine cannot be listened on (${code})`;
  return new HostsideError(`server ${quoteText(serverId)}: nobody can sign in, because ${why}`, {
    code: "auth_required",
    serverId,
    details: { operation: "sign in" },
    cause,
  });
}
