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
import { usageError } from "../usage-error.ts";
import type { ConfigPlace } from "./choose-place.ts";
import { replaceFile, resolveLink, withFile } from "./write-config.ts";

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
