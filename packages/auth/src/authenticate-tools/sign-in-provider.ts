import type { AdmissionServer, Event, HostsideErrorCode } from "@hostside/core";

/** What is known of one server: the part of a provider's status that counts here. */
export interface SignInStatus {
  readonly id: string;
  /**
   * Such as `needs-auth`, `connecting` or `ready`; `removed` in the last event of a registration.
   */
  readonly state: string;
  /** As its spec has it: `oauth` for a server that can be signed in to. */
  readonly auth?: string | undefined;
  /** Why it is not ready. */
  readonly error?: { readonly code: HostsideErrorCode } | undefined;
}

/** What signing in needs of a provider; the one of `@hostside/provider` is such a provider. */
export interface SignInProvider {
  statuses(): readonly SignInStatus[];
  /** The tools on offer. */
  routes(): readonly { readonly name: string; readonly serverId: string }[];
  has(name: string): boolean;
  /** In the host's own words. */
  describeServer?(serverId: string): Pick<AdmissionServer, "title"> | undefined;
  /**
   * Connects to a server and lists its tools. Rejects with what that failed with. `signal` ends the
   * wait.
   */
  refreshServer(id: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<void>;
  readonly onStatusChanged: Event<SignInStatus>;
  readonly onToolsChanged: Event<unknown>;
  readonly closed: boolean;
  /** Fires once, when it is closed. */
  readonly onClosed: Event<undefined>;
}
