import { fileURLToPath } from "node:url";
import type { createProvider } from "@hostside/provider";
import { loadMutant as load } from "../../../../test/load-mutant.ts";
import type { Mutant } from "./mutant.ts";

const src = fileURLToPath(new URL("../../src/", import.meta.url));

/** The provider with one deliberate bug. Throws when a patch does not fit the source any more. */
export async function loadMutant(mutant: Mutant): Promise<typeof createProvider> {
  return (await load<{ readonly createProvider: typeof createProvider }>(src, mutant)).createProvider;
}
