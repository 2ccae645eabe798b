import type { Recorder } from "@hostside/conformance/replay";
import type { HostParts } from "../../create-host.ts";
import { loadKit } from "../load-kit.ts";
import { usageError } from "../exit-codes.ts";

/** A host, and what is recorded of what it says with servers. */
export interface Recorded extends HostParts {
  /** Closes the host, then ends the recording, whatever the first one fails with. */
  readonly close: () => Promise<void>;
}

/**
 * Opens a host whose conversations with servers go into the file of `--record`, if there is one.
 * Messages before a failure are recorded as well. Throws a usage error for a file that cannot be
 * written, before anything starts, and what `open` throws.
 */
export async function openRecorded(
  file: string | undefined,
  open: (effects: Recorder["effects"] | undefined) => Promise<HostParts>,
): Promise<Recorded> {
  const recorder = await openRecorder(file);
  try {
    const parts = await open(recorder?.effects);
    return {
      ...parts,
      async close() {
        try {
          await parts.host.close();
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
  const { createRecorder } = await loadKit("--record", () => import("@hostside/conformance/replay"));
  try {
    return createRecorder({ to: file });
  } catch (error) {
    const why = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw usageError(`--record ${file}: ${why instanceof Error ? why.message : String(why)}`);
  }
}
