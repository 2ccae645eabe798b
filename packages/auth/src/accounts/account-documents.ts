import { HostsideError, type JsonObject } from "@hostside/core";
import { clock, quoteText } from "@hostside/core/implement";
import { perAccount, type Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { AccountOwner } from "../oauth.ts";
import { savingMs, type CredentialKey } from "../store/credential-store.ts";
import { readStoredAccount, withoutAbsent, type StoredAccount, type StoredAuthorization } from "./stored-account.ts";
import { authorizationOf, currentAuthorization, sameIssuer, toSignedIn, withAuthorization } from "./authorizations.ts";

/** Parts that reading and writing documents needs. */
export type DocumentParts = Pick<AuthParts, "signedIn" | "signedOut" | "store" | "unsaved">;

/** An account's document as this process knows it. */
export interface HeldDocument {
  /** The document that the store gave, or got, last. */
  readonly document: StoredAccount | undefined;
  /** When, by the clock. */
  readonly readAt: number;
}

/**
 * An answer that could not be saved so far: nobody else knows it, and its refresh token has
 * replaced the one that is stored.
 */
export interface Unsaved {
  /** The authorization that was redeemed. */
  readonly before: StoredAuthorization;
  readonly authorization: StoredAuthorization;
}

interface Memory {
  held: HeldDocument | undefined;
  unsaved: Unsaved | undefined;
  saving: Promise<void> | undefined;
  /** Counts writes, so that a read that began before one is not taken for newer. */
  writes: number;
}

const memoryOf = perAccount((): Memory => ({ held: undefined, unsaved: undefined, saving: undefined, writes: 0 }));

/** Under which name the store keeps an account. */
export function accountKey({ serverId, principal }: Pick<Account, "principal" | "serverId">): CredentialKey & {
  readonly kind: "account";
} {
  return { kind: "account", serverId, principal };
}

/** The document that this process read or wrote last, however long ago. */
export function heldDocument(account: Account): HeldDocument | undefined {
  return memoryOf(account).held;
}

/**
 * Reads the document of an account from the store: `undefined` when there is nothing, and when what
 * there is belongs to another server URL. Rejects with `store_failed` when it cannot be read, is
 * malformed or was written by a newer version: then it must not be overwritten either.
 */
export async function readAccount(parts: DocumentParts, account: Account): Promise<StoredAccount | undefined> {
  const memory = memoryOf(account);
  const { writes } = memory;
  const document = await parts.store.load(accountKey(account));
  const known = withUnsaved(memory, document === undefined ? undefined : usable(account, document));
  if (memory.writes === writes) hold(parts, account, known);
  for (const authorization of known?.authorizations ?? []) learn(account, authorization);
  return known;
}

/** Keeps a document of an account. Only for who has the account's lock. */
export async function writeAccount(parts: DocumentParts, account: Account, document: StoredAccount): Promise<void> {
  for (const authorization of document.authorizations) learn(account, authorization);
  // Its members are all JSON.
  await parts.store.save(accountKey(account), withoutAbsent(document));
  const memory = memoryOf(account);
  memory.writes += 1;
  memory.unsaved = undefined;
  parts.unsaved.delete(account);
  hold(parts, account, document);
}

/** Remembers a document, and tells of a user who signed in or out since the one before. */
function hold({ signedIn, signedOut }: DocumentParts, account: Account, document: StoredAccount | undefined): void {
  const memory = memoryOf(account);
  const { held } = memory;
  memory.held = { document, readAt: clock.now() };
  if (held === undefined) return;
  const now = currentAuthorization(document);
  if (now === undefined && held.document !== undefined) signedOut.emit(ownerOf(account));
  if (now?.signIn === undefined || now.signIn === currentAuthorization(held.document)?.signIn) return;
  signedIn.emit(toSignedIn(account, now));
}

/** Has what was read last count anew: for a store that does not answer now. */
export function keepHeld(account: Account): StoredAccount | undefined {
  const memory = memoryOf(account);
  if (memory.held !== undefined) memory.held = { ...memory.held, readAt: clock.now() };
  return memory.held?.document;
}

/**
 * Has this process use an answer that cannot be saved now. Whoever writes the document next saves
 * it.
 */
export function keepUnsaved({ unsaved: accounts }: DocumentParts, account: Account, unsaved: Unsaved): void {
  const memory = memoryOf(account);
  accounts.add(account);
  memory.unsaved = unsaved;
  memory.held = { document: withUnsaved(memory, memory.held?.document), readAt: clock.now() };
}

/** Whether there is an answer that could not be saved so far. */
export function hasUnsaved(account: Account): boolean {
  return memoryOf(account).unsaved !== undefined;
}

/**
 * Tries again to save what could not be saved, once for all who try together. Rejects as the store
 * does.
 */
export function saveUnsaved(parts: DocumentParts, account: Account): Promise<void> {
  const memory = memoryOf(account);
  const save = async (): Promise<void> => {
    const document = await readAccount(parts, account);
    if (document !== undefined && hasUnsaved(account)) await writeAccount(parts, account, document);
  };
  memory.saving ??= parts.store
    .withLock(accountKey(account), savingMs, save)
    .finally(() => (memory.saving = undefined));
  return memory.saving;
}

/**
 * Whether what is stored is what was there before a renewal, so that its answer may take its place;
 * or what somebody left of it who lost a race for it, was refused, and deleted the refresh token:
 * then the answer is the only one.
 */
export function isStill(stored: StoredAuthorization, before: StoredAuthorization): boolean {
  const { accessToken, refreshToken } = stored;
  return accessToken === before.accessToken && (refreshToken === undefined || refreshToken === before.refreshToken);
}

/**
 * Forgets an account in this process and in the store. Only for who has the account's lock.
 * Resolves to whether there was one.
 */
export async function clearAccount({ store, signedOut }: AuthParts, account: Account): Promise<boolean> {
  const existed = await store.clear(accountKey(account));
  const memory = memoryOf(account);
  memory.writes += 1;
  memory.unsaved = undefined;
  memory.held = { document: undefined, readAt: clock.now() };
  if (existed) signedOut.emit(ownerOf(account));
  return existed;
}

function ownerOf({ serverId, principal }: Account): AccountOwner {
  return { serverId, principal };
}

/**
 * Keeps what somebody who signed in got, beside what other authorization servers gave, and has it
 * used from now on. Waits for whoever is renewing meanwhile; what that one got for the same issuer
 * is replaced. Rejects with `store_failed`, and then nothing has changed.
 */
export function saveAuthorization(
  parts: DocumentParts,
  account: Account,
  authorization: StoredAuthorization,
): Promise<void> {
  learn(account, authorization);
  return parts.store.withLock(accountKey(account), savingMs, async () => {
    const document = await readAccount(parts, account);
    await writeAccount(parts, account, withAuthorization(document, account, authorization));
  });
}

/**
 * Replaces one authorization and leaves all else as it is, also which one is in use. Only for who
 * has the account's lock.
 */
export async function replaceAuthorization(
  parts: DocumentParts,
  account: Account,
  { document, authorization }: { readonly document: StoredAccount; readonly authorization: StoredAuthorization },
): Promise<void> {
  await writeAccount(parts, account, replaced(document, authorization));
}

function usable(account: Account, document: JsonObject): StoredAccount | undefined {
  const read = readStoredAccount(document);
  if (typeof read === "string") throw unreadable(account, read);
  return read.serverUrl === account.serverUrl.href ? read : undefined;
}

// Once another answer is stored, or nothing is, it is of no use.
function withUnsaved(memory: Memory, document: StoredAccount | undefined): StoredAccount | undefined {
  const { unsaved } = memory;
  if (unsaved === undefined) return document;
  const stored = authorizationOf(document, unsaved.authorization.issuer);
  if (document !== undefined && stored !== undefined && isStill(stored, unsaved.before)) {
    return replaced(document, unsaved.authorization);
  }
  memory.unsaved = undefined;
  return document;
}

function replaced(document: StoredAccount, authorization: StoredAuthorization): StoredAccount {
  const authorizations = document.authorizations.map((one) =>
    sameIssuer(one.issuer, authorization.issuer) ? authorization : one,
  );
  return { ...document, authorizations };
}

function learn({ secrets }: Account, { accessToken, refreshToken, client, dpopKey }: StoredAuthorization): void {
  for (const secret of [accessToken, refreshToken, client.clientSecret, dpopKey?.["d"]]) {
    if (typeof secret === "string") secrets.learn(secret);
  }
}

function unreadable({ serverId }: Account, why: string): HostsideError {
  return new HostsideError(
    `what is stored for the server cannot be used: ${why}; it was left as it is. Use the release that wrote it, or forget it with clear(${quoteText(serverId)}) and sign in again`,
    { code: "store_failed", serverId, details: { operation: "read credentials" } },
  );
}
