import { HostsideError, type Cancel } from "@hostside/core";
import { clock, assertKnownOptions, formatMs, quoteText, settleWithin, type Fields } from "@hostside/core/implement";
import { createHash, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { RedirectExpectation, RedirectListener, RedirectReceiver } from "../oauth-options.ts";
import { showPage, type CallbackPage } from "./callback-page.ts";
import {
  nodeErrorCodeOf,
  openCallbackServer,
  placeOf,
  type CallbackRequest,
  type CallbackServer,
  type RedirectPlace,
} from "./callback-server.ts";

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
  const { redirectUri: configured = "http://127.0.0.1/callback", timeoutMs = 120_000 } = options;
  if (!(Number.isSafeInteger(timeoutMs) && timeoutMs > 0)) {
    throw new TypeError(`${owner}: timeoutMs must be a whole number of milliseconds, at least 1`);
  }
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
  /** Listeners that wait; each answers whether a callback was for it. */
  readonly waits: Set<(callback: CallbackRequest) => boolean>;
  users: number;
}

async function openDoor(place: RedirectPlace, preferredPort: number | undefined): Promise<Door> {
  const waits: Door["waits"] = new Set();
  const server = await openCallbackServer(place, preferredPort, (callback) => {
    for (const take of waits) if (take(callback)) return;
    showPage(callback.response, "not-waited-for");
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
  let wanted: Buffer | undefined;
  let held: ServerResponse | undefined;
  let cancelTimer: Cancel = () => {};
  let closing: Promise<void> | undefined;

  const take = ({ url, state, response }: CallbackRequest): boolean => {
    if (wanted === undefined || !timingSafeEqual(wanted, digestOf(state))) return false;
    if (held !== undefined) {
      showPage(response, "answered");
      return true;
    }
    held = response;
    cancelTimer();
    cancelTimer = clock.schedule(longestHeldMs, () => void end("received"));
    resolve(url);
    return true;
  };
  const finish = async (page: CallbackPage): Promise<void> => {
    cancelTimer();
    signal.removeEventListener("abort", onAbort);
    door.waits.delete(take);
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
    giveUp(new HostsideError(`server ${quoteText(serverId)}: ${why}`, { code: "auth_required", serverId, details }));
  };
  signal.addEventListener("abort", onAbort, { once: true });
  door.waits.add(take);
  return {
    redirectUri,
    async receive(state) {
      if (typeof state !== "string" || state === "") throw new TypeError("receive() takes a state that is not empty");
      if (wanted !== undefined) throw new TypeError("receive() may be called once");
      wanted = digestOf(state);
      if (closing === undefined) cancelTimer = clock.schedule(timeoutMs, onTimeout);
      return answer;
    },
    close(how) {
      const message = `server ${quoteText(serverId)}: nobody waits for this sign-in any more`;
      reject(new HostsideError(message, { code: "aborted", serverId }));
      return end(how ?? "received");
    },
  };
}

/** A digest has one length, so that a comparison takes as long for any state. */
function digestOf(state: string): Buffer {
  return createHash("sha256").update(state).digest();
}

function whyNotListening(cause: unknown, { port }: RedirectPlace): string {
  const code = nodeErrorCodeOf(cause);
  const named = `port ${port} of this machine, which the redirect URI has,`;
  if (code === "EADDRINUSE") {
    return port === undefined ? "no port of this machine is free" : `${named} is used by another program`;
  }
  if (code === "EACCES" && port !== undefined) return `${named} may not be used by this program`;
  return `this machine cannot be listened on (${code})`;
}

function signInError(serverId: string, why: string, cause?: unknown): HostsideError {
  const details = { operation: "sign in" };
  return new HostsideError(`server ${quoteText(serverId)}: ${why}`, {
    code: "auth_required",
    serverId,
    details,
    cause,
  });
}
