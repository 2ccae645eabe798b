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
    // A UTF-16 unit has at most three bytes.
    const mostBytes = 3 * mostLength;
    if (size > mostBytes) throw recordingError(`${file} is ${size} bytes long; at most ${mostBytes} are read`);
    return parseRecording(await readFile(file, "utf8"), file);
  } catch (error) {
    if (error instanceof Error && "code" in error && "syscall" in error)
      throw recordingError(`${file} cannot be read (${String(error.code)})`, error);
    throw error;
  }
}
