import type { DialectName } from "../drafts/configured-server.ts";
import { readVariable, type Env } from "../expand/expand-env.ts";
import { locationRows, type LocationRow, type System } from "./locations.ts";

/** What the places of configurations depend on. All of it is data. */
export interface FindOptions {
  /** As `process.platform` says it; one that is not known counts as Linux. */
  readonly platform: string;
  /** The user's folder, as an absolute path. */
  readonly home: string;
  readonly env: Env;
  /** Absolute. Default: none, so that no project has files. */
  readonly cwd?: string | undefined;
  /**
   * What is below `cwd` and the folders above it; and whether a place is listed at all. Default:
   * every place is, and `cwd` is the project.
   */
  readonly exists?: ((path: string) => boolean) | undefined;
  /** The names in a folder, for places with any name in them. Default: such places are left out. */
  readonly list?: ((folder: string) => readonly string[]) | undefined;
}

/** A place where a configuration may be. */
export interface ConfigLocation {
  readonly path: string;
  readonly dialect: DialectName;
  /** As people call the tool. */
  readonly tool: string;
  readonly scope: LocationRow["scope"];
  /** Of one within a project: the folder that it is for. */
  readonly folder?: string | undefined;
  /** `false`: where the tool keeps it is not documented. */
  readonly certain: boolean;
}

/**
 * Where the tools of a user keep their configurations, the stronger ones last: those of the user
 * first, then those of the project, from its outermost folder to `cwd`. The project begins at the
 * nearest folder above `cwd` with a `.git`, and never reaches the user's own folder; without one,
 * it is the folders between that and `cwd`, and `cwd` alone where it is somewhere else. Pure:
 * `exists` and `list` are all that it knows of files.
 */
export function findConfigs(options: FindOptions): readonly ConfigLocation[] {
  const { exists = () => true } = options;
  const folders = foldersOf(options);
  const users = locationRows
    .filter(({ scope }) => scope === "user")
    .flatMap((row) => expandPath(row, options).map((path) => toLocation(row, path)));
  const projects = folders.flatMap((folder) =>
    locationRows
      .filter(({ scope }) => scope !== "user")
      .flatMap((row) => expandPath(row, options, folder).map((path) => ({ ...toLocation(row, path), folder }))),
  );
  return [...users, ...projects].filter(({ path }) => exists(path));
}

/**
 * The folder that a project begins at, as {@linkcode findConfigs} has it; `undefined` where there
 * is none.
 */
export function findProjectFolder(options: FindOptions): string | undefined {
  return foldersOf(options)[0];
}

/**
 * The folder of the project that a file is for, if it is where a tool has such files: `/srv/app` of
 * `/srv/app/.cursor/mcp.json`.
 */
export function projectOfFile(file: string): string | undefined {
  const plain = file.replaceAll("\\", "/");
  const lengths = locationRows.map(({ scope, path }) => {
    if (scope !== "project" || typeof path !== "string") return 0;
    const end = new RegExp(`/${path.replaceAll(".", String.raw`\.`).replaceAll("*", "[^/]*")}$`);
    return end.exec(plain)?.[0].length ?? 0;
  });
  const longest = Math.max(...lengths);
  return longest === 0 ? undefined : file.slice(0, -longest) || file.slice(0, 1);
}

function toLocation({ dialect, tool, scope, certain = true }: LocationRow, path: string): ConfigLocation {
  return { path, dialect, tool, scope, certain };
}

// From the outermost one on.
function foldersOf({ cwd, home, platform, exists }: FindOptions): readonly string[] {
  if (cwd === undefined || isSamePath(cwd, home, platform)) return [];
  if (exists === undefined) return [cwd];
  const way: string[] = [];
  for (let folder: string | undefined = cwd; folder !== undefined; folder = parentOf(folder, platform)) {
    if (isSamePath(folder, home, platform)) return way;
    way.unshift(folder);
    if (exists(joinPath(folder, ".git", platform))) return way;
  }
  return [cwd];
}

