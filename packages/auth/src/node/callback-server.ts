import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { showNothing, showPage } from "./callback-page.ts";

const addresses = {
  "127.0.0.1": ["127.0.0.1"],
  // A browser decides by itself which address `localhost` is: both are listened to, or somebody
  // else could have the other one.
  localhost: ["127.0.0.1", "::1"],
  "[::1]": ["::1"],
} as const;

/** Where users are sent back to. */
export interface RedirectPlace {
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
export function placeOf(redirectUri: unknown): RedirectPlace | undefined {
  const text = redirectUri instanceof URL ? redirectUri.href : redirectUri;
  if (typeof text !== "string" || !URL.canParse(text)) return undefined;
  const { protocol, username, password, search, hash, hostname, port, pathname } = new URL(text);
  if (protocol !== "http:" || username + password + search + hash !== "" || port === "0") return undefined;
  if (!Object.hasOwn(addresses, hostname)) return undefined;
  const host = hostname as keyof typeof addresses;
  // A URL has no port where it names that of its protocol.
  if (!/^http:\/\/[^/]*:\d+(?:\/|$)/i.test(text)) return { host, port: undefined, path: pathname, uri: undefined };
  return { host, port: port === "" ? 80 : Number(port), path: pathname, uri: text };
}

/** The redirect URI of a place. */
export function uriOf({ host, path, uri }: RedirectPlace, port: number | undefined): string {
  return uri ?? `http://${host}:${port}${path}`;
}

/** A user who came back. */
export interface CallbackRequest {
  readonly url: URL;
  readonly state: string;
  /** To be answered by whoever takes it. */
  readonly response: ServerResponse;
}

/** Listens on this machine, for one redirect URI. */
export interface CallbackServer {
  readonly redirectUri: string;
  /**
   * Stops listening and cuts what is open. Resolves when the process holds nothing of it any more.
   * Idempotent.
   */
  close(): Promise<void>;
}

// More than a browser opens ahead of time.
const mostIdleSockets = 32;
const longestHeadMs = 5000;
const longestHeadBytes = 16 * 1024;
const mostPorts = 5;

/**
 * Begins to listen at a place; where it names no port, at `preferredPort` if it can be had.
 * `onCallback` gets each GET of the redirect URI that has one `state`; everything else is answered
 * here. Rejects as `node:net` does.
 */
export async function openCallbackServer(
  place: RedirectPlace,
  preferredPort: number | undefined,
  onCallback: (callback: CallbackRequest) => void,
): Promise<CallbackServer> {
  let uri: URL | undefined;
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const callback = uri === undefined ? "nothing" : readCallback(request, uri);
    if (callback === "nothing") showNothing(response);
    else if (callback === "not-waited-for") showPage(response, callback);
    else onCallback({ ...callback, response });
  };
  const { servers, port } = await listenAt(place, preferredPort, () => createQuietServer(onRequest));
  const redirectUri = uriOf(place, port);
  uri = new URL(redirectUri);
  let closing: Promise<void> | undefined;
  return {
    redirectUri,
    close() {
      closing ??= closeAll(servers);
      return closing;
    },
  };
}

function readCallback(
  { method, url: target = "", headers }: IncomingMessage,
  uri: URL,
): Omit<CallbackRequest, "response"> | "nothing" | "not-waited-for" {
  const [path, ...query] = target.split("?");
  // A page of another origin may reach this port under a name of its own (DNS rebinding).
  if (method !== "GET" || path !== uri.pathname || headers.host?.toLowerCase() !== uri.host) return "nothing";
  // What a browser loads ahead of time no user has asked for.
  if (/prefetch|prerender/.test(String(headers["sec-purpose"] ?? headers["purpose"] ?? ""))) return "nothing";
  const url = new URL(uri);
  url.search = query.join("?");
  const [state, ...others] = url.searchParams.getAll("state");
  return state === undefined || others.length > 0 ? "not-waited-for" : { url, state };
}

/**
 * A server that nobody can keep busy: heads are short and come at once, and who says nothing goes
 * first.
 */
function createQuietServer(onRequest: (request: IncomingMessage, response: ServerResponse) => void): Server {
  const idle = new Set<Socket>();
  const server = createServer({
    maxHeaderSize: longestHeadBytes,
    headersTimeout: longestHeadMs,
    requestTimeout: longestHeadMs,
    connectionsCheckingInterval: 1000,
  });
  server.on("connection", (socket) => {
    idle.add(socket);
    socket.on("close", () => idle.delete(socket));
    // The oldest and not the newest, or whoever holds all of them would keep the user out.
    const [oldest] = idle;
    if (idle.size > mostIdleSockets) oldest?.destroy();
  });
  server.on("request", (request, response) => {
    idle.delete(request.socket);
    onRequest(request, response);
  });
  return server;
}

interface Listening {
  readonly servers: readonly Server[];
  readonly port: number;
}

async function listenAt(
  { host, port }: RedirectPlace,
  preferredPort: number | undefined,
  create: () => Server,
): Promise<Listening> {
  if (port !== undefined) return listenOn(host, port, create);
  for (let left = mostPorts; ; left -= 1) {
    try {
      return await listenOn(host, (left === mostPorts ? preferredPort : undefined) ?? 0, create);
    } catch (error) {
      // The preferred one is somebody else's; or, of `localhost`, the same port of its other
      // address.
      if (left <= 1 || !["EADDRINUSE", "EACCES"].includes(nodeErrorCodeOf(error))) throw error;
    }
  }
}

async function listenOn(host: RedirectPlace["host"], wanted: number, create: () => Server): Promise<Listening> {
  const servers: Server[] = [];
  let port = wanted;
  try {
    for (const address of addresses[host]) {
      const server = create();
      try {
        port = await listen(server, address, port);
        servers.push(server);
      } catch (error) {
        // A machine need not have both addresses.
        if (!["EADDRNOTAVAIL", "EAFNOSUPPORT"].includes(nodeErrorCodeOf(error)) || servers.length === 0) throw error;
      }
    }
    return { servers, port };
  } catch (error) {
    await closeAll(servers);
    throw error;
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off("error", reject);
      // What fails from now on is one connection: with no file descriptors left, the user may try
      // again.
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
  // A server says that it is closed before the system has let go of it: that is at the end of this
  // turn of the event loop.
  await nextTurn();
  await nextTurn();
}

/** The code of an error of Node. */
export function nodeErrorCodeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
