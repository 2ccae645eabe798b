import { readFile, stat } from "node:fs/promises";
import { parseRecording, type ParseRecordingOptions } from "./parse-recording.ts";
import { type Recording, recordingError } from "./recorded-event.ts";

/**
 * Reads a recording from a file. Throws `invalid_recording`, as {@linkcode parseRecording} does,
 * and for a file that cannot be read.
 */
export async function readRecording(file: string, options: ParseRecordingOptions = {}): Promise<Recording> {
  const { maxBytes = 64 * 1024 * 1024 } = options;
  try {
    const { size } = await stat(file);
    if (size > maxBytes) throw recordingError(`${file} is ${size} bytes long; at most ${maxBytes} are read`);
    return parseRecording(await readFile(file, "utf8"), { ...options, name: options.name ?? file });
  } catch (error) {
    if (error instanceof Error && "code" in error && "syscall" in error)
      throw recordingError(`${file} cannot be read (${String(error.code)})`, error);
    throw error;
  }
}
