import type { JsonValue, Store } from "@toolport/core";
import { sameJson } from "@toolport/core/implement";
import { loadNames } from "@toolport/naming";
import type { McpProvider } from "@toolport/provider";

const key = "toolport:names";

/** The names that tools had when a command ran last, so that they have them again; `undefined` where there are none that can be used. Never rejects. */
export async function readSavedNames(store: Store): Promise<unknown> {
  try {
    const saved = await store.get(key);
    if (saved !== undefined) loadNames(saved);
    return saved;
  } catch {
    // Names are given anew, most of them the same.
    return undefined;
  }
}

/** Keeps the names that tools have now. Rejects with what the store rejects with. */
export async function keepNames(
  provider: Pick<McpProvider, "savedNames">,
  store: Store,
  before: unknown,
): Promise<void> {
  const names = provider.savedNames();
  if (names.servers.length === 0 || sameJson(names, before)) return;
  await store.set(key, names as unknown as JsonValue);
}
