import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { PendingAuthorization } from "../oauth.ts";
import { pendingKey } from "./pending-documents.ts";

/** What this process began and nobody has completed, so that it can be cancelled. */
export interface BegunAuthorizations {
  add(account: Account, pending: PendingAuthorization): void;
  accountOf(state: string): Account | undefined;
  delete(state: string): void;
  /** Forgets all of an account, in the store too. Resolves to whether there was anything to complete. */
  cancel(isMeant: (account: Account) => boolean): Promise<boolean>;
}

// What is never completed ends in the store by itself.
const mostBegun = 1000;

/** Makes a list of them. */
export function createBegunAuthorizations({ store }: Pick<AuthParts, "store">): BegunAuthorizations {
  const begun = new Map<string, Account>();
  return {
    add(account, { state }) {
      begun.set(state, account);
      for (const oldest of begun.keys()) {
        if (begun.size <= mostBegun) break;
        begun.delete(oldest);
      }
    },
    accountOf: (state) => begun.get(state),
    delete: (state) => void begun.delete(state),
    async cancel(isMeant) {
      let existed = false;
      for (const [state, account] of Array.from(begun)) {
        if (!isMeant(account)) continue;
        begun.delete(state);
        existed = (await store.clear(pendingKey(state))) || existed;
      }
      return existed;
    },
  };
}
