import { kindOf, untilAborted, compareText, isJsonObject } from "@hostside/core/implement";
import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { Accounts } from "../create-accounts.ts";
import type { SignedIn, SignedOut } from "../oauth.ts";
import { accountKey, clearAccount } from "../accounts/account-documents.ts";
import { signOut } from "./sign-out.ts";
import { savingMs, type CredentialKey } from "../store/credential-store.ts";
import type { ServerSpec } from "@hostside/core";
import { settleInTurns } from "../settle-in-turns.ts";
import { sameIssuer, toSignedIn } from "../accounts/authorizations.ts";
import { readStoredAccount } from "../accounts/stored-account.ts";

/** Whose credentials. */
export interface Leaving {
  readonly serverId: string;
  readonly principal: string | undefined;
}

/** Signs out, and knows who is signed in, whoever signed them in. A signal ends the wait alone. */
export interface SigningOut {
  signOut(who: Leaving, signal: AbortSignal): Promise<SignedOut>;
  clear(who: Leaving): Promise<boolean>;
  list(): Promise<readonly SignedIn[]>;
}

function assertServerId({ serverId }: { readonly serverId: unknown }): void {
  if (typeof serverId !== "string") throw new TypeError(`serverId must be a string, not ${kindOf(serverId)}`);
}

/** Makes what signs out. */
export function createSigningOut(parts: AuthParts, accounts: Accounts): SigningOut {
  // One that no connector has asked about in this process can sign out all the same: the store
  // knows its server.
  const keptAccount = async ({ serverId, principal }: Leaving): Promise<Account | undefined> => {
    const known = accounts.knownAccount(serverId, principal);
    if (known !== undefined) return known;
    const spec = await storedServer(parts, { serverId, principal });
    return spec && accounts.accountOf(spec, principal);
  };
  // Asks nobody, and forgets what is unreadable, too. Alone, so that no renewal is saved
  // afterwards.
  const clear = (who: Leaving): Promise<boolean> => {
    const account = accounts.knownAccount(who.serverId, who.principal);
    return parts.store.withLock(accountKey(who), savingMs, async () => {
      if (account !== undefined) return clearAccount(parts, account);
      const existed = await parts.store.clear(accountKey(who));
      if (existed) parts.signedOut.emit({ serverId: who.serverId, principal: who.principal });
      return existed;
    });
  };
  const leave = async (who: Leaving): Promise<SignedOut> => {
    const account = await keptAccount(who);
    if (account !== undefined) return signOut(parts, account);
    return { existed: await clear(who), revoked: undefined };
  };
  return {
    signOut(who, signal) {
      assertServerId(who);
      return untilAborted(leave(who), signal);
    },
    clear(who) {
      assertServerId(who);
      return clear(who);
    },
    list: () => listAccounts(parts),
  };
}

type AccountKey = CredentialKey & { readonly kind: "account" };

/**
 * What is kept of all accounts, without any secret, sorted by server, principal and issuer. A
 * document that this release cannot read is left out. Rejects with `store_failed`.
 */
export async function listAccounts({ store }: Pick<AuthParts, "store">): Promise<readonly SignedIn[]> {
  const keys = await store.accounts();
  const documents = await settleInTurns(keys, async (key) => ({ key, document: await store.load(key) }));
  return documents
    .flatMap(({ key, document }) => {
      const account = document === undefined ? "" : readStoredAccount(document);
      if (typeof account === "string") return [];
      const { serverUrl, issuer, authorizations } = account;
      const owner = { serverId: key.serverId, principal: key.principal, serverUrl: new URL(serverUrl) };
      return authorizations.map((one) => ({ ...toSignedIn(owner, one), current: sameIssuer(one.issuer, issuer) }));
    })
    .sort(
      (one, other) =>
        compareText(one.serverId, other.serverId) ||
        compareText(one.principal ?? "", other.principal ?? "") ||
        compareText(one.issuer, other.issuer),
    );
}

/**
 * The server of an account that is kept, for one that no connector has asked about; `undefined`
 * when there is none.
 */
export async function storedServer(
  { store }: Pick<AuthParts, "store">,
  { serverId, principal }: Pick<AccountKey, "principal" | "serverId">,
): Promise<ServerSpec | undefined> {
  const document = await store.load({ kind: "account", serverId, principal });
  const url = isJsonObject(document) ? document["serverUrl"] : undefined;
  if (typeof url !== "string" || !URL.canParse(url)) return undefined;
  return { id: serverId, type: "http", url, auth: "oauth" };
}
