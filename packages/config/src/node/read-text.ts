import { constants } from "node:fs";
import { open } from "node:fs/promises";

// Opening a pipe without this waits for somebody who writes into it. Windows has no such flag, and no such pipes.
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The text of a file of at most `maxBytes`, as UTF-8. Rejects with the error of the system for one that is not there or not to be read,
 * and with `code: "EFBIG"` for one that is too big. What is no file (a directory, a device, a pipe) is never read from.
 */
export async function readText(path: string, maxBytes: number = 1024 * 1024): Promise<string> {
  const file = await open(path, openFlags);
  try {
    const facts = await file.stat();
    if (facts.isDirectory()) throw systemError("EISDIR", "is a directory");
    if (!facts.isFile()) throw systemError("EINVAL", "is no file");
    if (facts.size > maxBytes) throw systemError("EFBIG", `has ${facts.size} bytes; at most ${maxBytes} are read`);
    const buffer = Buffer.alloc(facts.size);
    const { bytesRead } = await file.read(buffer, 0, facts.size, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await file.close();
  }
}

function systemError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
