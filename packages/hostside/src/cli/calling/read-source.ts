import { stat, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { buffer } from "node:stream/consumers";
import { quoteText, untilAborted } from "@hostside/core/implement";
import type { Terminal } from "../terminal.ts";
import { usageError } from "../usage-error.ts";
import type { ReadSource } from "./build-arguments.ts";

const largest = 64 * 1024 * 1024;

/** Reads files relative to the working folder, and stdin (`-`) once. */
export function sourceReader({ stdin, cwd, signal }: Terminal): ReadSource {
  let isStdinRead = false;
  return async (source) => {
    if (source !== "-") return readSmallFile(source, resolve(cwd, source));
    if (isStdinRead) throw usageError("stdin is read once, and is asked for twice");
    isStdinRead = true;
    return untilAborted(buffer(stdin), signal);
  };
}

async function readSmallFile(source: string, file: string): Promise<Uint8Array> {
  const hint = `For the text itself write @@${quoteText(source, 100).slice(1, -1)}`;
  try {
    const { size } = await stat(file);
    if (size > largest) throw usageError(`${quoteText(source, 200)} is larger than 64 MiB`);
    return await readFile(file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    throw usageError(`cannot read ${quoteText(source, 200)} (${String(error.code)})`, hint);
  }
}
