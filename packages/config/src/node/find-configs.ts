import { existsSync, readdirSync } from "node:fs";
import { posix, win32, type PlatformPath } from "node:path";
import type { DialectName } from "../drafts/configured-server.ts";
import { readVariable } from "../expand/expand-env.ts";
import { loadPlaceOf, type LoadPlace } from "./load-options.ts";
import { locationRows, type LocationRow, type System } from "./locations.ts";
import { realPathOfSync } from "./resolve-paths.ts";

/** The place to look from. Without `cwd`, no project has files. */
export interface FindOptions extends Omit<LoadPlace, "cwd"> {
  readonly cwd?: string | undefined;
}

/** A place where a configuration may be. */
export interface ConfigLocation {
  readonly path: string;
  readonly dialect: DialectName;
  /** As people call the tool. */
  readonly tool: string;
  readonly scope: LocationRow[2];
  /** The folder that a file of a project is for. */
  readonly folder?: string | undefined;
  /** `false`: where the tool keeps it is not documented. */
  readonly certain: boolean;
}

/**
 * Lists where the tools of a user keep their configurations, whether there is a file or not, the
 * stronger ones last: those of the user first, then those of the project, from its outermost folder
 * to `cwd`. A place that two names lead to is there once, as the user's own if it is. Places with
 * any name in them are those that are there.
 */
export function findConfigs(options: FindOptions): readonly ConfigLocation[] {
  const [users, projects] = [true, false].map((isUser) =>
    locationRows.filter(([, , scope]) => (scope === "user") === isUser),
  );
  const found = [undefined, ...projectFolders(options)].flatMap((folder) =>
    ((folder === undefined ? users : projects) ?? []).flatMap(([dialect, tool, scope, path, certain = true]) =>
      expandPath(path, options, folder).map((one) => {
        return { path: one, dialect, tool, scope, certain, ...(folder === undefined ? {} : { folder }) };
      }),
    ),
  );
  const seen = new Set<string>();
  return found.filter(({ path }) => {
    const real = realPathOfSync(path);
    return !seen.has(real) && seen.add(real);
  });
}

/**
 * The configurations that a user has: those of {@linkcode findConfigs} that are there.
 *
 * @example
 * for (const { path, dialect, scope } of findConfigFiles()) console.log(path, dialect, scope);
 */
export function findConfigFiles(options: Partial<LoadPlace> = {}): readonly ConfigLocation[] {
  return findConfigs(loadPlaceOf(options)).filter(({ path }) => existsSync(path));
}

/** The folder that a project begins at; `undefined` where there is none. */
export function findProjectFolder(options: FindOptions): string | undefined {
  return projectFolders(options)[0];
}

/**
 * The folder of the project that a file is for, if it is where a tool has such files: `/srv/app` of
 * `/srv/app/.cursor/mcp.json`.
 */
export function projectOfFile(file: string): string | undefined {
  const plain = file.replaceAll("\\", "/");
  const lengths = locationRows.map(([, , scope, path]) => {
    if (scope !== "project" || typeof path !== "string") return 0;
    const end = new RegExp(`/${path.replaceAll(".", String.raw`\.`).replaceAll("*", "[^/]*")}$`);
    return end.exec(plain)?.[0].length ?? 0;
  });
  const longest = Math.max(...lengths);
  return longest === 0 ? undefined : file.slice(0, -longest) || file.slice(0, 1);
}

/**
 * The folders of a project from the outermost one on. It begins at the nearest folder above `cwd`
 * with a `.git`, and never reaches the user's own folder; without one, it is the folders between
 * that and `cwd`, and `cwd` alone where it is somewhere else.
 */
function projectFolders({ cwd, home, platform }: FindOptions): readonly string[] {
  if (cwd === undefined) return [];
  const path = pathsOf(platform);
  const folders: string[] = [];
  // The user's own folder is known by any of its names.
  const own = realPathOfSync(home);
  for (
    let folder = path.resolve(cwd);
    path.relative(own, realPathOfSync(folder)) !== "";
    folder = path.dirname(folder)
  ) {
    folders.unshift(folder);
    if (existsSync(path.join(folder, ".git"))) break;
    if (path.dirname(folder) === folder) return [path.resolve(cwd)];
  }
  return folders;
}

function expandPath(path: LocationRow[3], options: FindOptions, folder?: string): readonly string[] {
  const { platform } = options;
  const paths = pathsOf(platform);
  const written = typeof path === "string" ? path : path[systemOf(platform)];
  if (written === undefined) return [];
  const [, base, rest = ""] = /^\{([^}]+)\}\/?(.*)$/.exec(written) ?? [];
  if (base === undefined && folder === undefined) return [paths.normalize(written)];
  const root = base === undefined ? folder : baseFolder(base, options);
  if (root === undefined) return [];
  const parts = (base === undefined ? written : rest).split("/");
  return parts.reduce<readonly string[]>(
    (found, part) => {
      return found.flatMap((one) => namesLike(part, one).map((name) => paths.join(one, name)));
    },
    [root],
  );
}

function namesLike(pattern: string, folder: string): readonly string[] {
  if (!pattern.includes("*")) return [pattern];
  const [start = "", end = ""] = pattern.split("*");
  return listFolder(folder)
    .filter((name) => name.length >= pattern.length && name.startsWith(start) && name.endsWith(end))
    .toSorted();
}

function listFolder(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Not there, or not for us: nothing is to be found in it.
    return [];
  }
}

function baseFolder(base: string, { env, home, platform }: FindOptions): string | undefined {
  const paths = pathsOf(platform);
  // A relative one would mean another place in every folder.
  const variable = (name: string): string | undefined => {
    const value = readVariable(env, name, platform);
    return value !== undefined && paths.isAbsolute(value) ? value : undefined;
  };
  if (base.startsWith("env:")) return variable(base.slice("env:".length));
  const [name, fallback] = bases[base] ?? [];
  return (
    (name === undefined ? undefined : variable(name)) ??
    (fallback === undefined ? undefined : paths.resolve(home, fallback))
  );
}

/** The variable of a folder, and where it is below the user's own without one. */
const bases: Readonly<Record<string, readonly [variable: string | undefined, fallback: string]>> = {
  home: [undefined, ""],
  homeConfig: [undefined, ".config"],
  config: ["XDG_CONFIG_HOME", ".config"],
  appSupport: [undefined, "Library/Application Support"],
  appData: ["APPDATA", "AppData/Roaming"],
  localAppData: ["LOCALAPPDATA", "AppData/Local"],
  programData: ["PROGRAMDATA", "C:/ProgramData"],
  codexHome: ["CODEX_HOME", ".codex"],
};

function systemOf(platform: string): System {
  return platform === "win32" || platform === "darwin" ? platform : "linux";
}

function pathsOf(platform: string): PlatformPath {
  return platform === "win32" ? win32 : posix;
}