function expandPath(row: LocationRow, options: FindOptions, folder?: string): readonly string[] {
  const { platform } = options;
  const written = typeof row.path === "string" ? row.path : row.path[systemOf(platform)];
  if (written === undefined) return [];
  const [, base, rest = ""] = /^\{([^}]+)\}\/?(.*)$/.exec(written) ?? [];
  if (base === undefined && folder === undefined) return [written];
  const root = base === undefined ? folder : folderOf(base, options);
  if (root === undefined) return [];
  const parts = (base === undefined ? written : rest).split("/");
  return parts.reduce<readonly string[]>((paths, part) => paths.flatMap((path) => below(path, part, options)), [root]);
}

function below(folder: string, part: string, { platform, list }: FindOptions): readonly string[] {
  if (part === "") return [folder];
  if (!part.includes("*")) return [joinPath(folder, part, platform)];
  const [start = "", end = ""] = part.split("*");
  const names = list?.(folder) ?? [];
  return names
    .filter((name) => name.length >= part.length && name.startsWith(start) && name.endsWith(end))
    .toSorted()
    .map((name) => joinPath(folder, name, platform));
}

function folderOf(base: string, { env, home, platform }: FindOptions): string | undefined {
  const below = (path: string): string => joinPath(home, path, platform);
  // A relative one would mean another place in every folder.
  const variable = (name: string): string | undefined => {
    const value = readVariable(env, name, platform);
    return value !== undefined && isAbsolutePath(value, platform) ? value : undefined;
  };
  if (base.startsWith("env:")) return variable(base.slice("env:".length));
  const folders: Readonly<Record<string, () => string>> = {
    home: () => home,
    homeConfig: () => below(".config"),
    config: () => variable("XDG_CONFIG_HOME") ?? below(".config"),
    appSupport: () => below("Library/Application Support"),
    appData: () => variable("APPDATA") ?? below("AppData/Roaming"),
    localAppData: () => variable("LOCALAPPDATA") ?? below("AppData/Local"),
    programData: () => variable("PROGRAMDATA") ?? "C:\\ProgramData",
    codexHome: () => variable("CODEX_HOME") ?? below(".codex"),
  };
  return folders[base]?.();
}

function systemOf(platform: string): System {
  return platform === "win32" || platform === "darwin" ? platform : "linux";
}

// Paths of a system that this program may not run on, so that `node:path` of the one it does run on
// would not do. As texts alone.

/** Whether a path says by itself where it is. */
function isAbsolutePath(path: string, platform: string): boolean {
  return platform === "win32" ? /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path) : path.startsWith("/");
}

/**
 * A path below a folder; of an absolute one, itself. Written with `/`, and returned with the
 * separators of the system.
 */
export function joinPath(folder: string, path: string, platform: string): string {
  const native = platform === "win32" ? path.replaceAll("/", "\\") : path;
  if (isAbsolutePath(native, platform)) return native;
  const separator = platform === "win32" ? "\\" : "/";
  return /[\\/]$/.test(folder) && (platform === "win32" || folder.endsWith("/"))
    ? `${folder}${native}`
    : `${folder}${separator}${native}`;
}

/** The folder above; `undefined` above a root. */
function parentOf(path: string, platform: string): string | undefined {
  const plain = withoutEnd(path, platform);
  const end = Math.max(plain.lastIndexOf("/"), platform === "win32" ? plain.lastIndexOf("\\") : -1);
  if (end < 0) return undefined;
  const parent = plain.slice(0, end);
  // `C:` is a folder of its own, and `C:\` the root.
  if (parent === "" || /^[A-Za-z]:$/.test(parent)) return plain.length > end + 1 ? plain.slice(0, end + 1) : undefined;
  return parent;
}

/** Whether two paths name one place, as far as texts tell. */
function isSamePath(a: string, b: string, platform: string): boolean {
  const [one, other] = [withoutEnd(a, platform), withoutEnd(b, platform)];
  if (platform !== "win32") return one === other;
  return one.replaceAll("/", "\\").toLowerCase() === other.replaceAll("/", "\\").toLowerCase();
}

function withoutEnd(path: string, platform: string): string {
  const pattern = platform === "win32" ? /(?<=[^\\/:])[\\/]+$/ : /(?<=[^/])\/+$/;
  return path.replace(pattern, "");
}
