import { formatOf, readParsed, type ConfigResult, type ReadConfigOptions } from "../dialects/read-parsed.ts";
import type { ConfigProblem, ConfigProblemCode } from "../parse/config-problem.ts";
import { loadParser, parseWith } from "../parse/parse-with.ts";
import { join, resolve } from "node:path";
import { isWithin, realPathOf } from "./resolve-paths.ts";
import { constants, type Stats } from "node:fs";
import { open, stat } from "node:fs/promises";

const maxBytes = 10 * 1024 * 1024;

/**
 * Reads the configuration in a file. Never rejects: a file that is not there has no servers and no
 * problems, another one that cannot be read has one.
 *
 * @example
 * const { servers, problems } = await readConfigFile("/srv/app/mcp.json");
 */
export async function readConfigFile(
  path: string,
  options: Omit<ReadConfigOptions, "file"> = {},
): Promise<ConfigResult> {
  const read = await readFileText(path);
  if ("text" in read) return readConfigText(read.text, { ...options, file: path });
  return { servers: [], settings: {}, problems: "problem" in read ? [read.problem] : [] };
}

/** Does what `readConfig()` does with a text, and loads no more than the parser of its format. */
export async function readConfigText(text: string, options: ReadConfigOptions): Promise<ConfigResult> {
  const format = formatOf(options);
  return readParsed(parseWith(await loadParser(format), text, { file: options.file, format }), options);
}

/** The text of a configuration, that there is none, or why it cannot be read. */
export type FileText = { readonly text: string } | { readonly missing: true } | { readonly problem: ConfigProblem };

/** Reads the text of a configuration of at most 10 MiB. Never rejects. */
export async function readFileText(path: string): Promise<FileText> {
  try {
    return { text: await readText(path, maxBytes) };
  } catch (error) {
    const { code, message } = describe(error);
    if (code === "ENOENT" || code === "ENOTDIR") return { missing: true };
    return { problem: fileProblem(path, { code: codes[code] ?? "unreadable_file", message }) };
  }
}

/** A problem of a file as a whole. */
export function fileProblem(
  file: string,
  { code, message, fix }: Pick<ConfigProblem, "code" | "message" | "fix">,
): ConfigProblem {
  return { file, path: "", severity: "error", code, message, ...(fix === undefined ? {} : { fix }) };
}

const codes: Readonly<Record<string, ConfigProblemCode>> = { EFBIG: "too_large", EAGAIN: "changing_file" };

function describe(error: unknown): { readonly code: string; readonly message: string } {
  if (!(error instanceof Error)) return { code: "", message: "cannot be read" };
  const code = "code" in error ? String(error.code) : "";
  return { code, message: `cannot be read: ${error.message}` };
}

/** The contents of files that references name, each read once. */
export interface FileSource {
  /**
   * Relative to the folder of the configuration; `~/` is the user's folder. Rejects as `readText`
   * does, but for one that is not there.
   */
  read(path: string): Promise<string | undefined>;
  /** Resolves a path. */
  resolve(path: string): string;
}

/** The folders of a file source, and the texts that were read. */
export interface FileSourceInit {
  readonly folder: string;
  /**
   * A project's folder, without links: a path within it may not lead out of it. Default: any may.
   */
  readonly within?: string | undefined;
  readonly home: string;
  /**
   * By absolute path. The text that a decision was based on is the text that is used, even if the
   * file has changed meanwhile.
   */
  readonly kept: Map<string, Promise<string | undefined>>;
}

/** Files as references of one configuration name them. */
export function createFileSource({ folder, within, home, kept }: FileSourceInit): FileSource {
  const locate = (path: string): string => (/^~[\\/]/.test(path) ? join(home, path.slice(2)) : resolve(folder, path));
  return {
    resolve: locate,
    async read(path) {
      const place = locate(path);
      if (within !== undefined && isWithin(within, place) && !isWithin(within, await realPathOf(place))) {
        throw Object.assign(new Error(path), { code: "it is a link that leads out of the project" });
      }
      const text = kept.get(place) ?? readIfThere(place);
      kept.set(place, text);
      return text;
    },
  };
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readText(path);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

// Opening a pipe without this waits for somebody who writes into it. Windows has no such flag, and
// no such pipes.
const openFlags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/**
 * The text of a file of at most `maxBytes`, as UTF-8. Rejects with the error of the system for one
 * that is not there or not to be read, and with `code: "EFBIG"` for one that is too big. A path
 * that is no file (a directory, a device, a pipe) is never opened.
 */
export async function readText(path: string, maxBytes: number = 1024 * 1024): Promise<string> {
  // To open some devices does something already.
  assertFile(await stat(path), maxBytes);
  const file = await open(path, openFlags);
  try {
    const before = await file.stat();
    assertFile(before, maxBytes);
    // One byte more, to see that there is no more.
    const buffer = Buffer.alloc(before.size + 1);
    let length = 0;
    let bytesRead: number;
    // A read may give less than there is.
    do {
      ({ bytesRead } = await file.read(buffer, length, buffer.length - length, length));
      length += bytesRead;
    } while (bytesRead > 0 && length < buffer.length);
    const { size, mtimeMs } = await file.stat();
    if (length === size && size === before.size && mtimeMs === before.mtimeMs) return buffer.toString("utf8", 0, size);
    throw systemError("EAGAIN", "it changes while it is read");
  } finally {
    await file.close();
  }
}

function assertFile(facts: Stats, maxBytes: number): void {
  if (facts.isDirectory()) throw systemError("EISDIR", "it is a directory");
  if (!facts.isFile()) throw systemError("EINVAL", "it is no file");
  if (facts.size > maxBytes) throw systemError("EFBIG", `it has ${facts.size} bytes; at most ${maxBytes} are read`);
}

function systemError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
