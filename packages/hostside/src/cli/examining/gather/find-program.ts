import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { posix, win32 } from "node:path";

/** What is looked up about files. */
export interface FileLookup {
  kindOf(path: string): Promise<"file" | "directory" | "other" | "missing">;
  canExecute(path: string): Promise<boolean>;
  canRead(path: string): Promise<boolean>;
}

/** The files of this machine. */
export const realFiles: FileLookup = {
  kindOf: (path) =>
    stat(path).then(
      (stats) => (stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other"),
      () => "missing",
    ),
  canExecute: (path) => succeeds(access(path, constants.X_OK)),
  canRead: (path) => succeeds(access(path, constants.R_OK)),
};

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

/** Where a command is looked up. */
export interface LookupPlace {
  readonly platform: string;
  /** The folder that a relative path is relative to. */
  readonly cwd: string;
  /** `PATH` and `PATHEXT`, in any case on Windows. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: FileLookup;
}

/** What a command stands for: a file that can be started, or what is in its place. */
export type ProgramLookup =
  | { readonly path: string }
  | { readonly trouble: "missing" }
  | { readonly trouble: "directory" | "not-executable"; readonly blocked: string };

/**
 * Looks a command up as the operating system does: one with a separator is a path, any other one is
 * searched in the folders of `PATH`.
 */
export async function lookUpProgram(command: string, place: LookupPlace): Promise<ProgramLookup> {
  const { platform, files } = place;
  let blocked: ProgramLookup | undefined;
  for (const candidate of candidatesOf(command, place)) {
    const kind = await files.kindOf(candidate);
    if (kind === "missing") continue;
    if (kind !== "directory" && (platform === "win32" || (await files.canExecute(candidate))))
      return { path: candidate };
    blocked ??= { trouble: kind === "directory" ? "directory" : "not-executable", blocked: candidate };
  }
  return blocked ?? { trouble: "missing" };
}

/** The folders of `PATH`, as absolute paths. */
export function pathFolders({ platform, cwd, env }: Omit<LookupPlace, "files">): readonly string[] {
  const paths = platform === "win32" ? win32 : posix;
  const path = readVariable(env, "PATH", platform) ?? "";
  return path
    .split(paths.delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => paths.resolve(cwd, folder.replaceAll('"', "")));
}

function candidatesOf(command: string, place: LookupPlace): readonly string[] {
  const { platform, cwd, env } = place;
  const paths = platform === "win32" ? win32 : posix;
  const isPath = platform === "win32" ? /[\\/]/.test(command) : command.includes("/");
  const plain = isPath
    ? [paths.resolve(cwd, command)]
    : pathFolders(place).map((folder) => paths.join(folder, command));
  if (platform !== "win32" || paths.extname(command) !== "") return plain;
  const endings = (readVariable(env, "PATHEXT", platform) ?? ".COM;.EXE;.BAT;.CMD").split(";").filter(Boolean);
  return plain.flatMap((path) => endings.map((ending) => `${path}${ending.toLowerCase()}`));
}

function readVariable(env: LookupPlace["env"], name: string, platform: string): string | undefined {
  if (platform !== "win32") return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}
