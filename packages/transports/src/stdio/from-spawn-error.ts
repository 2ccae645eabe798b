import { HostsideError } from "@hostside/core";
import { safeCause, type Redactor } from "@hostside/core/implement";
import { findProgram, type ProgramFile } from "./find-program.ts";

/** What was to be started. */
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
  const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
  const found = code === "ENOENT" || code === "EACCES" ? await findProgram(attempt) : undefined;
  const server = `server ${JSON.stringify(attempt.serverId)}`;
  const program = programOf(attempt);
  return new HostsideError(`${server}: cannot start ${JSON.stringify(program)}: ${explain(code, attempt, found)}`, {
    code: "spawn_failed",
    serverId: attempt.serverId,
    retryable: passing.has(code),
    details: { operation: "spawn", field: "command" },
    cause: safeCause(error, (text) => attempt.redact(cutAfter(text, attempt.command))),
  });
}

/**
 * The command as it may be shown: what follows a blank may be arguments that were put in the wrong
 * place, secrets among them.
 */
function programOf({ command, redact }: SpawnAttempt): string {
  const program = wordOf(command);
  return redact(program === command.trim() ? program : `${program} …`);
}

function wordOf(command: string): string {
  return command.trim().split(/\s/, 1)[0] ?? "";
}

/**
 * A text of Node's that names the command, without what follows its first blank; the frames of a
 * stack stay.
 */
function cutAfter(text: string, command: string): string {
  const program = wordOf(command);
  if (program === command.trim()) return text;
  const at = text.indexOf(program);
  if (at === -1) return text;
  const frames = text.split("\n").filter((line) => /^ {4}at /.test(line));
  return [`${text.slice(0, at)}${program} …`, ...frames].join("\n");
}

function explain(code: string, { command, path }: SpawnAttempt, found: ProgramFile | undefined): string {
  if (found?.kind === "directory") return `${found.path} is a directory`;
  if (found?.missingInterpreter !== undefined)
    return `the interpreter ${found.missingInterpreter}, which the first line of ${found.path} names, does not exist`;
  if (found && !found.executable)
    return `${found.path} is not executable (mode ${found.mode}); run chmod +x on it, or start it through its interpreter`;
  if (passing.has(code)) return `the system is out of processes, memory or open files for now (${code})`;
  if (code !== "ENOENT") return code === "" ? "the system refused" : `the system refused (${code})`;
  if (/\s/.test(command))
    return "there is no such program; `command` is the program alone, its arguments belong in `args`";
  if (command.includes("/")) return "there is no such file";
  if (path === undefined || path === "") return "its environment has no PATH to look it up on; give the full path";
  return "there is no such program on the PATH; install it, or give its full path";
}
