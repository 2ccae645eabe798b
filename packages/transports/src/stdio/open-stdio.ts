import { isHostsideError, HostsideError, type ConnectionGuard, type Diagnostic, type ServerSpec } from "@hostside/core";
import { isSecretName, quoteText, untilAborted, safeCause, type Redactor } from "@hostside/core/implement";
import type { ChildProcess } from "node:child_process";
import { askForCommand } from "../context/ask-guard.ts";
import type { TransportContext } from "../context/server-context.ts";
import { type ServerProcess, type SpawnProcess, createProcessGroup, hasExited } from "./end-process.ts";
import { safeEnvironment, type Environment } from "./safe-environment.ts";
import { StdioTransport } from "./stdio-transport.ts";
import { delimiter, isAbsolute, join, resolve } from "node:path";

/** The side effects of starting a process, which tests replace. */
export interface StdioEffects {
  /**
   * Is handed what would have started it. Default that of Node, and on Windows cross-spawn, which
   * starts `.cmd` files, too.
   */
  readonly spawn?: (...call: [...Parameters<SpawnProcess>, own: SpawnProcess]) => ReturnType<SpawnProcess>;
  /** Default that of this process. */
  readonly platform?: NodeJS.Platform;
  /** The environment that a server may inherit from. Default the environment of this process. */
  readonly environment?: Environment;
  /** Sends signals; a negative number is a group. Default `process.kill`. */
  readonly sendSignal?: (pid: number, signal: NodeJS.Signals | 0) => void;
}

/** The input of {@linkcode openStdio}. */
export interface StdioContext extends TransportContext {
  readonly effects?: StdioEffects | undefined;
  readonly options?: { readonly guard?: ConnectionGuard | undefined } | undefined;
}

/**
 * How many servers may start at once unless the host says otherwise: four for each processor, since
 * most of a start is waiting, but no fewer than eight.
 */
export function defaultStartLimit(): number {
  return Math.max(8, 4 * process.getBuiltinModule("node:os").availableParallelism());
}

/**
 * Starts the program of a stdio spec, without a shell or a window, and on POSIX as the leader of
 * its own process group, so that all it starts can be ended with it. Resolves as soon as it runs,
 * before any message.
 *
 * Throws `not_allowed`, `spawn_failed` (which says what to do about it), or on abort the signal's
 * reason if that is a `HostsideError`, else `aborted`; nothing runs then. A process that ends right
 * after its start is reported by the transport: `start()` throws, or `onclose` fires.
 */
export async function openStdio(spec: ServerSpec, context: StdioContext): Promise<StdioTransport> {
  const { serverId, secrets, signal, effects = {}, principal, options } = context;
  const { platform = process.platform, environment = process.env } = effects;
  if (spec.command === undefined) throw new TypeError(`openStdio() cannot open a server of type "${spec.type}"`);
  const { command, args = [], cwd } = spec;
  if (cwd !== undefined) await assertDirectory(cwd, context);
  throwIfStartAborted(signal, serverId);
  const guard = options?.guard;
  const refusal = guard && askForCommand(guard, spec, { serverId, principal });
  if (refusal !== undefined) throw refusal;
  const env = safeEnvironment(spec, environment, platform);
  // What a server inherits it can echo as well; of that only the names tell what is secret.
  for (const [name, value] of Object.entries(env)) if (isSecretName(name)) secrets.learn(value);
  const own: SpawnProcess =
    platform === "win32" ? (await import("cross-spawn")).default : process.getBuiltinModule("node:child_process").spawn;
  const replaced = effects.spawn;
  const spawn: SpawnProcess = replaced === undefined ? own : (...call) => replaced(...call, own);
  let child: ServerProcess;
  try {
    child = await run(() =>
      spawn(command, args, {
        ...(cwd !== undefined && { cwd }),
        env,
        stdio: ["pipe", "pipe", "pipe"],
        shell: false,
        windowsHide: true,
        // On Windows it would open a console window, and there are no groups to lead.
        detached: platform !== "win32",
      }),
    );
  } catch (error) {
    if (error instanceof TypeError && !("code" in error)) throw error;
    const redact = secrets.redact;
    throw await fromSpawnError(error, { serverId, command, cwd: cwd ?? process.cwd(), path: env["PATH"], redact });
  }
  const group = createProcessGroup({
    pid: child.pid,
    platform,
    hasLeaderExited: () => hasExited(child),
    spawn,
    sendSignal: effects.sendSignal,
  });
  const onKilled = (): void => {
    const left = containerLeft(spec);
    if (left !== undefined) context.onDiagnostic(left);
  };
  const opened = new StdioTransport({
    context: context.lasting,
    onStarted: context.onStarted,
    process: child,
    group,
    onKilled,
  });
  if (signal.aborted) {
    await opened.close();
    throwIfStartAborted(signal, serverId);
  }
  return opened;
}

