import type { Cancel, HostsideError } from "@hostside/core";
import {
  clock,
  assertKnownOptions,
  formatMs,
  quoteText,
  readWholeNumber,
  settleWithin,
  type Fields,
} from "@hostside/core/implement";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { serverError } from "../auth-errors.ts";
import type { RedirectExpectation, RedirectListener, RedirectReceiver } from "../oauth-options.ts";
import {
  showPage,
  type CallbackPage,
  openCallbackServer,
  placeOf,
  type CallbackRequest,
  type CallbackServer,
  type RedirectPlace,
} from "./callback-server.ts";
import { errnoCodeOf } from "./private-folder.ts";

/** Options of {@linkcode loopbackRedirect}. */
export interface LoopbackRedirectOptions {
  /**
   * For an authorization server that takes one redirect URI alone, such as
   * `http://localhost:8976/oauth`. Without a port in it, any free one is used. Whatever its host
   * is, only this machine is listened to. Default `http://127.0.0.1/callback`.
   */
  readonly redirectUri?: URL | string | undefined;
  /** The time that a user may take, in milliseconds. Default 120,000. */
  readonly timeoutMs?: number | undefined;
}

const fields: Fields<LoopbackRedirectOptions> = { redirectUri: true, timeoutMs: true };
const listenableUris = "must be an http: URL on 127.0.0.1, localhost or [::1], without user, query and fragment";
// Tokens are there by then, or something is wrong; and a browser must not seem to hang.
const longestHeldMs = 15_000;
const longestFarewellMs = 1000;

/**
 * Listens on this machine for users who come back from an authorization page (RFC 8252, 7.3), and
 * answers them with a page that says how it went: it is sent when the listener is closed with the
 * outcome, or after 15 seconds without one.
 *
 * An answer counts that has the `state` that is waited for; anybody else who comes is answered and
 * changes nothing. Nothing is open unless somebody is waited for; two who wait at one URI share it.
 * Throws a `TypeError` that names an option that cannot be used.
 *
 * @example
 * const redirect = loopbackRedirect({ redirectUri: "http://localhost:8976/oauth" });
 */
export function loopbackRedirect(options: LoopbackRedirectOptions = {}): RedirectReceiver {
  const owner = "loopbackRedirect()";
  assertKnownOptions(owner, options, fields);
  const { redirectUri: configured = "http://127.0.0.1/callback" } = options;
  const timeoutMs = readWholeNumber(options.timeoutMs, `${owner}: timeoutMs`, { least: 1, otherwise: 120_000 });
  const usual = placeOf(configured);
  if (usual === undefined) throw new TypeError(`${owner}: redirectUri ${listenableUris}`);

  const doors = new Map<string, Door>();
  // A port is free again only when the one who had it is gone.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = turn.then(work);
    turn = mine.catch(() => {});
    return mine;
  };
  const enter = async (at: RedirectPlace, preferred: RedirectPlace | undefined): Promise<Door> => {
    const isSame = preferred?.host === at.host && preferred.path === at.path;
    const wanted = at.port === undefined && isSame ? preferred : at;
    const uri = wanted.uri ?? `http://${wanted.host}:${wanted.port}${wanted.path}`;
    const door = doors.get(uri) ?? (await openDoor(at, wanted.port));
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
      const at = redirectUri === undefined ? usual : placeOf(redirectUri);
      if (at === undefined) {
        throw signInError(
          serverId,
          `users cannot be listened for at its redirect URI ${quoteText(redirectUri ?? "")}: ${listenableUris}`,
        );
      }
      const door = await inTurn(() => enter(at, placeOf(preferredUri))).catch((error: unknown) => {
        throw signInError(serverId, `nobody can sign in, because ${whyNotListening(error, at)}`, error);
      });
      const listener = createListener({ ...expected, door, timeoutMs, leave: () => inTurn(() => leave(door)) });
      if (!signal.aborted) return listener;
      await listener.close();
      throw signal.reason;
    },
  };
}

/** Listens at one redirect URI, for everybody who is sent there. */
interface Door {
  readonly server: CallbackServer;
  /** Listeners that wait, by the state that each waits for. */
  readonly waits: Map<string, (callback: CallbackRequest) => void>;
  users: number;
}

async function openDoor(place: RedirectPlace, preferredPort: number | undefined): Promise<Door> {
  const waits: Door["waits"] = new Map();
  const server = await openCallbackServer(place, preferredPort, (callback) => {
    const take = waits.get(callback.state);
    if (take === undefined) showPage(callback.response, "not-waited-for");
    else take(callback);
  });
  return { server, waits, users: 0 };
}

interface ListenerInit extends RedirectExpectation {
  readonly door: Door;
  readonly timeoutMs: number;
  readonly leave: () => Promise<void>;
}

function createListener({ serverId, title, signal, door, timeoutMs, leave }: ListenerInit): RedirectListener {
  const { redirectUri } = door.server;
  let resolve: (url: URL) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const answer = new Promise<URL>((...settle) => ([resolve, reject] = settle));
  // It may never be asked for.
  answer.catch(() => {});
  let wanted = "";
  let held: ServerResponse | undefined;
  let cancelTimer: Cancel = () => {};
  let closing: Promise<void> | undefined;

  const take = ({ url, response }: CallbackRequest): void => {
    if (held !== undefined) return showPage(response, "answered");
    held = response;
    cancelTimer();
    cancelTimer = clock.schedule(longestHeldMs, () => void end("received"));
    resolve(url);
  };
  const finish = async (page: CallbackPage): Promise<void> => {
    cancelTimer();
    signal.removeEventListener("abort", onAbort);
    door.waits.delete(wanted);
    if (held !== undefined && !held.destroyed) {
      const closed = once(held, "close");
      showPage(held, page, title);
      await settleWithin(closed, longestFarewellMs);
    }
    await leave();
  };
  const end = (page: CallbackPage): Promise<void> => (closing ??= finish(page));
  const giveUp = (reason: unknown): void => {
    reject(reason);
    void end("received");
  };
  // Once there is an answer, whoever has it ends this, with the truth for the user.
  const onAbort = (): void => void (held === undefined && giveUp(signal.reason));
  const onTimeout = (): void => {
    const why = `nobody came back from the authorization page to ${redirectUri} within ${formatMs(timeoutMs)}`;
    const details = { operation: "sign in", timeoutMs, reason: "no-answer" } as const;
    giveUp(serverError({ serverId }, why, { code: "auth_required", details }));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return {
    redirectUri,
    async receive(state) {
      wanted = state;
      if (closing === undefined) {
        door.waits.set(state, take);
        cancelTimer = clock.schedule(timeoutMs, onTimeout);
      }
      return answer;
    },
    close(how) {
      reject(serverError({ serverId }, "nobody waits for this sign-in any more", { code: "aborted" }));
      return end(how ?? "received");
    },
  };
}

function whyNotListening(cause: unknown, { port }: RedirectPlace): string {
  const code = errnoCodeOf(cause);
  const named = `port ${port} of this machine, which the redirect URI has,`;
  if (code === "EADDRINUSE") {
    return port === undefined ? "no port of this machine is free" : `${named} is used by another program`;
  }
  if (code === "EACCES" && port !== undefined) return `${named} may not be used by this program`;
  return `this machine cannot be listened on (${code})`;
}

function signInError(serverId: string, why: string, cause?: unknown): HostsideError {
  return serverError({ serverId }, why, { code: "auth_required", details: { operation: "sign in" }, cause });
}
