import type { Event, ServerOperation, ServerRecord } from "@hostside/core";

// What is watched, in the words of whoever has it: nothing here depends on the packages that make
// these.

/** The records of a provider about its servers; an `McpProvider` is one. */
export interface WatchedProvider {
  readonly onServerRecord: Event<ServerRecord>;
  /** Absent: connecting and listing have no spans, and carry no trace context. */
  readonly onServerOperation?: Event<ServerOperation> | undefined;
  readonly onClosed?: Event<undefined> | undefined;
}

/** The events of a policy about its circuits; a `Policy` is one. */
export interface WatchedPolicy {
  readonly onEvent: Event<{ readonly type: string; readonly serverId?: string; readonly toolName?: string }>;
}

/** The counters of resources; a `Resources` is one. */
export interface WatchedResources {
  stats(): {
    readonly servers: readonly {
      readonly serverId: string;
      readonly cacheHits: number;
      readonly cacheMisses: number;
      readonly refusedUris: number;
    }[];
  };
}
