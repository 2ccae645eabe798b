import type { ServerSpec } from "@hostside/core";
import type { McpProvider } from "@hostside/provider";
import type { EndingEntries, PoolEntry, Owner } from "./entry.ts";
import type { CoreSettings } from "./pool-options.ts";
import type { EndOfProvider } from "./provider-pool.ts";
import type { ServerConfig } from "./server-config.ts";

/** What happened to an entry. */
export type Happening =
  | { readonly type: "created" }
  | { readonly type: "create-failed"; readonly error: unknown }
  | { readonly type: "updated" }
  | { readonly type: "update-failed"; readonly error: unknown }
  | { readonly type: "ended"; readonly why: EndOfProvider; readonly reason: string; readonly livedMs: number };

/** What makes a kind of pool: whose providers it has, and who hears of them. */
export interface PoolRules {
  readonly settings: CoreSettings;
  readonly make: (
    owner: Owner,
    servers: readonly ServerSpec[],
    signal: AbortSignal,
  ) => McpProvider | Promise<McpProvider>;
  /** What the provider of an owner is to have. */
  readonly config: (owner: Owner) => ServerConfig;
  /** Whether an owner has a provider although it has no servers. */
  readonly hasEmpty: boolean;
  /** Whether a server has gone over to owners of another kind. */
  readonly hasMoved: (id: string, owner: Owner) => boolean;
  readonly tell: (owner: Owner, what: Happening) => void;
}

/** What the parts of a pool share. */
export interface PoolParts extends PoolRules {
  /** By the id of the owner: those that are made, or ready. */
  readonly entries: Map<string, PoolEntry>;
  readonly ending: EndingEntries;
  /** Every provider that the pool has or had: the end of one must not be that of another. */
  readonly owned: WeakSet<object>;
}
