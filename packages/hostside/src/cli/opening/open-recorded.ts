import type { Recorder } from "@hostside/conformance/replay";
import type { HostParts } from "../../create-host.ts";
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
  const { createRecorder } = await loadKit(() => import("@hostside/conformance/replay"));
  try {
    return createRecorder({ to: file });
  } catch (error) {
    const why = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    throw usageError(`--record ${file}: ${why instanceof Error ? why.message : String(why)}`);
  }
}

/**
 * Loads the part of the conformance kit that records. The kit is installed beside hostside by those
 * who want it; it is never loaded from the working folder. Throws a usage error that says how to
 * install it, where it is not there.
 */
export async function loadKit<Part>(load: () => Promise<Part>): Promise<Part> {
  try {
    return await load();
  } catch (error) {
    // What else is not there is a fault of the kit's, and no reason to install it.
    const isMissing = error instanceof Error && "code" in error && error.code === "ERR_MODULE_NOT_FOUND";
    if (!isMissing || !error.message.includes("'@hostside/conformance'")) throw error;
    throw usageError(
      "--record needs the conformance kit, which is not installed beside hostside",
      "npm install --save-dev hostside @hostside/conformance, or without installing: npx -p hostside -p @hostside/conformance hostside --record FILE",
    );
  }
}
