import type { JsonObject } from "@hostside/core";

/**
 * Names of the documents of a {@linkcode CredentialStore}:
 *
 * - `account`: the tokens of one server for one principal, and the authorization server that gave
 *   them.
 * - `client`: how the host is known to one authorization server when it sends users back to this
 *   URI. The client is the product and not the user, so all principals of a store share it.
 * - `pending`: a user who was sent to an authorization page and has not come back yet, by the
 *   `state` that comes back with them.
 */
export type CredentialKey =
  | { readonly kind: "account"; readonly serverId: string; readonly principal?: string | undefined }
  | { readonly kind: "client"; readonly issuer: string; readonly redirectUri: string }
  | { readonly kind: "pending"; readonly state: string };

/**
 * A store of credentials. Each key has one document, which is JSON; a document holds secrets,
 * and a store that writes it anywhere says how it is protected there. Made by
 * `createMemoryCredentials`, `createKeyvCredentials`, and in `@hostside/auth/node` by
 * `createFileCredentials`; a product can write its own.
 */
export interface CredentialStore {
  /**
   * The document; `undefined` when there is none. Rejects with `store_failed` when that cannot be
   * known: what is unreadable, or was written by a newer version, is never taken for absent,
   * because it would be overwritten then.
   */
  load(key: CredentialKey): Promise<JsonObject | undefined>;
  /**
   * Keeps a document in place of the one before; atomic, and durable once resolved. `ttlMs`: how
   * long it is needed, in milliseconds; absent: without an end. Rejects with `store_failed` when it
   * cannot be known that the document is there: who reads next finds it or the one before, and a
   * database that could not be asked for a while may still write it later. Rejects with
   * `store_failed`, too, for work of {@linkcode withLock} that goes on after its turn was lost.
   */
  save(key: CredentialKey, document: JsonObject, ttlMs?: number): Promise<void>;
  /**
   * Forgets a document. Resolves to whether there was one. Rejects with `store_failed`, and then it
   * may still be there, or not.
   */
  clear(key: CredentialKey): Promise<boolean>;
  /** The keys of all accounts, in no order. */
  accounts(): Promise<readonly (CredentialKey & { readonly kind: "account" })[]>;
  /**
   * Does something alone: among all that share what is kept, as far as the store reaches. Not
   * reentrant. `leaseMs` is how long the work may have it; then the next one gets it, and the
   * `signal` that the work was given aborts. A process that stood still meanwhile sees its
   * `signal.aborted` before it does anything more: ask it before what must happen once. Settles as
   * the work does; rejects with `store_failed` or `overloaded` when the turn cannot be had, and
   * then the work did not start. (So may `save` and `clear`, where writers wait for each other.)
   */
  withLock<T>(key: CredentialKey, leaseMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
}

/**
 * The time for which the writer of a document may have its lock, in milliseconds: a read and a
 * write, without a request to anybody.
 */
export const savingMs = 30_000;
