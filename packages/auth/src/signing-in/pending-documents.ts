import { HostsideError, type JsonObject } from "@hostside/core";
import { clock } from "@hostside/core/implement";
import type { AuthParts } from "../auth-parts.ts";
import {
  isDate,
  isOptional,
  isString,
  isText,
  isUrl,
  partChecks,
  readDocument,
  withoutAbsent,
  type Checks,
  type StoredClient,
  type StoredMetadata,
} from "../accounts/stored-account.ts";
import { savingMs, type CredentialKey } from "../store/credential-store.ts";
import type { Account } from "../account.ts";

/** The time that the answer of a user is waited for. */
export const pendingMs = 600_000;

/**
 * A user who was sent to an authorization page: all that is needed to redeem what comes back, in
 * whichever process.
 */
export interface PendingDocument {
  readonly serverId: string;
  readonly title: string;
  readonly principal: string | undefined;
  readonly serverUrl: string;
  readonly issuer: string;
  readonly metadata: StoredMetadata;
  /** True if the issuer is one that was published, or the server's own origin in place of one. */
  readonly isPublished: boolean;
  readonly client: StoredClient;
  readonly redirectUri: string;
  readonly verifier: string;
  readonly scope: string | undefined;
  readonly resource: string | undefined;
  readonly dpopKey: JsonObject | undefined;
  /** In milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Names it in the store. */
export function pendingKey(state: string): CredentialKey {
  return { kind: "pending", state };
}

/** Keeps it for as long as the answer is waited for. */
export async function savePending(
  { store }: Pick<AuthParts, "store">,
  state: string,
  document: PendingDocument,
): Promise<void> {
  await store.save(pendingKey(state), { version: 1, ...withoutAbsent(document) }, pendingMs);
}

/**
 * Takes it out, so that nobody else gets it: one of all that share the store. `undefined` when
 * there is none, or its time is over. An error of `check` leaves it where it is.
 */
export function takePending(
  { store }: Pick<AuthParts, "store">,
  state: string,
  check: (document: PendingDocument) => void,
): Promise<PendingDocument | undefined> {
  const key = pendingKey(state);
  return store.withLock(key, savingMs, async (lease) => {
    const found = await store.load(key);
    if (found === undefined) return undefined;
    const document = readDocument(found, pendingChecks);
    if (document === undefined) throw unreadable();
    const isOver = document.expiresAt <= clock.date();
    if (!isOver) check(document);
    // Somebody else may have it by now.
    lease.throwIfAborted();
    const wasThere = await store.clear(key);
    return wasThere && !isOver ? document : undefined;
  });
}

const pendingChecks: Checks<PendingDocument> = {
  ...partChecks,
  serverId: isText,
  title: isString,
  principal: isOptional(isString),
  serverUrl: isUrl,
  isPublished: (value) => typeof value === "boolean",
  redirectUri: isUrl,
  verifier: isText,
  expiresAt: isDate,
};

function unreadable(): HostsideError {
  return new HostsideError(
    "what is stored about the authorization that was begun cannot be used: it is malformed, or a newer release wrote it; begin again",
    { code: "store_failed", details: { operation: "read credentials" } },
  );
}

/**
 * Forgets all that this process began for an account and that was not completed. Resolves to
 * whether there was anything.
 */
export async function cancelBegun(
  { store, begun }: AuthParts,
  { serverId, principal }: Pick<Account, "principal" | "serverId">,
): Promise<boolean> {
  let existed = false;
  for (const one of begun) {
    if (one.serverId !== serverId || one.principal !== principal) continue;
    existed = (await store.clear(pendingKey(one.state))) || existed;
    begun.delete(one);
  }
  return existed;
}
