import type {
  CallContext,
  Event,
  HostsideError,
  JsonObject,
  Resource,
  ResourceContents,
  ResourceTemplate,
} from "@hostside/core";

/** Options of one request of {@linkcode ResourceSource}. */
export interface SourceOptions {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
  readonly context?: CallContext | undefined;
  readonly meta?: JsonObject | undefined;
}

/** A server of {@linkcode ResourceSource}. */
export interface SourceServer {
  readonly serverId: string;
  /** As the provider says: `ready`, `down`, `disabled` and so on. */
  readonly state: string;
  /** Says whether it has resources; `undefined` while it has not said so. */
  readonly resources: boolean | undefined;
}

/** A server whose list is missing or incomplete. */
export interface SourceFailure {
  readonly serverId: string;
  readonly error: HostsideError;
}

type SourceListOptions = SourceOptions & { readonly servers: readonly string[] };

/**
 * The part of resources that the tools need. `createResources()` of `@hostside/provider/resources`
 * makes one.
 */
export interface ResourceSource {
  /** Sorted by id. Sends nothing. */
  servers(): readonly SourceServer[];
  /** Fires when `servers()` may have another answer. */
  readonly onServersChanged: Event<undefined>;
  list(options: SourceListOptions): Promise<{
    readonly resources: readonly Resource[];
    readonly failures: readonly SourceFailure[];
  }>;
  listTemplates(options: SourceListOptions): Promise<{
    readonly templates: readonly ResourceTemplate[];
    readonly failures: readonly SourceFailure[];
  }>;
  read(
    target: { readonly serverId: string; readonly uri: string },
    options: SourceOptions,
  ): Promise<{ readonly contents: readonly ResourceContents[] }>;
}
