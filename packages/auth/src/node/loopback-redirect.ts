import { type Cancel, type HostsideError, cleanText } from "@hostside/core";
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
import type { ServerResponse, IncomingMessage, Server } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { serverError } from "../auth-errors.ts";
import type { RedirectExpectation, RedirectListener, RedirectReceiver } from "../oauth-options.ts";
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
  readonly server: Awaited<ReturnType<typeof openCallbackServer>>;
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

const addresses = {
  "127.0.0.1": ["127.0.0.1"],
  // A browser decides by itself which address `localhost` is: both are listened to, or somebody
  // else could have the other one.
  localhost: ["127.0.0.1", "::1"],
  "[::1]": ["::1"],
} as const;

/** A redirect URI on this machine. */
interface RedirectPlace {
  readonly host: keyof typeof addresses;
  /** `undefined`: any. */
  readonly port: number | undefined;
  readonly path: string;
  /** The whole URI as it was given, if it names a port: it is compared byte for byte. */
  readonly uri: string | undefined;
}

/**
 * The place of a redirect URI on this machine: at any port if it names none (RFC 8252, 7.3).
 * `undefined` for a URI that nobody can listen at.
 */
function placeOf(redirectUri: unknown): RedirectPlace | undefined {
  const text = redirectUri instanceof URL ? redirectUri.href : redirectUri;
  if (typeof text !== "string" || !URL.canParse(text)) return undefined;
  const { protocol, username, password, search, hash, hostname, port, pathname: path } = new URL(text);
  if (protocol !== "http:" || username + password + search + hash !== "" || port === "0") return undefined;
  if (!Object.hasOwn(addresses, hostname)) return undefined;
  const host = hostname as keyof typeof addresses;
  // A URL has no port where it names that of its protocol.
  if (!/^http:\/\/[^/]*:\d+(?:\/|$)/i.test(text)) return { host, port: undefined, path, uri: undefined };
  return { host, port: port === "" ? 80 : Number(port), path, uri: text };
}

/** A user who came back. The one who takes it answers it. */
interface CallbackRequest {
  readonly url: URL;
  readonly state: string;
  readonly response: ServerResponse;
}

const longestHeadMs = 5000;
const longestHeadBytes = 16 * 1024;
const mostPorts = 5;

/**
 * Begins to listen at a place; where it names no port, at `preferredPort` if it can be had.
 * `onCallback` gets each GET of the redirect URI that has one `state`; everything else is answered
 * here. Rejects as `node:net` does.
 */
async function openCallbackServer(
  place: RedirectPlace,
  preferredPort: number | undefined,
  onCallback: (callback: CallbackRequest) => void,
) {
  let uri: URL | undefined;
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const url = uri && readCallback(request, uri);
    if (url === undefined) return showNothing(response);
    const [state, ...others] = url.searchParams.getAll("state");
    if (state === undefined || others.length > 0) showPage(response, "not-waited-for");
    else onCallback({ url, state, response });
  };
  const ports = place.port === undefined ? [preferredPort ?? 0, ...Array<number>(mostPorts - 1).fill(0)] : [place.port];
  const { servers, port } = await listenAt(place.host, ports, () => createQuietServer(onRequest));
  const redirectUri = place.uri ?? `http://${place.host}:${port}${place.path}`;
  uri = new URL(redirectUri);
  return { redirectUri, close: (): Promise<void> => closeAll(servers) };
}

function readCallback({ method, url: target = "", headers }: IncomingMessage, uri: URL): URL | undefined {
  const [path, ...query] = target.split("?");
  // A page of another origin may reach this port under a name of its own (DNS rebinding).
  if (method !== "GET" || path !== uri.pathname || headers.host?.toLowerCase() !== uri.host) return undefined;
  // What a browser loads ahead of time no user has asked for.
  if (/prefetch|prerender/.test(String(headers["sec-purpose"] ?? headers["purpose"] ?? ""))) return undefined;
  const url = new URL(uri);
  url.search = query.join("?");
  return url;
}

