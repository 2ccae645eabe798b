import { readFile, stat } from "node:fs/promises";
import { mostLength, parseRecording } from "./parse-recording.ts";
import { recordingError, type Recording } from "./recorded-event.ts";

/**
 * Reads a recording from a file. Throws `invalid_recording`, as {@linkcode parseRecording} does,
 * and for a file that cannot be read.
 */
export async function readRecording(file: string): Promise<Recording> {
  try {
    const { size } = await stat(file);
    if (size > mostLength) throw recordingError(`${file} is ${size} bytes long; at most ${mostLength} are read`);
    return parseRecording(await readFile(file, "utf8"), file);
  } catch (error) {
    if (error instanceof Error && "code" in error && "syscall" in error)
      throw recordingError(`${file} cannot be read (${String(error.code)})`, error);
    throw error;
  }
}
