import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { posix, win32 } from "node:path";

/** What is asked of files: a test has its own. */
export interface FileLookup {
  kindOf(path: string): Promise<"file" | "directory" | "missing">;
  canExecute(path: string): Promise<boolean>;
  canRead(path: string): Promise<boolean>;
}

export const realFiles: FileLookup = {
  kindOf: (path) =>
    stat(path).then(
      (stats) => (stats.isDirectory() ? "directory" : "file"),
      () => "missing",
    ),
  canExecute: (path) => isAllowed(path, constants.X_OK),
  canRead: (path) => isAllowed(path, constants.R_OK),
};

function isAllowed(path: string, mode: number): Promise<boolean> {
  return access(path, mode).then(
    () => true,
    () => false,
  );
}

/** Where a program is looked for. */
export interface LookupPlace {
  readonly platform: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly files: FileLookup;
}

export type ProgramLookup =
  | { readonly path: string }
  | { readonly trouble: "missing" }
  | { readonly trouble: "directory" | "not-executable"; readonly blocked: string };

/** Looks for a program as the system does when a server is started. */
export async function findProgram(command: string, place: LookupPlace): Promise<ProgramLookup> {
  const { platform, files } = place;
  let blocked: ProgramLookup | undefined;
  for (const candidate of candidatesOf(command, place)) {
    const kind = await files.kindOf(candidate);
    if (kind === "missing") continue;
    if (kind === "file" && (platform === "win32" || (await files.canExecute(candidate)))) return { path: candidate };
    blocked ??= { trouble: kind === "directory" ? "directory" : "not-executable", blocked: candidate };
  }
  return blocked ?? { trouble: "missing" };
}

function candidatesOf(command: string, { platform, cwd, env }: LookupPlace): readonly string[] {
  const paths = platform === "win32" ? win32 : posix;
  const isPath = platform === "win32" ? /[\\/]/.test(command) : command.includes("/");
  const folders = (readVariable(env, "PATH", platform) ?? "").split(paths.delimiter).filter((folder) => folder !== "");
  const plain = isPath
    ? [paths.resolve(cwd, command)]
    : folders.map((folder) => paths.join(paths.resolve(cwd, folder.replaceAll('"', "")), command));
  if (platform !== "win32" || paths.extname(command) !== "") return plain;
  const endings = (readVariable(env, "PATHEXT", platform) ?? ".COM;.EXE;.BAT;.CMD").split(";").filter(Boolean);
  return plain.flatMap((path) => endings.map((ending) => `${path}${ending.toLowerCase()}`));
}

/** Windows does not mind the case of a variable's name. */
function readVariable(env: LookupPlace["env"], name: string, platform: string): string | undefined {
  if (platform !== "win32") return env[name];
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1];
}
