import type * as Kit from "@toolport/conformance";
import { usageError } from "../usage-error.ts";

/** The conformance kit, as `check` uses it. */
export type ConformanceKit = typeof Kit;

/**
 * Loads the kit, which is installed beside toolport by those who want it: never from the folder that somebody happens to be in, which may be a stranger's. Throws a
 * usage error that says how, where it is not there.
 */
export async function loadKit(
  load: () => Promise<ConformanceKit> = () => import("@toolport/conformance"),
): Promise<ConformanceKit> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw usageError(
      "check needs the conformance kit, which is not installed beside toolport",
      "npm install --save-dev toolport @toolport/conformance, or without installing: npx -p toolport -p @toolport/conformance toolport check",
    );
  }
}

// Something else that the kit imports and that is not there is a fault of the kit's, and no reason to install it.
function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    error.code === "ERR_MODULE_NOT_FOUND" &&
    /'@toolport\/conformance'/.test(error.message)
  );
}
