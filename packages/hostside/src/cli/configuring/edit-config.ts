import { randomUUID } from "node:crypto";
import { chown, mkdir, open, readlink, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, isAbsolute, resolve } from "node:path";
import { HostsideError } from "@hostside/core";
import { userState } from "../../state/user-state.ts";
import type { Terminal } from "../terminal.ts";
import {
  detectDialect,
  editConfig,
  formatProblem,
  parseConfig,
  readConfig,
  type ConfigData,
  type ConfigEdit,
  type ConfigResult,
  type ParsedConfig,
} from "@hostside/config";
import { readText } from "@hostside/config/node";
import type { CommandContext } from "../command-context.ts";
import { usageError } from "../exit-codes.ts";
import type { ConfigPlace } from "./choose-place.ts";

const leaseMs = 30_000;
const mostLinks = 10;

/** Does something with a file while no other `hostside` on this machine changes it. */
function withFile<T>({ env, home, platform }: Terminal, path: string, work: () => Promise<T>): Promise<T> {
  return userState({ env, home, platform }).lock.withLock(`config:${path}`, leaseMs, work);
}

/**
 * What a path leads to: the target of a link, whether it is there or not, because a link to a file
 * elsewhere is to stay one.
 */
async function resolveLink(path: string, links: number = 0): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const target = await readlink(path).catch(() => undefined);
    if (target === undefined || links === mostLinks) return path;
    return resolveLink(isAbsolute(target) ? target : resolve(dirname(path), target), links + 1);
  }
}

/**
 * Puts a file in the place of the one before: all of it or nothing, with the rights and the owner
 * of that one. A new file is for its user alone where it is `isPrivate`, and a folder that is made
 * for it always. A file that says that nobody writes to it is left alone. Rejects with
 * `store_failed`.
 *
 * `isAsBefore` is asked at the last moment, because no lock keeps an editor from saving; resolves
 * to `false` where nothing was replaced because of it.
 */
