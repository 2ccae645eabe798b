import { HostsideError } from "@hostside/core";
import { safeCause, type Redactor } from "@hostside/core/implement";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** A program that was to be started. */
export interface SpawnAttempt {
  readonly serverId: string;
  readonly command: string;
  readonly cwd: string;
  /** The child's `PATH`. */
  readonly path: string | undefined;
  readonly redact: Redactor;
}

// The machine was out of something; the same spec may work a moment later.
const passing: ReadonlySet<string> = new Set(["EMFILE", "ENFILE", "EAGAIN", "ENOMEM"]);

/**
 * Turns what `spawn` threw or emitted into `spawn_failed`: it names the server, the file with its
 * mode, and what to do about it.
 */
export async function fromSpawnError(error: unknown, attempt: SpawnAttempt): Promise<HostsideError> {
  const { serverId, command, redact } = attempt;
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  // What follows a blank may be arguments that were put in the wrong place, secrets among them.
  const word = command.trim().split(/\s/, 1)[0] ?? "";
  const program = word === command.trim() ? word : `${word} …`;
  const reason = await explain(code, attempt);
  return new HostsideError(
    `server ${JSON.stringify(serverId)}: cannot start ${JSON.stringify(redact(program))}: ${reason}`,
    {
      code: "spawn_failed",
      serverId,
      retryable: passing.has(code),
      details: { operation: "spawn", field: "command" },
      cause: safeCause(error, (text) => redact(word === program ? text : cutAfter(text, word))),
    },
  );
}

/**
 * A text of Node's that names the command, without what follows `word`; the frames of a stack stay.
 */
function cutAfter(text: string, word: string): string {
  const at = text.indexOf(word);
  if (at === -1) return text;
  const frames = text.split("\n").filter((line) => /^ {4}at /.test(line));
  return [`${text.slice(0, at)}${word} …`, ...frames].join("\n");
}

async function explain(code: string, { command, cwd, path }: SpawnAttempt): Promise<string> {
  if (code === "ENOENT" || code === "EACCES") {
    const found = await findProgram(command, cwd, path);
    if (found !== undefined) return found;
  }
  if (passing.has(code)) return `the system is out of processes, memory or open files for now (${code})`;
  if (code !== "ENOENT") return code === "" ? "the system refused" : `the system refused (${code})`;
  if (/\s/.test(command))
    return "there is no such program; `command` is the program alone, its arguments belong in `args`";
  if (command.includes("/")) return "there is no such file";
  if (path === undefined || path === "") return "its environment has no PATH to look it up on; give the full path";
  return "there is no such program on the PATH; install it, or give its full path";
}

/** Looks up a command as the operating system does, and says what is wrong with the file. */
async function findProgram(command: string, cwd: string, path = ""): Promise<string | undefined> {
  const candidates = command.includes("/")
    ? [isAbsolute(command) ? command : resolve(cwd, command)]
    : path.split(delimiter).map((directory) => join(resolve(cwd, directory), command));
  for (const candidate of candidates) {
    const fault = await findFault(candidate);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

async function findFault(path: string): Promise<string | undefined> {
  const { access, constants, readFile, stat } = process.getBuiltinModule("node:fs/promises");
  try {
    const stats = await stat(path);
    if (stats.isDirectory()) return `${path} is a directory`;
    const isExecutable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (!isExecutable) {
      const mode = (stats.mode & 0o7777).toString(8);
      return `${path} is not executable (mode ${mode}); run chmod +x on it, or start it through its interpreter`;
    }
    // It is there and may be run, so that only its interpreter can be missing.
    const interpreter = /^#![ \t]*(\S+)/.exec(await readFile(path, "latin1"))?.[1];
    return interpreter && `the interpreter ${interpreter}, which the first line of ${path} names, does not exist`;
  } catch {
    // There is nothing at this path, or it may not be read.
    return undefined;
  }
}
