import type { Recorder } from "@toolport/replay";
import { usageError } from "../usage-error.ts";

/** The recorder of `--record`. Throws a usage error for a file that cannot be written. */
export async function openRecorder(file: string | undefined): Promise<Recorder | undefined> {
  if (file === undefined) return undefined;
  const { createRecorder } = await import("@toolport/replay");
  try {
    return createRecorder({ to: file });
  } catch (error) {
    const why = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw usageError(`--record ${file}: ${why instanceof Error ? why.message : String(why)}`);
  }
}
