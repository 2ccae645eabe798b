import type { ConfigScope } from "../drafts/configured-server.ts";
import type { ConfigResult } from "../dialects/read-parsed.ts";
import type { ConfigProblem } from "../parse/config-problem.ts";

/** One configuration among others. */
export interface ConfigLayer {
  readonly scope: ConfigScope;
  readonly result: ConfigResult;
  /** Its path, for problems. */
  readonly file?: string | undefined;
  /**
   * The folder of the project, as an absolute path, for a file that whoever wrote the project may
   * have put there: its servers start only where their user trusts them. Absent: a file of the
   * user's own.
   */
  readonly projectFolder?: string | undefined;
  /**
   * The folder of its relative paths, as an absolute path. Absent: they begin nowhere, and a
   * relative program is refused.
   */
  readonly baseFolder?: string | undefined;
}

/** Tells whether a configuration has neither servers nor settings. */
export function isNothing({ servers, settings }: ConfigResult): boolean {
  return servers.length === 0 && Object.keys(settings).length === 0;
}

/**
 * Finds the error because of which nothing of a `hostside.json` of the user's own is used, so that
 * it is not known what that file restricts. `undefined`: there is none.
 */
export function findLoss({ result, projectFolder }: ConfigLayer): ConfigProblem | undefined {
  if (projectFolder !== undefined || result.dialect !== "hostside" || !isNothing(result)) return undefined;
  return result.problems.find(({ severity, path }) => severity === "error" && path === "");
}
