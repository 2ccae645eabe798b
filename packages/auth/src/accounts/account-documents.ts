import { HostsideError, type JsonObject } from "@hostside/core";
import { clock, quoteText } from "@hostside/core/implement";
import { perAccount, type Account, type AuthParts } from "../account.ts";
import type { AccountOwner } from "../oauth.ts";
import { savingMs, type CredentialKey } from "../store/credential-store.ts";
import { readStoredAccount, withoutAbsent, type StoredAuthorization, toSignedIn } from "./stored-account.ts";

/** An account's authorization as this process knows it. */
export interface HeldAuthorization {
  /** The authorization that the store gave, or got, last. */
  readonly authorization: StoredAuthorization | undefined;
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
  held: HeldAuthorization | undefined;
  unsaved: Unsaved | undefined;
  saving: Promise<void> | undefined;
  /** Counts writes, so that a read that began before one is not taken for newer. */
  writes: number;
}

const memoryOf = perAccount((): Memory => ({ held: undefined, unsaved: undefined, saving: undefined, writes: 0 }));

/** Names an account in the store. */
export function accountKey({ serverId, principal }: Pick<Account, "principal" | "serverId">): CredentialKey & {
  readonly kind: "account";
} {
  return { kind: "account", serverId, principal };
}

/** The authorization that this process read or wrote last, however long ago. */
export function heldAuthorization(account: Account): HeldAuthorization | undefined {
  return memoryOf(account).held;
}

/**
 * Reads the authorization of an account from the store: `undefined` when there is nothing, and when
 * what there is belongs to another server URL. Rejects with `store_failed` when it cannot be read,
 * is malformed or was written by a newer version: then it must not be overwritten either.
 */
export async function readAccount(parts: AuthParts, account: Account): Promise<StoredAuthorization | undefined> {
  const memory = memoryOf(account);
  const { writes } = memory;
  const document = await parts.store.load(accountKey(account));
  const known = withUnsaved(memory, document === undefined ? undefined : usable(account, document));
  if (memory.writes === writes) hold(parts, account, known);
  if (known !== undefined) learn(account, known);
  return known;
}

/** Keeps the authorization of an account. Only for who has the account's lock. */
export async function writeAccount(
  parts: AuthParts,
  account: Account,
  authorization: StoredAuthorization,
): Promise<void> {
  learn(account, authorization);
  // Its members are all JSON.
  const document = { ...authorization, version: 1, serverUrl: account.serverUrl.href };
  await parts.store.save(accountKey(account), withoutAbsent(document));
  const memory = memoryOf(account);
  memory.writes += 1;
  memory.unsaved = undefined;
  parts.unsaved.delete(account);
  hold(parts, account, authorization);
}

/** Remembers an authorization, and tells of a user who signed in or out since the one before. */
function hold(
  { signedIn, signedOut }: AuthParts,
  account: Account,
  authorization: StoredAuthorization | undefined,
): void {
  const memory = memoryOf(account);
  const { held } = memory;
  memory.held = { authorization, readAt: clock.now() };
  if (held === undefined) return;
  if (authorization === undefined && held.authorization !== undefined) signedOut.emit(ownerOf(account));
  if (authorization?.signIn === undefined || authorization.signIn === held.authorization?.signIn) return;
  signedIn.emit(toSignedIn(account, authorization));
}

/** Has what was read last count anew: for a store that does not answer now. */
export function keepHeld(account: Account): StoredAuthorization | undefined {
  const memory = memoryOf(account);
  if (memory.held !== undefined) memory.held = { ...memory.held, readAt: clock.now() };
  return memory.held?.authorization;
}

/**
 * Has this process use an answer that cannot be saved now. The next write of the document saves it.
 */
export function keepUnsaved({ unsaved: accounts }: AuthParts, account: Account, unsaved: Unsaved): void {
  const memory = memoryOf(account);
  accounts.add(account);
  memory.unsaved = unsaved;
  memory.held = { authorization: withUnsaved(memory, memory.held?.authorization), readAt: clock.now() };
}

/** Tells whether there is an answer that could not be saved so far. */
export function hasUnsaved(account: Account): boolean {
  return memoryOf(account).unsaved !== undefined;
}

/**
 * Tries again to save what could not be saved, once for all who try together. Rejects as the store
 * does.
 */
export function saveUnsaved(parts: AuthParts, account: Account): Promise<void> {
  const memory = memoryOf(account);
  const save = async (): Promise<void> => {
    const authorization = await readAccount(parts, account);
    if (authorization !== undefined && hasUnsaved(account)) await writeAccount(parts, account, authorization);
  };
  memory.saving ??= parts.store
    .withLock(accountKey(account), savingMs, save)
    .finally(() => (memory.saving = undefined));
  return memory.saving;
}

/**
 * Tells whether what is stored is what was there before a renewal, so that its answer may take its
 * place; or what somebody left of it who lost a race for it, was refused, and deleted the refresh
 * token: then the answer is the only one.
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
  memory.held = { authorization: undefined, readAt: clock.now() };
  if (existed) signedOut.emit(ownerOf(account));
  return existed;
}

function ownerOf({ serverId, principal }: Account): AccountOwner {
  return { serverId, principal };
}

/**
 * Keeps what somebody who signed in got, in place of what was kept before. Waits for whoever is
 * renewing meanwhile. Resolves to what was kept before. Rejects with `store_failed`, and then
 * nothing has changed.
 */
export function saveAuthorization(
  parts: AuthParts,
  account: Account,
  authorization: StoredAuthorization,
): Promise<StoredAuthorization | undefined> {
  learn(account, authorization);
  return parts.store.withLock(accountKey(account), savingMs, async () => {
    // What cannot be read is not overwritten.
    const before = await readAccount(parts, account);
    await writeAccount(parts, account, authorization);
    return before;
  });
}

function usable(account: Account, document: JsonObject): StoredAuthorization | undefined {
  const read = readStoredAccount(document);
  if (typeof read === "string") throw unreadable(account, read);
  const { version: _, serverUrl, ...authorization } = read;
  return serverUrl === account.serverUrl.href ? authorization : undefined;
}

// Once another answer is stored, or nothing is, it is of no use.
function withUnsaved(memory: Memory, stored: StoredAuthorization | undefined): StoredAuthorization | undefined {
  const { unsaved } = memory;
  if (unsaved !== undefined && stored !== undefined && isStill(stored, unsaved.before)) return unsaved.authorization;
  memory.unsaved = undefined;
  return stored;
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
