import { dirname, join, resolve } from "node:path";
import { findConfigFiles, findConfigs } from "@hostside/config/node";
import type { CommandContext } from "../command-context.ts";
import type { Terminal } from "../terminal.ts";
import { usageError } from "../exit-codes.ts";

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
