import { clock } from "@hostside/core/implement";
import type { JsonObject, ServerLog, Subscription, Cancel } from "@hostside/core";
import type { MessageSink, ActiveRequest } from "../message/active-request.ts";
import { notificationMessage, type RequestId } from "../message/json-rpc.ts";
import { metaKeys, reachesLevel } from "../message/meta.ts";
import type { GatewayClient, GatewayConversation } from "../settings/gateway-client.ts";

/** The kind of a change that clients are told of. */
export type ListChangeKind = "tools" | "resources" | "prompts";

/**
 * Which news somebody wants of 2026-07-28.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export interface NewsSubscription {
  readonly id: RequestId;
  readonly kinds: ReadonlySet<ListChangeKind>;
  readonly uris: ReadonlySet<string>;
  readonly sink: MessageSink;
}

/** The notifications to one client. */
export interface PeerNews {
  /**
   * The stream of a client with a session; what it missed of changes is said at once. `undefined`:
   * it has none now.
   */
  setStream(sink: MessageSink | undefined): void;
  readonly stream: MessageSink | undefined;
  /** From this level on it wants lines of logs, for as long as its session lasts. */
  setLogLevel(level: string): void;
  /** The level that was set; `undefined`: it wants none. */
  readonly logLevel: string | undefined;
  changed(kind: ListChangeKind): void;
  updated(uri: string): void;
  listen(listening: NewsSubscription): Subscription | Cancel;
  close(): void;
}

/** Options of {@linkcode createPeerNews}. */
export interface PeerNewsInit {
  readonly client: GatewayClient;
  readonly conversation: GatewayConversation;
  readonly requests: ReadonlySet<ActiveRequest>;
  /** The server that a request is for, as far as that is known. */
  readonly serverOf: (request: ActiveRequest) => string | undefined;
}

const methods: Readonly<Record<ListChangeKind, string>> = {
  tools: "notifications/tools/list_changed",
  resources: "notifications/resources/list_changed",
  prompts: "notifications/prompts/list_changed",
};

// Of a storm of changes a client hears once in so long; it reads the whole list each time.
const quietMs = 50;

/**
 * Follows the conversation: changes are gathered for a moment and said as the gateway's own, never
 * handed on.
 */
export function createPeerNews(init: PeerNewsInit): PeerNews {
  const { client, conversation, requests } = init;
  const listeners = new Set<NewsSubscription>();
  const due = new Set<ListChangeKind>();
  // What was said over the stream that there is: when that ends, nobody knows what of it was read.
  const said = new Set<ListChangeKind>();
  let stream: MessageSink | undefined;
  let logLevel: string | undefined;
  let cancelTimer: Cancel | undefined;

  const say = (): void => {
    cancelTimer = undefined;
    for (const kind of Array.from(due)) {
      for (const { id, kinds, sink } of Array.from(listeners)) {
        if (kinds.has(kind)) sink.send(notificationMessage(methods[kind], stampedWith(id)));
      }
      // A client of a session hears of it when it listens again.
      const isSaid = client.era === "modern" || stream?.send(notificationMessage(methods[kind])) === true;
      if (!isSaid) continue;
      due.delete(kind);
      said.add(kind);
    }
  };
  const changed = (kind: ListChangeKind): void => {
    due.add(kind);
    cancelTimer ??= clock.schedule(quietMs, say);
  };
  const sayLine = ({ source, serverId, level, text }: ServerLog & { readonly serverId: string }): void => {
    if (source !== "notification") return;
    const params = { level, logger: serverId, data: text };
    if (logLevel !== undefined && reachesLevel(level, logLevel)) {
      stream?.send(notificationMessage("notifications/message", params), "spare");
    }
    for (const request of Array.from(requests)) {
      if (request.logLevel === undefined || init.serverOf(request) !== serverId) continue;
      if (reachesLevel(level, request.logLevel)) {
        request.sink.send(notificationMessage("notifications/message", params), "spare");
      }
    }
  };
  const subscriptions = follow(conversation, changed, sayLine);
  return {
    get stream() {
      return stream;
    },
    setStream(sink) {
      if (sink === stream) return;
      for (const kind of said) due.add(kind);
      said.clear();
      stream = sink;
      if (sink !== undefined && due.size > 0) say();
    },
    setLogLevel(level) {
      logLevel = level;
    },
    get logLevel() {
      return logLevel;
    },
    changed,
    updated(uri) {
      const method = "notifications/resources/updated";
      for (const { id, uris, sink } of Array.from(listeners)) {
        if (uris.has(uri)) sink.send(notificationMessage(method, { uri, ...stampedWith(id) }));
      }
      if (client.era === "legacy") stream?.send(notificationMessage(method, { uri }));
    },
    listen(listening) {
      listeners.add(listening);
      return () => listeners.delete(listening);
    },
    close() {
      cancelTimer?.();
      listeners.clear();
      stream = undefined;
      for (const end of subscriptions) end();
    },
  };
}

function follow(
  { tools, resources, onServerLog }: GatewayConversation,
  changed: (kind: ListChangeKind) => void,
  sayLine: (line: ServerLog & { readonly serverId: string }) => void,
): readonly Subscription[] {
  const followed = [tools.onToolsChanged(() => changed("tools"))];
  if (resources !== undefined) {
    followed.push(resources.onResourcesChanged(() => changed("resources")));
    followed.push(resources.onTemplatesChanged(() => changed("resources")));
    followed.push(resources.onPromptsChanged(() => changed("prompts")));
  }
  if (onServerLog !== undefined) followed.push(onServerLog(sayLine));
  return followed;
}

function stampedWith(id: RequestId): JsonObject {
  return { _meta: { [metaKeys.subscriptionId]: id } };
}
