import type { AdmissionServer, Connection, Event, ServerInfo, Subscription } from "@hostside/core";

/** What is known of one server: the part of a provider's status that counts here. */
export interface ResourceServerStatus {
  readonly id: string;
  /** Such as `ready`, `down` or `disabled`; `removed` in the last event of a registration. */
  readonly state: string;
  /** What the server says of itself, of its latest session. Untrusted. */
  readonly server?: ServerInfo | undefined;
}

/** An update of a resource, as a provider reports it. */
export interface ResourceUpdate {
  readonly serverId: string;
  /** The server's: untrusted. */
  readonly uri: string;
  /** The session was away, and changes may have been missed meanwhile. */
  readonly maybeMissed?: true | undefined;
}

/**
 * What resources and prompts need of a provider; the one of `@hostside/provider` is such a
 * provider. Its connections carry the host's layers, so that nothing that is asked here goes around
 * them.
 */
export interface ResourceProvider {
  /** Sorted. */
  serverIds(): readonly string[];
  statuses(): readonly ResourceServerStatus[];
  /** Describes a server in the host's own words. Absent: nothing is read of it but its id. */
  describeServer?(serverId: string): AdmissionServer | undefined;
  /**
   * The live connection of a server, made if there is none; replaced by every reconnect. Rejects
   * with `unknown_server`, `server_disabled`, or what connecting failed with. `signal` ends the
   * wait.
   */
  connection(
    id: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Pick<Connection, "server" | "request">>;
  /**
   * Has `onResourceUpdated` fire for this resource until the subscription ends, over reconnects.
   */
  subscribeResource(
    id: string,
    uri: string,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<Subscription>;
  readonly onStatusChanged: Event<ResourceServerStatus>;
  readonly onResourcesChanged: Event<{ readonly serverId: string }>;
  readonly onPromptsChanged: Event<{ readonly serverId: string }>;
  readonly onResourceUpdated: Event<ResourceUpdate>;
  readonly closed: boolean;
  /** Fires once, when it is closed. */
  readonly onClosed: Event<undefined>;
}