function throwIfStartAborted(signal: AbortSignal, serverId: string): void {
  if (!signal.aborted) return;
  if (isHostsideError(signal.reason)) throw signal.reason;
  throw new HostsideError(`server ${JSON.stringify(serverId)}: its start was aborted`, {
    code: "aborted",
    serverId,
    outcome: "not-sent",
    cause: signal.reason,
  });
}

/** Resolves when the process runs. Rejects with the system's error. */
async function run(spawn: () => ChildProcess): Promise<ServerProcess> {
  const child = spawn();
  // Errors count where they matter. One that comes late, from a broken pipe for one, would be an
  // uncaught exception without a listener.
  child.on("error", ignore);
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.on("error", ignore);
  // When a process ends, Node throws away what nobody listens for.
  const outputs = [child.stdout, child.stderr];
  for (const pipe of outputs) pipe?.on("readable", ignore);
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  for (const pipe of outputs) pipe?.off("readable", ignore);
  if (isServerProcess(child)) return child;
  child.kill("SIGKILL");
  throw new TypeError("options.spawn must return a process with three piped streams");
}

function isServerProcess(child: ChildProcess): child is ServerProcess {
  return child.pid !== undefined && child.stdin !== null && child.stdout !== null && child.stderr !== null;
}

function ignore(): void {}

/**
 * Checks a server's working directory before the server is started: the system's own error for a
 * bad one blames the program, and a file system of another machine may never answer.
 */
async function assertDirectory(cwd: string, { serverId, signal }: StdioContext): Promise<void> {
  const fail = (what: string, cause?: unknown): HostsideError =>
    new HostsideError(`server ${JSON.stringify(serverId)}: the working directory ${JSON.stringify(cwd)} ${what}`, {
      code: "spawn_failed",
      serverId,
      details: { operation: "spawn", field: "cwd" },
      cause,
    });
  const check = async (): Promise<void> => {
    const { access, constants, stat } = process.getBuiltinModule("node:fs/promises");
    const stats = await stat(cwd).catch((cause: unknown) => {
      throw fail("does not exist", cause);
    });
    if (!stats.isDirectory()) throw fail("is not a directory");
    await access(cwd, constants.X_OK).catch((cause: unknown) => {
      throw fail("may not be entered", cause);
    });
  };
  throwIfStartAborted(signal, serverId);
  try {
    await untilAborted(check(), signal);
  } catch (error) {
    throwIfStartAborted(signal, serverId);
    throw error;
  }
}

/**
 * Makes the advice for a server whose program had to be killed: of `docker run` or `podman run`
 * that ends the client alone, and the container goes on. `undefined` for other programs.
 */
function containerLeft(spec: ServerSpec): Diagnostic | undefined {
  if (spec.command === undefined) return undefined;
  const { id, command, args = [] } = spec;
  const program = /(?:^|[\\/])(docker|podman|nerdctl)(?:\.exe)?$/i.exec(command)?.[1]?.toLowerCase();
  if (program === undefined || !args.includes("run")) return undefined;
  const at = args.findIndex((argument) => argument === "--name" || argument.startsWith("--name="));
  const name = at === -1 ? undefined : (args[at]?.split("=")[1] ?? args[at + 1]);
  const which = name === undefined ? "its container, which has no --name," : `its container ${quoteText(name)}`;
  const stop = name === undefined ? `${program} ps shows it` : `${program} stop ${quoteText(name)} ends it`;
  const advice = args.includes("--init") ? "" : "; with --init in its arguments it ends when it is asked to";
  return {
    kind: "container-left",
    serverId: id,
    message: `server ${JSON.stringify(id)} ended neither with its input nor on SIGTERM, and ${program} run was killed: ${which} may still run; ${stop}${advice}`,
  };
}

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
