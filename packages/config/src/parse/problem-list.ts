import { formatPath, type ConfigPath } from "./config-data.ts";
import type { Position } from "./parsed-config.ts";
import type { ConfigProblem, ConfigProblemCode } from "./config-problem.ts";

const mostProblems = 1000;

/** A problem whose place is still a path. */
export interface ProblemInit {
  readonly path: ConfigPath;
  readonly severity: ConfigProblem["severity"];
  readonly code: ConfigProblemCode;
  readonly message: string;
  readonly fix?: string | undefined;
  readonly serverId?: string | undefined;
  /** True if the name of the member is wrong, and not its value. Default `"value"`. */
  readonly of?: "name" | "value" | undefined;
  /** The position, if it is not that of the path. */
  readonly position?: Position | undefined;
}

/** Finds positions; a `ParsedConfig` does. */
export interface Places {
  readonly file?: string | undefined;
  readonly positionOf: (path: ConfigPath, of?: "name" | "value") => Position | undefined;
}

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
      const tooMany = all.length === mostProblems;
      all.push(placeProblem(places, tooMany ? tooManyProblems : problem));
    },
  };
}

const tooManyProblems: ProblemInit = {
  path: [],
  severity: "warning",
  code: "too_many_problems",
  message: `has more than ${mostProblems} problems; these are the first`,
};

/** A problem with its place. */
export function placeProblem(places: Places, problem: ProblemInit): ConfigProblem {
  const { path, severity, code, message, fix, serverId, of, position } = problem;
  const { line, column } = position ?? places.positionOf(path, of) ?? {};
  return { file: places.file, line, column, path: formatPath(path), severity, code, message, fix, serverId };
}
