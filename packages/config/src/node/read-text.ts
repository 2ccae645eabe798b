import { constants } from "node:fs";
import { open, stat, type FileHandle } from "node:fs/promises";

// Opening a pipe without this waits for somebody who writes into it. Windows has no such flag, and
// no such pipes.
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);
const mostAttempts = 3;

/**
 * The text of a file of at most `maxBytes`, as UTF-8. Rejects with the error of the system for one
 * that is not there or not to be read, with `code: "EFBIG"` for one that is too big, and with
 * `code: "EAGAIN"` for one that changes each time that it is read. What is no file (a directory, a
 * device, a pipe) is never opened.
 */
export async function readText(path: string, maxBytes: number = 1024 * 1024): Promise<string> {
  // To open some devices does something already.
  assertFile(await stat(path));
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const file = await open(path, openFlags);
    try {
      const text = await readOnce(file, maxBytes);
      if (text !== undefined) return text;
    } finally {
      await file.close();
    }
  }
  throw systemError("EAGAIN", "it changes while it is read");
}

// `undefined`: it changed meanwhile.
async function readOnce(file: FileHandle, maxBytes: number): Promise<string | undefined> {
  const before = await file.stat();
  assertFile(before);
  if (before.size > maxBytes) throw systemError("EFBIG", `it has ${before.size} bytes; at most ${maxBytes} are read`);
  // One more, to see that there is no more.
  const buffer = Buffer.alloc(before.size + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await file.read(buffer, length, buffer.length - length, length);
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  const after = await file.stat();
  if (length !== before.size || after.size !== before.size || after.mtimeMs !== before.mtimeMs) return undefined;
  return buffer.toString("utf8", 0, length);
}

function assertFile(facts: { isDirectory(): boolean; isFile(): boolean }): void {
  if (facts.isDirectory()) throw systemError("EISDIR", "it is a directory");
  if (!facts.isFile()) throw systemError("EINVAL", "it is no file");
}

function systemError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
