import type { Account } from "../account.ts";
import type { AuthParts } from "../auth-parts.ts";
import type { CredentialKey } from "../store/credential-store.ts";
import { savingMs } from "../store/saving-ms.ts";
import { pendingKey, pendingMs } from "./pending-documents.ts";

// What is begun and never completed ends by itself.
const mostBegun = 16;

type Owner = Pick<Account, "principal" | "serverId">;

/**
 * Writes down what was begun for an account, so that it can be cancelled in any process that shares
 * the store.
 */
export async function noteBegun({ store }: Pick<AuthParts, "store">, owner: Owner, state: string): Promise<void> {
  const key = listKey(owner);
  await store.withLock(key, savingMs, async () => {
    const states = [...statesIn(await store.load(key)), state].slice(-mostBegun);
    await store.save(key, { version: 1, states }, pendingMs);
  });
}

/**
 * Forgets all that was begun for an account and not completed. Resolves to whether there was
 * anything.
 */
export async function cancelBegun({ store }: Pick<AuthParts, "store">, owner: Owner): Promise<boolean> {
  const key = listKey(owner);
  return store.withLock(key, savingMs, async () => {
    let existed = false;
    for (const state of statesIn(await store.load(key))) existed = (await store.clear(pendingKey(state))) || existed;
    await store.clear(key);
    return existed;
  });
}

// No answer can have it as its `state`, which is 43 characters long and has no white space.
function listKey({ serverId, principal }: Owner): CredentialKey {
  return pendingKey(`begun by ${JSON.stringify([serverId, principal])}`);
}

function statesIn(document: Awaited<ReturnType<AuthParts["store"]["load"]>>): readonly string[] {
  const states = document?.["states"];
  return Array.isArray(states) ? states.filter((state): state is string => typeof state === "string") : [];
}
