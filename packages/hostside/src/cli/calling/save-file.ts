import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { usageError } from "../usage-error.ts";
import type { ReportedFile } from "./report-outcome.ts";

/** Endings of files whose type has another name. Of others the type itself is the ending. */
const endings = new Map([
  ["jpeg", "jpg"],
  ["mpeg", "mp3"],
  ["plain", "txt"],
  ["markdown", "md"],
  ["gzip", "gz"],
]);

function endingOf(mimeType: string): string {
  const [, type = ""] = /^(?:image|audio|video|text|application)\/(?:x-)?([a-z0-9]{2,8})(?:\+xml)?$/.exec(mimeType) ?? [];
  return type === "" ? "bin" : (endings.get(type) ?? type);
}

const mostTries = 100_000;

/** Where files go. */
export interface SaveTarget {
  /** Absolute. Made when the first file comes. */
  readonly folder: string;
  /**
   * What files are called, before their number; of a tool's local name nothing but letters, digits,
   * `_` and `-` is taken.
   */
  readonly name: string;
}

/**
 * Saves bytes under a name that is free, and resolves to the path. Nothing of it comes from what
 * the server calls the file, its ending is one of a list, and no file is ever written over. Only
 * its user may read it. Rejects with a usage error for a folder that cannot be written to.
 */
export async function saveFile({ data, mimeType }: Omit<ReportedFile, "kind">, target: SaveTarget): Promise<string> {
  const { folder } = target;
  const name = target.name.replaceAll(/[^A-Za-z0-9_-]/g, "_").slice(0, 64) || "result";
  const ending = endingOf(mimeType);
  try {
    await mkdir(folder, { recursive: true });
    for (let number = 1; number <= mostTries; number += 1) {
      const file = join(folder, `${name}-${number}.${ending}`);
      if (await writeNew(file, data)) return file;
    }
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "failed";
    throw usageError(`cannot write to ${folder} (${code})`, "Name another folder by --output DIR.");
  }
  throw usageError(`${folder} is full of files called ${name}`, "Name another folder by --output DIR.");
}

async function writeNew(file: string, data: Uint8Array): Promise<boolean> {
  try {
    await writeFile(file, data, { flag: "wx", mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}
