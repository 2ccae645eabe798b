import type { Event } from "@hostside/core";
import type { HostServerEntry } from "./server-entries.ts";

/** The servers of a product as they are kept for all of its replicas. */
export interface KeptServers {
  /** 0 where nothing was ever written; one more with every write. */
  readonly revision: number;
  /** The entries as they were written, by their names. */
  readonly servers: Readonly<Record<string, HostServerEntry>>;
}

/** Options of {@linkcode SharedServers.write}. */
export interface WriteServersOptions {
  /**
   * The revision that the change was made from. If another write came since, nothing is written.
   * Default: whatever is there is replaced.
   */
  readonly expectedRevision?: number | undefined;
}

/** The outcome of a write. */
export type WrittenServers =
  | { readonly written: true; readonly revision: number }
  /** Somebody else has written since; `kept` is what is there. */
  | { readonly written: false; readonly kept: KeptServers };

/**
 * The servers of a product, for all of its replicas, in the store that they share. Nothing of it
 * has to be closed.
 */
export interface SharedServers {
  /**
   * Reads the kept servers. Rejects as the store does, and with `store_failed` for what a later
   * version of Hostside has written in a format of its own, or is not what was kept there.
   */
  read(): Promise<KeptServers>;
  /**
   * Makes these the servers of all replicas, which apply them within a second where there are
   * `notices`. Takes entries as `servers` of `createHost()` does.
   *
   * Rejects, and writes nothing, with `invalid_spec` for an entry that is wrong, needs code, or
   * holds a credential, which the error names; with `store_failed` and `overloaded` as the store
   * and the lock do. If such an error says that the outcome is unknown, read again.
   *
   * @example
   * await sharedServers.write({ docs: { url: "https://docs.example.com/mcp" } });
   */
  write(servers: Readonly<Record<string, HostServerEntry>>, options?: WriteServersOptions): Promise<WrittenServers>;
  /** Fires after a write here, and when another replica has written, or may have. */
  readonly onChanged: Event<undefined>;
}
