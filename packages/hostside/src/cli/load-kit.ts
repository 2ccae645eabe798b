import { usageError } from "./exit-codes.ts";

/**
 * Loads a part of the conformance kit, which is installed beside hostside by those who want it:
 * never from the folder that somebody happens to be in, which may be a stranger's. `feature` is
 * what needs it. Throws a usage error that says how to install it, where it is not there.
 */
export async function loadKit<Part>(feature: string, load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw usageError(
      `${feature} needs the conformance kit, which is not installed beside hostside`,
      `npm install --save-dev hostside @hostside/conformance, or without installing: npx -p hostside -p @hostside/conformance hostside ${feature}`,
    );
  }
}

// Something else that the kit imports and that is not there is a fault of the kit's, and no reason
// to install it.
function isMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    "code" in error &&
    error.code === "ERR_MODULE_NOT_FOUND" &&
    /'@hostside\/conformance'/.test(error.message)
  );
}
