import { constants } from "node:fs";
import { access, open, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** What is known about the file behind a command. */
export interface ProgramFile {
  readonly path: string;
  readonly kind: "file" | "directory" | "other";
  /** Permission bits, in octal: `"644"`. */
  readonly mode: string;
  readonly executable: boolean;
  /** The interpreter that the first line of a script names, when that does not exist. */
  readonly missingInterpreter?: string;
}

/** Where to look. */
export interface FindProgramInit {
  readonly command: string;
  /** Working directory of the child. */
  readonly cwd: string;
  /** The child's `PATH`. */
  readonly path: string | undefined;
}

/**
 * Looks up a command as the operating system does, to explain a failure: a command with a slash is
 * a path, any other one is searched on `PATH`, executables first. `undefined` when there is no such
 * file. Never throws.
 */
export async function findProgram({ command, cwd, path = "" }: FindProgramInit): Promise<ProgramFile | undefined> {
  const candidates = command.includes("/")
    ? [isAbsolute(command) ? command : resolve(cwd, command)]
    : path.split(delimiter).map((directory) => join(resolve(cwd, directory), command));
  const found = (await Promise.all(candidates.map(inspect))).filter((program) => program !== undefined);
  return found.find((program) => program.executable && program.kind === "file") ?? found[0];
}

async function inspect(path: string): Promise<ProgramFile | undefined> {
  try {
    const stats = await stat(path);
    const kind = stats.isFile() ? "file" : stats.isDirectory() ? "directory" : "other";
    const mode = (stats.mode & 0o7777).toString(8);
    const executable = await canExecute(path);
    const interpreter = kind === "file" ? await readInterpreter(path) : undefined;
    const isMissing = interpreter !== undefined && !(await exists(interpreter));
    return { path, kind, mode, executable, ...(isMissing && { missingInterpreter: interpreter }) };
  } catch {
    // Not there, or not to be seen: either way there is nothing to tell about it.
    return undefined;
  }
}

async function readInterpreter(path: string): Promise<string | undefined> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(256), 0, 256, 0);
      return /^#![ \t]*(\S+)/.exec(buffer.toString("utf8", 0, bytesRead))?.[1];
    } finally {
      await file.close();
    }
  } catch {
    // Executable but not readable is legal.
    return undefined;
  }
}

async function canExecute(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
