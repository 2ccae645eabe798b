/**
 * A transport of your own: what `open` of a custom spec may return. The `Transport` of both SDK
 * lines is one. The connection sets the three callbacks, then calls `start()`, and owns the
 * transport from then on.
 */
export interface CustomTransport {
  start(): Promise<void>;
  /** Sends one JSON-RPC message; resolves when it is handed on. */
  send(message: unknown, options?: unknown): Promise<void>;
  close(): Promise<void>;
  onmessage?: unknown;
  onclose?: unknown;
  onerror?: unknown;
}

/**
 * An SDK client that is connected already: the other thing that `open` may return. The `Client` of
 * both SDK lines is one. Its own handlers go on to answer the server's requests; the connection
 * owns it and closes it.
 */
export interface CustomClient {
  request(request: never, resultSchema: never, options?: never): Promise<unknown>;
  notification(notification: never): Promise<void>;
  close(): Promise<void>;
  getServerCapabilities(): unknown;
  getServerVersion(): unknown;
  getInstructions(): unknown;
}

/** True for what looks like an SDK client. */
export function isCustomClient(value: unknown): value is CustomClient {
  return hasMethods(value, ["request", "notification", "close", "getServerCapabilities"]);
}

/** True for what looks like an SDK transport. */
export function isCustomTransport(value: unknown): value is CustomTransport {
  return hasMethods(value, ["start", "send", "close"]);
}

function hasMethods(value: unknown, names: readonly string[]): boolean {
  if (typeof value !== "object" || value === null) return false;
  // A class keeps its methods on the prototype, so that they are looked up, not listed.
  return names.every((name) => typeof Reflect.get(value, name) === "function");
}
