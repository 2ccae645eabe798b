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
import { readText, findConfigFiles, findConfigs } from "@hostside/config/node";
import { realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { userState } from "../../state/user-state.ts";
import type { CommandContext } from "../command-context.ts";
import { usageError } from "../exit-codes.ts";
import { printNotes, printResult, shortPath } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { replaceFile } from "../replace-file.ts";
import type { Terminal } from "../terminal.ts";

/** A `hostside.json` that is to be edited, whether it is there or not. */
export interface ConfigPlace {
  readonly path: string;
  /** `"named"`: by `--config`. */
  readonly scope: "user" | "project" | "named";
}

/** Which of them a command was asked to edit. */
export interface PlaceRequest {
  readonly user?: boolean | undefined;
  readonly project?: boolean | undefined;
}

/**
 * The file that a command edits: the one of `--config`, the project's where that was asked for,
 * else the user's.
 */
export function choosePlace({ terminal, options }: CommandContext, { user, project }: PlaceRequest): ConfigPlace {
  const [named, ...others] = options.config ?? [];
  const own = userPlace(terminal);
  if (user === true && project === true)
    throw usageError("--user and --project are two files", "leave one of them out");
  if (named === undefined) return project === true ? projectPlace(terminal) : own;
  if (others.length > 0) throw usageError("--config names several files, and one is edited");
  if (user === true || project === true)
    throw usageError("--config names a file, and --user and --project another", "leave one of them out");
  const path = resolve(terminal.cwd, named);
  return path === own.path ? own : { path, scope: "named" };
}

/** The user's own, which is read wherever they are. */
function userPlace({ env, home, platform }: Terminal): ConfigPlace {
  const own = findConfigs({ env, home, platform }).find(({ dialect }) => dialect === "hostside");
  if (own === undefined) throw new TypeError("the table of places has one for hostside.json");
  return { path: own.path, scope: "user" };
}

/** The project's: the innermost one that is there, else one in the working folder. */
function projectPlace({ env, home, platform, cwd }: Terminal): ConfigPlace {
  const found = findConfigFiles({ env, home, platform, cwd }).filter(
    // The local one is for what is not shared.
    ({ dialect, scope, path }) => dialect === "hostside" && scope === "project" && !path.endsWith(".local.json"),
  );
  const path = found.at(-1)?.path ?? join(cwd, "hostside.json");
  if (resolve(dirname(path)) === resolve(home))
    throw usageError(`${home} is your own folder, and no project`, "leave --project out");
  return { path, scope: "project" };
}

/** Every `hostside.json` that is read here, the stronger ones last. */
export function ownPlaces({ terminal, options }: CommandContext): readonly ConfigPlace[] {
  const { env, home, platform, cwd } = terminal;
  if (options.config !== undefined) {
    return options.config.map((path) => ({ path: resolve(cwd, path), scope: "named" }));
  }
  return findConfigFiles({ env, home, platform, cwd })
    .filter(({ dialect }) => dialect === "hostside")
    .map(({ path, scope }) => ({ path, scope: scope === "user" ? "user" : "project" }));
}

const leaseMs = 30_000;
const mostTries = 3;
const maxBytes = 10 * 1024 * 1024;

/** A `hostside.json` as it is now. */
export interface CurrentConfig {
  readonly place: ConfigPlace;
  /** `undefined`: it is not there. */
  readonly text: string | undefined;
  /** True if it is not there, or blank. */
  readonly isNew: boolean;
  readonly parsed: ParsedConfig;
  readonly result: ConfigResult;
}

/** A change of a file. */
export interface FileChange {
  readonly edits: readonly ConfigEdit[];
  /**
   * Makes a new file readable by its user alone. Default: unless it is a project's.
   */
  readonly isPrivate?: boolean | undefined;
}

/**
 * Reads a `hostside.json`, asks `plan` what to do to it, and writes it: whole or not at all, and so
 * that no other `hostside` that does the same loses anything. If an editor saves it meanwhile,
 * `plan` is asked again about the new text. A file that is broken, or of another tool, is not
 * touched: a usage error with its place.
 */
export async function changeConfig<T extends FileChange>(
  { terminal }: CommandContext,
  {
    place,
    plan,
  }: {
    readonly place: ConfigPlace;
    readonly plan: (current: CurrentConfig) => T | Promise<T>;
  },
): Promise<{ readonly change: T; readonly isNew: boolean }> {
  const { path: file } = place;
  // A link to a file elsewhere stays one.
  const target = await realpath(file).catch(() => file);
  const work = async (left: number): ReturnType<typeof changeConfig<T>> => {
    const text = await readCurrent(target);
    const current = toCurrent(place, text);
    const change = await plan(current);
    const edited = applyEdits(text, change.edits, file);
    if (edited !== text) {
      const { isPrivate = place.scope !== "project" } = change;
      const isAsBefore = async (): Promise<boolean> => (await readCurrent(target)) === text;
      const isWritten = await replaceFile(target, edited, { mode: isPrivate ? 0o600 : 0o666, isAsBefore });
      if (!isWritten && left > 0) return work(left - 1);
      if (!isWritten) throw usageError(`${file} changes all the time`, "nothing was changed: try again");
    }
    return { change, isNew: current.isNew };
  };
  return userState(terminal).lock.withLock(`config:${target}`, leaseMs, () => work(mostTries));
}

/** The configuration that a file would be with these edits. */
export function previewEdits({ text, place }: CurrentConfig, edits: readonly ConfigEdit[]): ConfigResult {
  return readConfig(applyEdits(text, edits, place.path), { file: place.path, dialect: "hostside" });
}

function applyEdits(text: string | undefined, edits: readonly ConfigEdit[], file: string): string {
  const edited = editConfig(text ?? "", edits, { file });
  if ("problem" in edited) throw brokenFile(formatProblem(edited.problem));
  return edited.text;
}

/** Reads a `hostside.json` to look at it alone. */
export async function readCurrentConfig(place: ConfigPlace): Promise<CurrentConfig> {
  return toCurrent(place, await readCurrent(place.path));
}

/** The value at a path of a file's data; `undefined` if there is none. */
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
  const isNew = (text ?? "").trim() === "";
  const parsed = parseConfig(isNew ? "{}" : (text ?? ""), { format: "json", file });
  const other = otherTool(file, parsed.data);
  if (other !== undefined) {
    throw usageError(
      `${file} is a file of another tool${other}, and is left as it is`,
      "hostside edits hostside.json alone, and imports the others: hostside init",
    );
  }
  const broken = parsed.problems.find(({ severity }) => severity === "error");
  if (broken !== undefined) throw brokenFile(formatProblem(broken));
  return { place, text, isNew, parsed, result: readConfig(text ?? "{}", { file, dialect: "hostside" }) };
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

/**
 * As soon as a user has a `hostside.json`, only such files and what they import are read. So a new
 * one imports what was read until then: no server goes because another one came. Pure.
 */
export function startFile({ text, place }: CurrentConfig): {
  readonly edits: readonly ConfigEdit[];
  readonly notes: readonly string[];
} {
  if (text !== undefined || place.scope !== "user") return { edits: [], notes: [] };
  return {
    edits: [{ path: ["imports"], value: ["auto"] }],
    notes: [`${place.path} is new; "imports": ["auto"] in it keeps the servers of your other tools in use`],
  };
}

/** A change of a server in a file. */
export interface ConfiguredServerChange {
  readonly file: string;
  readonly name: string;
  readonly change: "added" | "replaced" | "removed";
}

/** Prints what was done. Returns the exit code. */
export function reportChange(
  done: ConfiguredServerChange,
  notes: readonly string[],
  { terminal, options }: CommandContext,
): number {
  if (options.json !== true) printNotes(terminal, notes);
  return printResult({ terminal, options }, { changes: [done], notes }, () => {
    const where = terminal.paint("dim", shortPath(done.file, terminal));
    const link = { added: "to", replaced: "in", removed: "from" }[done.change];
    return [`${terminal.paint("name", terminalLine(done.name))} ${done.change} ${link} ${where}`];
  });
}