/** A server that nobody can keep busy: heads are short, and come at once. */
function createQuietServer(onRequest: (request: IncomingMessage, response: ServerResponse) => void): Server {
  const limits = {
    maxHeaderSize: longestHeadBytes,
    headersTimeout: longestHeadMs,
    requestTimeout: longestHeadMs,
    connectionsCheckingInterval: 1000,
  };
  // Loaded here: with it comes the HTTP client of Node.
  return process.getBuiltinModule("node:http").createServer(limits, onRequest);
}

// At the first of the ports that is free, at all addresses of the host.
async function listenAt(
  host: RedirectPlace["host"],
  [port = 0, ...otherPorts]: readonly number[],
  create: () => Server,
): Promise<{ readonly servers: readonly Server[]; readonly port: number }> {
  const servers: Server[] = [];
  let actual = port;
  try {
    for (const address of addresses[host]) {
      const server = create();
      try {
        actual = await listen(server, address, actual);
        servers.push(server);
      } catch (error) {
        // A machine need not have both addresses.
        if (!/EADDRNOTAVAIL|EAFNOSUPPORT/.test(errnoCodeOf(error)) || servers.length === 0) throw error;
      }
    }
    return { servers, port: actual };
  } catch (error) {
    await closeAll(servers);
    if (otherPorts.length === 0 || !/EADDRINUSE|EACCES/.test(errnoCodeOf(error))) throw error;
    return listenAt(host, otherPorts, create);
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off("error", reject);
      // A later failure is one connection's: with no file descriptors left, the user may try again.
      server.on("error", () => {});
      const address = server.address();
      resolve(typeof address === "object" && address !== null ? address.port : port);
    });
  });
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  const ends = servers.map((server) => new Promise<unknown>((resolve) => server.close(resolve)));
  for (const server of servers) server.closeAllConnections();
  await Promise.all(ends);
  // The system lets go of a server at the end of this turn of the event loop.
  await nextTurn();
  await nextTurn();
}

/**
 * Pages for users who come to a redirect URI: `signed-in` and `failed` how it went;
 * `received` when that is not known; `not-waited-for` an answer that is to no question; `answered`
 * a second answer to the same one.
 */
type CallbackPage = keyof typeof pages;

const headers = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  connection: "close",
};

/**
 * Shows a page, and ends the connection. `title` is what the server is called, in the host's words.
 */
function showPage(response: ServerResponse, page: CallbackPage, title = ""): void {
  const { status, heading: shown, text } = pages[page];
  const heading = shown.replace("TITLE", () => cleanText(title, 100));
  const html = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">',
    `<meta name="color-scheme" content="light dark"><title>${escape(heading)}</title></head>`,
    `<body><main><h1>${escape(heading)}</h1><p>${escape(text)}</p></main></body></html>`,
  ].join("");
  response.writeHead(status, { ...headers, "content-length": Buffer.byteLength(html) }).end(html);
}

/** Says that there is nothing here. */
function showNothing(response: ServerResponse): void {
  response.writeHead(404, { ...headers, "content-type": "text/plain; charset=utf-8" }).end("Nothing is here.");
}

const close = "You can close this window";
const pages = {
  "signed-in": { status: 200, heading: "Signed in to TITLE", text: `${close} and go back to where you came from.` },
  failed: {
    status: 200,
    heading: "Not signed in to TITLE",
    text: `The sign-in did not succeed. ${close}; where you came from it says why.`,
  },
  received: {
    status: 200,
    heading: "Your answer for TITLE has arrived",
    text: `${close}; where you came from you will see how it went.`,
  },
  "not-waited-for": {
    status: 400,
    heading: "This is not the sign-in that is waited for",
    text: "If you have just signed in, go back to where you came from and start again.",
  },
  answered: { status: 409, heading: "Already done", text: `This sign-in has its answer already. ${close}.` },
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
