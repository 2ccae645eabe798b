import { canonicalJson, quoteText, isJsonObject, storeFailed } from "@hostside/core/implement";
import type { JsonObject } from "@hostside/core";

/** The key of an account. */
type AccountKey = CredentialKey & { readonly kind: "account" };

/** A key as one text: equal for equal keys, different for different ones, whatever is in them. */
export function keyText(key: CredentialKey): string {
  if (key.kind === "client") return canonicalJson([key.kind, key.issuer, key.redirectUri]);
  if (key.kind === "pending") return canonicalJson([key.kind, key.state]);
  return canonicalJson([key.kind, key.serverId, ...(key.principal === undefined ? [] : [key.principal])]);
}

/** The key that {@linkcode keyText} made a text of; `undefined` for any other text. */
export function readKey(text: string): CredentialKey | undefined {
  const parts = parseTexts(text);
  if (parts === undefined) return undefined;
  const [kind, first = "", second] = parts;
  if (kind === "account") return { kind, serverId: first, ...(second === undefined ? {} : { principal: second }) };
  if (kind === "client") return { kind, issuer: first, redirectUri: second ?? "" };
  return kind === "pending" ? { kind, state: first } : undefined;
}

/** Picks the keys of accounts out of texts of keys. */
export function accountsAmong(texts: Iterable<string>): readonly AccountKey[] {
  return Array.from(texts, readKey).filter((key): key is AccountKey => key?.kind === "account");
}

/** Describes a key in words for messages. A `state` is a secret until it was used. */
export function describeKey(key: CredentialKey): string {
  switch (key.kind) {
    case "account": {
      const whose = key.principal === undefined ? "" : ` of ${quoteText(key.principal, 80)}`;
      return `the credentials for ${quoteText(key.serverId, 80)}${whose}`;
    }
    case "client":
      return `the client registration at ${quoteText(key.issuer, 200)}`;
    case "pending":
      return "a sign-in that is under way";
  }
}

function parseTexts(text: string): readonly string[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((part) => typeof part === "string") ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A document as it is kept. */
export interface DocumentEnvelope {
  /** {@linkcode keyText} of its key: where it is kept has only a hash of it. */
  readonly key: string;
  readonly document: JsonObject;
  /** When it is needed no more, in milliseconds since 1970. */
  readonly endsAt?: number | undefined;
}

const version = 1;

/** An envelope as JSON text. */
export function envelopeText(envelope: DocumentEnvelope): string {
  return JSON.stringify({ version, ...envelope });
}

/**
 * Reads the text of {@linkcode envelopeText}. Throws `store_failed` for anything else; `what` says
 * in words what it was to be.
 */
export function readDocumentEnvelope(what: string, text: string): DocumentEnvelope {
  const value = parseObject(text);
  if (value === undefined) throw storeFailed(`${what}: cut off, or not written by Hostside`);
  const found = value["version"];
  if (typeof found === "number" && found > version) {
    throw storeFailed(`${what}: written by a newer version of Hostside (format ${found}; this one reads ${version})`);
  }
  const { key, endsAt, document } = value;
  const isEnvelope = typeof key === "string" && (endsAt === undefined || typeof endsAt === "number");
  if (found !== version || !isEnvelope || !isJsonObject(document))
    throw storeFailed(`${what}: not written by Hostside`);
  return { key, document, endsAt };
}

/** The JSON object that a text is; `undefined` for any other text. */
export function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    // What V8 says of it would quote the text.
    return undefined;
  }
}

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
