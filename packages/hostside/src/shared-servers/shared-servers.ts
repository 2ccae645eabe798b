import type { Event, ServerSpec } from "@hostside/core";

/** The servers of a product as they are kept for all of its replicas. */
export interface KeptServers {
  /** 0 where nothing was ever written; one more with every write. */
  readonly revision: number;
  readonly servers: readonly ServerSpec[];
}

/** Options of {@linkcode SharedServers.write}. */
export interface WriteServersOptions {
  /** Of what the change was made of: where somebody else has written since, nothing is written. Default: whatever is there is replaced. */
  readonly expectedRevision?: number | undefined;
}

/** What became of a write. */
export type WrittenServers =
  | { readonly written: true; readonly revision: number }
  /** Somebody else has written since; `kept` is what is there. */
  | { readonly written: false; readonly kept: KeptServers };

/** The servers of a product, for all of its replicas, in the store that they share. Nothing of it has to be closed. */
export interface SharedServers {
  /**
   * What is kept. Rejects as the store does, and with `store_failed` for what a later version of Hostside has written in a format of its own, or is not what was
   * kept there.
   */
  read(): Promise<KeptServers>;
  /**
   * Makes these the servers of all replicas, which apply them within a second where there are `notices`. Rejects, and writes nothing, with `invalid_spec` for a
   * spec that is wrong, needs code, or holds a credential as it is, which the error names; with `duplicate_server`; with `store_failed` and `overloaded` as the store and the
   * lock do. Whether a change was written is unknown where such an error says so: read again.
   */
  write(servers: readonly ServerSpec[], options?: WriteServersOptions): Promise<WrittenServers>;
  /** Fires after a write here, and when another replica has written, or may have. */
  readonly onChanged: Event<undefined>;
}
