import { compareText, isJsonObject } from "@hostside/core/implement";
import type { ServerSpec } from "@hostside/core";
import type { AuthParts } from "../auth-parts.ts";
import type { SignedIn } from "../oauth.ts";
import { settleInTurns } from "../settle-in-turns.ts";
import type { CredentialKey } from "../store/credential-store.ts";
import { sameIssuer, toSignedIn } from "../tokens/authorizations.ts";
import { readStoredAccount } from "../tokens/read-stored-account.ts";

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
