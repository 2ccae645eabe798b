import type { JsonObject, JsonValue } from "@hostside/core";
import type { Gateway } from "@hostside/gateway";

/** A client that sends what it is given, message by message. */
export interface RawClient extends AsyncDisposable {
  /** Everything that came, in order. */
  readonly received: JsonObject[];
  send(message: JsonValue): void;
  /** Sends a request; resolves with the whole response. */
  request(method: string, params?: JsonObject, id?: string | number): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): void;
  /** Resolves with the first message, of those that came or will, that is such a one. */
  next(fits: (message: JsonObject) => boolean): Promise<JsonObject>;
  /** Takes nothing more. */
  stall(): void;
}

/** The `_meta` of 2026-07-28. */
export function envelope(capabilities: JsonObject = {}): JsonObject {
  return {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  };
}

/** Connects over a pipe in this process. */
export function connectRaw(gateway: Gateway): RawClient {
  const received: JsonObject[] = [];
  const waiting = new Set<{
    readonly fits: (message: JsonObject) => boolean;
    readonly settle: (message: JsonObject) => void;
  }>();
  let isStalled = false;
  let lastId = 0;
  const connection = gateway.connect((text) => {
    if (isStalled) return false;
    const message = JSON.parse(text) as JsonObject;
    received.push(message);
    for (const one of Array.from(waiting)) {
      if (!one.fits(message)) continue;
      waiting.delete(one);
      one.settle(message);
    }
    return true;
  });
  const client: RawClient = {
    received,
    send: (message) => connection.receive(JSON.stringify(message)),
    request(method, params = {}, id = `id-${(lastId += 1)}`) {
      const answered = client.next((message) => message["id"] === id && message["method"] === undefined);
      client.send({ jsonrpc: "2.0", id, method, params });
      return answered;
    },
    notify: (method, params) => client.send({ jsonrpc: "2.0", method, ...(params && { params }) }),
    next(fits) {
      const known = received.find(fits);
      if (known !== undefined) return Promise.resolve(known);
      return new Promise((settle) => waiting.add({ fits, settle }));
    },
    stall() {
      isStalled = true;
    },
    [Symbol.asyncDispose]: () => connection.close("test over"),
  };
  return client;
}

/** Connects, and begins a session in this revision. */
export async function connectSession(
  gateway: Gateway,
  {
    capabilities = {},
    revision = "2025-11-25",
  }: { readonly capabilities?: JsonObject; readonly revision?: string } = {},
): Promise<RawClient & { readonly hello: JsonObject }> {
  const client = connectRaw(gateway);
  const params = { protocolVersion: revision, capabilities, clientInfo: { name: "raw", version: "1" } };
  const answer = await client.request("initialize", params);
  client.notify("notifications/initialized");
  return { ...client, hello: answer["result"] as JsonObject };
}

/** A method of what came. */
export function isMethod(method: string): (message: JsonObject) => boolean {
  return (message) => message["method"] === method;
}
