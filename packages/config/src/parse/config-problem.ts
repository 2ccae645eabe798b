import { formatPath, type ConfigPath, type ConfigData } from "./config-data.ts";

/** The codes of problems, as a closed list. Branch on these, never on a message. */
export type ConfigProblemCode =
  // The file.
  | "unreadable_file"
  | "too_large"
  | "too_deep"
  | "too_many_entries"
  | "too_many_problems"
  | "empty_file"
  | "other_dialect"
  | "unknown_dialect"
  // Its text.
  | "invalid_syntax"
  | "duplicate_key"
  | "cyclic_alias"
  // Its entries.
  | "unknown_key"
  | "wrong_type"
  | "missing_field"
  | "conflicting_fields"
  | "unknown_transport"
  | "untyped_url"
  | "out_of_range"
  | "unsupported"
  | "invalid_id"
  | "ids_alike"
  | "outside_root"
  | "relative_path"
  | "missing_rm"
  // What references in it stand for, and what is made of it.
  | "unset_variable"
  | "not_expanded"
  | "unreadable_reference"
  | "missing_input"
  | "invalid_spec"
  // Several files together.
  | "missing_file"
  | "changing_file"
  | "untrusted_server"
  | "untrusted_setting"
  | "import_failed";

/**
 * Something in a configuration that is wrong, or that is not as its author may think. A value:
 * nothing here throws it.
 */
export interface ConfigProblem {
  /** As it was handed over; absent where the configuration was no file. */
  readonly file?: string | undefined;
  /** From 1. */
  readonly line?: number | undefined;
  /** From 1, in UTF-16 units; a byte order mark does not count. */
  readonly column?: number | undefined;
  /** The path in the data: `mcpServers.github.env.TOKEN`; `""` for the whole. */
  readonly path: string;
  /**
   * `"error"`: what it is about is not used: a server, a setting, all of the file. `"warning"`: it
   * is used.
   */
  readonly severity: "error" | "warning";
  readonly code: ConfigProblemCode;
  /** The problem in words. Never the value of a variable, a file or an input. */
  readonly message: string;
  /** The remedy. */
  readonly fix?: string | undefined;
  /** The server that it costs, or that it is about. */
  readonly serverId?: string | undefined;
}

/**
 * A problem as one line, as compilers write theirs:
 * `mcp.json:4:12: mcpServers.a: stdio requires command; add "command"`.
 *
 * @example
 * for (const problem of problems) console.error(formatProblem(problem));
 */
export function formatProblem(problem: ConfigProblem): string {
  const { file, line, column, path, message, fix } = problem;
  const place = [file, line, column].filter((part) => part !== undefined).join(":");
  const parts = [place, path, fix === undefined ? message : `${message}; ${fix}`];
  return parts.filter((part) => part !== "").join(": ");
}

const mostProblems = 1000;

/** A problem whose place is still a path. */
export interface ProblemInit extends Pick<ConfigProblem, "code" | "fix" | "message" | "serverId" | "severity"> {
  readonly path: ConfigPath;
  /** True if the name of the member is wrong, and not its value. Default `"value"`. */
  readonly of?: "name" | "value" | undefined;
  /** The position, if it is not that of the path. */
  readonly position?: Position | undefined;
}

type Places = Pick<ParsedConfig, "file" | "positionOf">;

/** Problems as they are found, with their places; at most 1,000, and then one that says so. */
export interface ProblemList {
  readonly add: (problem: ProblemInit) => void;
  readonly all: readonly ConfigProblem[];
}

/** An empty list of the problems of one configuration. */
export function createProblemList(places: Places): ProblemList {
  const all: ConfigProblem[] = [];
  return {
    all,
    add(problem) {
      if (all.length > mostProblems) return;
      const message = `has more than ${mostProblems} problems; these are the first`;
      const tooMany = { path: [], severity: "warning", code: "too_many_problems", message } as const;
      all.push(placeProblem(places, all.length === mostProblems ? tooMany : problem));
    },
  };
}

/** A problem with its place. */
export function placeProblem(places: Places, problem: ProblemInit): ConfigProblem {
  const { path, severity, code, message, fix, serverId, of, position } = problem;
  const { line, column } = position ?? places.positionOf(path, of) ?? {};
  return { file: places.file, line, column, path: formatPath(path), severity, code, message, fix, serverId };
}

/** The format of a configuration. JSON may have comments and trailing commas. */
export type ConfigFormat = "json" | "yaml" | "toml";

/** A place in a text, from 1; `offset` from 0, after a byte order mark. All in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

/** A configuration that was parsed: its data, and where in the text each of them is. */
export interface ParsedConfig {
  readonly file?: string | undefined;
  /** `"data"`: it was never a text. */
  readonly format: ConfigFormat | "data";
  /** The data; `undefined` where the text is broken. */
  readonly data: ConfigData | undefined;
  /** Problems of the text. */
  readonly problems: readonly ConfigProblem[];
  /**
   * Returns where a value, or its name, begins. For a path that leads nowhere: where its last part
   * that exists does.
   */
  readonly positionOf: (path: ConfigPath, of?: "name" | "value") => Position | undefined;
}
