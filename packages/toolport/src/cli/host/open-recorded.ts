import type { Recorder } from "@toolport/replay";
import type { Toolport } from "../../toolport.ts";
import { usageError } from "../usage-error.ts";

/** A toolport, and what is recorded of what it says with servers. */
export interface Recorded {
  readonly toolport: Toolport;
  /** Closes the toolport, then ends the recording, whatever the first one fails with. */
  readonly close: () => Promise<void>;
}

/**
 * Opens a toolport whose conversations with servers go into the file of `--record`, if there is one. What it came to before it failed is recorded as well. Throws a
 * usage error for a file that cannot be written, before anything starts, and what `open` throws.
 */
export async function openRecorded(
  file: string | undefined,
  open: (effects: Recorder["effects"] | undefined) => Promise<Toolport>,
): Promise<Recorded> {
  const recorder = await openRecorder(file);
  try {
    const toolport = await open(recorder?.effects);
    return {
      toolport,
      async close() {
        try {
          await toolport.close();
        } finally {
          recorder?.close();
        }
      },
    };
  } catch (error) {
    recorder?.close();
    throw error;
  }
}

async function openRecorder(file: string | undefined): Promise<Recorder | undefined> {
  if (file === undefined) return undefined;
  const { createRecorder } = await import("@toolport/replay");
  try {
    return createRecorder({ to: file });
  } catch (error) {
    const why = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw usageError(`--record ${file}: ${why instanceof Error ? why.message : String(why)}`);
  }
}