async function replaceFile(
  path: string,
  text: string,
  { isPrivate, isAsBefore }: { readonly isPrivate: boolean; readonly isAsBefore: () => Promise<boolean> },
): Promise<boolean> {
  const fresh = `${path}.${randomUUID()}.tmp`;
  try {
    const before = await stat(path).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
    // To rename over it would work all the same, where the folder may be written to.
    if (before !== undefined && (before.mode & 0o200) === 0) throw new Error("it is read-only");
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(fresh, "wx", before === undefined ? (isPrivate ? 0o600 : 0o666) : before.mode & 0o777);
    try {
      if (before !== undefined) await file.chmod(before.mode & 0o777);
      await file.writeFile(text);
      await file.sync();
      const made = await file.stat();
      if (before !== undefined && (made.uid !== before.uid || made.gid !== before.gid)) {
        await chown(fresh, before.uid, before.gid);
      }
    } finally {
      await file.close();
    }
    const isUsed = await isAsBefore();
    if (isUsed) await rename(fresh, path);
    else await rm(fresh);
    return isUsed;
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined);
    const why = error instanceof Error ? error.message : String(error);
    throw new HostsideError(`cannot write ${path}: ${why}; nothing was changed`, {
      code: "store_failed",
      cause: error,
    });
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

const mostTries = 3;
const maxBytes = 10 * 1024 * 1024;

/** A `hostside.json` as it is now. */
export interface CurrentConfig {
  readonly place: ConfigPlace;
  /** `false`: it is not there, and its text is empty. */
  readonly exists: boolean;
  readonly parsed: ParsedConfig;
  readonly result: ConfigResult;
}

/** What is done to a file. */
export interface FileChange {
  readonly edits: readonly ConfigEdit[];
}

/** How a file is changed. */
export interface ChangeInit<T extends FileChange> {
  readonly place: ConfigPlace;
  /** Says what to do to the file as it is. Throws what ends the command. */
  readonly plan: (current: CurrentConfig) => T | Promise<T>;
  /**
   * Looks at what the file would say. What it throws ends the command before anything is written.
   */
  readonly check?: ((after: ConfigResult, change: T) => void | Promise<void>) | undefined;
  /**
   * Asked after the check: whether others may not read a file that is made. Default: of one that is
   * no project's.
   */
  readonly isPrivate?: (() => boolean) | undefined;
  readonly dryRun?: boolean | undefined;
}

/** What became of it. */
export interface ChangedConfig<T extends FileChange> {
  readonly file: string;
  readonly change: T;
  /** Whether the file was not there before. */
  readonly isNew: boolean;
}

/**
 * Reads a `hostside.json`, asks what to do to it, and writes it: whole or not at all, and so that
 * no other `hostside` that does the same loses anything. Where an editor saves it meanwhile, `plan`
 * is asked again about what is there then. A file that is broken, or of another tool, is not
 * touched: a usage error with its place.
 */
export async function changeConfig<T extends FileChange>(
  { terminal }: CommandContext,
  { place, plan, check, isPrivate = () => place.scope !== "project", dryRun = false }: ChangeInit<T>,
): Promise<ChangedConfig<T>> {
  const target = await resolveLink(place.path);
  const work = async (left: number): Promise<ChangedConfig<T>> => {
    const text = await readCurrent(target);
    const current = toCurrent(place, text);
    const change = await plan(current);
    const edited = editConfig(text ?? "", change.edits, { file: place.path });
    if ("problem" in edited) throw brokenFile(formatProblem(edited.problem));
    await check?.(readConfig(edited.text, { file: place.path, dialect: "hostside" }), change);
    if (!dryRun && edited.text !== text) {
      const isAsBefore = async (): Promise<boolean> => (await readCurrent(target)) === text;
      const isWritten = await replaceFile(target, edited.text, { isPrivate: isPrivate(), isAsBefore });
      if (!isWritten && left > 0) return work(left - 1);
      if (!isWritten) throw usageError(`${place.path} changes all the time`, "nothing was changed: try again");
    }
    return { file: place.path, change, isNew: text === undefined };
  };
  return dryRun ? work(0) : withFile(terminal, target, () => work(mostTries));
}

/** Reads a `hostside.json` to look at it alone. */
export async function readCurrentConfig(place: ConfigPlace): Promise<CurrentConfig> {
  return toCurrent(place, await readCurrent(await resolveLink(place.path)));
}

/** What stands at a path of a file's data; `undefined` where there is nothing. */
export function valueAt(data: ConfigData | undefined, path: readonly string[]): ConfigData | undefined {
  return path.reduce<ConfigData | undefined>(
    (value, name) => (value instanceof Map ? (value as ReadonlyMap<string, ConfigData>).get(name) : undefined),
    data,
  );
}

function toCurrent(place: ConfigPlace, text: string | undefined): CurrentConfig {
  const { path: file } = place;
  if (/\.(?:ya?ml|toml)$/i.test(file)) {
    throw usageError(`${file} is no JSON, and hostside edits nothing else`, "nothing was changed");
  }
  if (text?.includes("\uFFFD") === true) {
    throw usageError(`${file} has bytes that are no UTF-8`, "nothing was changed: save it as UTF-8");
  }
  const isBlank = (text ?? "").trim() === "";
  const parsed = parseConfig(isBlank ? "{}" : (text ?? ""), { format: "jsonc", file });
  const other = otherTool(file, parsed.data);
  if (other !== undefined) {
    throw usageError(
      `${file} is a file of another tool${other}, and is left as it is`,
      "hostside edits hostside.json alone, and imports the others: hostside init",
    );
  }
  const broken = parsed.problems.find(({ severity }) => severity === "error");
  if (broken !== undefined) throw brokenFile(formatProblem(broken));
  return { place, exists: text !== undefined, parsed, result: readConfig(text ?? "{}", { file, dialect: "hostside" }) };
}

// Which one, in words. What has nothing in it is nobody's.
function otherTool(file: string, data: ConfigData | undefined): string | undefined {
  const dialect = detectDialect(file, data);
  if (dialect === "hostside" || data === undefined) return undefined;
  if (dialect !== undefined) return ` (${dialect})`;
  return data instanceof Map && data.size === 0 ? undefined : "";
}

async function readCurrent(path: string): Promise<string | undefined> {
  try {
    return await readText(path, maxBytes);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if ("code" in error && error.code === "ENOENT") return undefined;
    throw usageError(`${path} cannot be read: ${error.message}`, "nothing was changed");
  }
}

function brokenFile(problem: string): Error {
  return usageError(problem, "nothing was changed: mend the file first");
}

/** What a file that is not there yet gets before anything else. */
export interface StartedFile {
  readonly edits: readonly ConfigEdit[];
  readonly notes: readonly string[];
}

/**
 * As soon as a user has a `hostside.json`, only such files and what they import are read. So a new
 * one imports what was read until then: no server goes because another one came. Pure.
 */
export function startFile({ exists, place }: CurrentConfig): StartedFile {
  if (exists || place.scope !== "user") return { edits: [], notes: [] };
  return {
    edits: [{ path: ["imports"], value: ["auto"] }],
    notes: [`${place.path} is new; "imports": ["auto"] in it keeps the servers of your other tools in use`],
  };
}
