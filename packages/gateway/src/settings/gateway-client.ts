import type { Event, HostsideError, JsonObject, ProtocolEra, ServerLog } from "@hostside/core";
import type { ToolboxView, ViewOptions } from "@hostside/discovery";
import type { Resources } from "@hostside/provider/resources";

/** A client of the gateway. Everything that it says of itself is untrusted. */
export interface GatewayClient {
  /**
   * Names its conversation: random, in the context of every call, and what
   * {@linkcode Gateway.elicit} finds it by.
   */
  readonly id: string;
  readonly era: ProtocolEra;
  readonly transport: "stdio" | "http";
  /** The principal of its token, as `verifyToken` said; absent where nobody asked. */
  readonly principal?: string;
  /** The name that it gives itself; of each text at most 256 UTF-16 units. */
  readonly info: { readonly name?: string; readonly title?: string; readonly version?: string };
  /** Its capabilities; in 2026-07-28 those of its first request. */
  readonly capabilities: JsonObject;
  /**
   * For the view that it is to see: hand them on, as they are, to `toolbox.view()` or
   * `conversation()`.
   */
  readonly view: Pick<ViewOptions, "allow" | "alwaysHelpers" | "answerSchemas" | "refuseChanged" | "context">;
}

/**
 * The part of a view that a gateway needs; one of `toolbox.view()` has it, and so has a
 * conversation of `hostside`.
 */
export type GatewayTools = Pick<
  ToolboxView,
  "tools" | "compact" | "selection" | "groups" | "has" | "find" | "call" | "onToolsChanged"
> &
  Partial<Pick<ToolboxView, "whenListed">>;

/** The conversation of one client behind the gateway. */
export interface GatewayConversation {
  readonly tools: GatewayTools;
  /**
   * Resources and prompts of the servers; `createResources()` makes such. Default: none are
   * offered.
   */
  readonly resources?: GatewayResources | undefined;
  /**
   * Lines that servers log, for clients that ask for them. Give those alone that this client may
   * read: of a server that it shares with others, a line may be about their calls. Default: logging
   * is not offered.
   */
  readonly onServerLog?: Event<ServerLog & { readonly serverId: string }> | undefined;
  /** Called once, when the client is gone. Waited for, within `limits.closeMs`. */
  readonly close?: ((reason?: string) => unknown) | undefined;
}

/**
 * The part of resources and prompts that a gateway needs. A client with a principal or a role, or
 * one whose request has `_meta`, is shown what a list of its own brings, any other one the
 * snapshot. `createResources()` of `@hostside/provider/resources` makes such a part.
 */
export type GatewayResources = Pick<
  Resources,
  | "list"
  | "listTemplates"
  | "listPrompts"
  | "read"
  | "subscribe"
  | "getPrompt"
  | "complete"
  | "snapshot"
  | "templateSnapshot"
  | "promptSnapshot"
  | "onResourcesChanged"
  | "onTemplatesChanged"
  | "onPromptsChanged"
>;

export type ListOptions = NonNullable<Parameters<Resources["list"]>[0]>;
export type ReadOptions = NonNullable<Parameters<Resources["read"]>[1]>;

/**
 * A report of a gateway about a client, for logs and metrics. Has no text of a client's but its
 * name.
 */
export interface GatewayEvent {
  readonly kind: "client-opened" | "client-closed" | "client-refused" | "request-ended";
  readonly client?: Pick<GatewayClient, "id" | "era" | "transport" | "principal"> | undefined;
  /** The method of a request. */
  readonly method?: string | undefined;
  /** The duration of a request. */
  readonly durationMs?: number | undefined;
  /**
   * Why it was closed or refused, or what a request was answered with: a code of an error, or
   * `"ok"`.
   */
  readonly reason?: string | undefined;
  readonly error?: HostsideError | undefined;
}

/** One request of a client, as it came. */
export interface GatewayRequest {
  readonly method: string;
  /** `_meta` may hold `traceparent`, `tracestate` and `baggage` of the client. */
  readonly params?: JsonObject | undefined;
  readonly requestId?: string | number | undefined;
  readonly protocolVersion?: string | undefined;
  /** `"pipe"` is stdio. */
  readonly transport?: "pipe" | "tcp" | undefined;
}

/**
 * Traces and measures what a gateway does for its clients: what `createServerTelemetry()` of
 * `@hostside/otel` gives is one as it is. Neither member may throw by itself.
 */
export interface GatewayTelemetry {
  /**
   * Handles one request; settles as `work` does. The calls that `work` makes are part of the trace.
   */
  serve<T>(request: GatewayRequest, work: () => Promise<T>): Promise<T>;
  /**
   * A client has a conversation. Called back, with the reason if that was a failure, when it has
   * none any more.
   */
  sessionStarted(session: { readonly transport?: "pipe" | "tcp" | undefined }): (error?: unknown) => void;
}
