import { isHostsideError, HostsideError, type ConnectionGuard, type ServerSpec } from "@hostside/core";
import { isSecretName, untilAborted } from "@hostside/core/implement";
import type { ChildProcess } from "node:child_process";
import { askForCommand } from "../context/ask-guard.ts";
import type { TransportContext } from "../context/transport-context.ts";
import { assertStdioSpec } from "./assert-stdio-spec.ts";
import { safeEnvironment, type Environment } from "./safe-environment.ts";
import type { SpawnProcess } from "./server-process.ts";
import { startVariable } from "./start-variable.ts";
import { terminateOnExit } from "./terminate-on-exit.ts";
import type * as filesModule from "node:fs/promises";

/** What starting a process does to the world, for tests. */
export interface StdioEffects {
  /**
   * Is handed what would have started it. Default that of Node, and on Windows cross-spawn, which
   * starts `.cmd` files, too.
   */
  readonly spawn?: (...call: [...Parameters<SpawnProcess>, own: SpawnProcess]) => ReturnType<SpawnProcess>;
  /** Default that of this process. */
  readonly platform?: NodeJS.Platform;
  /**
   * What a server may inherit from. Default the environment of this process, read when the server
   * starts.
   */
  readonly environment?: Environment;
  /** Sends signals; a negative number is a group. Default `process.kill`. */
  readonly sendSignal?: (pid: number, signal: NodeJS.Signals | 0) => void;
}

/** What {@linkcode startServer} goes by. */
export interface StdioContext extends TransportContext {
  readonly effects?: StdioEffects;
  readonly options?: { readonly guard?: ConnectionGuard | undefined } | undefined;
}

/** What a start needs of Node. */
export interface StartTools {
  readonly spawn: SpawnProcess;
  readonly files: () => Files;
}

/** A process that was asked for. It may never run. */
export interface StartedServer {
  /** Absent when not even that was possible. */
  readonly child: ChildProcess | undefined;
  /**
   * Resolves when it runs, and rejects with the system's error. Its rejection is nobody's concern
   * before somebody looks.
   */
  readonly running: Promise<unknown>;
  /** What its processes carry in their environment, on Linux. */
  readonly mark: string;
  readonly env: Environment;
  /** What started it. */
  readonly spawn: SpawnProcess;
  /** From now on somebody else reads its pipes and sees to its end. */
  readonly handOver: () => void;
  /** Ends it at once, because nobody ever will. */
  readonly abandon: () => void;
}

let starts = 0;

/**
 * Starts the program of a stdio spec, without a shell or a window, and on POSIX as the leader of
 * its own process group, so that all it starts can be ended with it. Needs little code, so that the
 * rest can be loaded while the program boots; until {@linkcode StartedServer.handOver} nothing that
 * it writes is lost, and it ends with this process.
 *
 * Throws `invalid_spec`, `not_allowed`, `spawn_failed` for its directory, or on abort the signal's
 * reason if that is a `HostsideError`, else `aborted`; nothing was started then.
 */
export async function startServer(spec: ServerSpec, context: StdioContext, tools: StartTools): Promise<StartedServer> {
  const { secrets, effects = {}, principal, options = {} } = context;
  const { platform = process.platform, environment = process.env } = effects;
  if (spec.command === undefined) throw new TypeError(`a server of type "${spec.type}" has no program`);
  assertStdioSpec(spec);
  const { id, command, args = [], cwd } = spec;
  if (cwd !== undefined) await assertDirectoryInTime(cwd, { id, signal: context.signal, files: tools.files() });
  throwIfStartAborted(context.signal, id);
  const { guard } = options;
  const refusal = guard && askForCommand(guard, spec, { serverId: id, principal });
  if (refusal !== undefined) throw refusal;

  const mark = nextMark();
  const env = {
    ...safeEnvironment(spec, environment, platform),
    // This process may be a server itself, whose host looks for all that was started below it.
    ...(platform === "linux" && { [startVariable]: [environment[startVariable], mark].filter(Boolean).join(" ") }),
  };
  // What a server inherits it can echo as well; of that only the names tell what is secret.
  for (const [name, value = ""] of Object.entries(env)) if (isSecretName(name)) secrets.learn(value);
  const replaced = effects.spawn;
  const spawn: SpawnProcess = replaced ? (...call) => replaced(...call, tools.spawn) : tools.spawn;
  const { child, error } = attempt(() =>
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
  return { mark, env, spawn, child, ...(child === undefined ? neverRan(error) : watch(child, effects)) };
}

/** Throws on abort, as {@linkcode startServer} does. */
export function throwIfStartAborted(signal: AbortSignal, serverId: string): void {
  if (!signal.aborted) return;
  if (isHostsideError(signal.reason)) throw signal.reason;
  throw new HostsideError(`server ${JSON.stringify(serverId)}: its start was aborted`, {
    code: "aborted",
    serverId,
    outcome: "not-sent",
    cause: signal.reason,
  });
}

// No two starts on one machine have the same. It is no secret, and a random one would cost the
// loading of the whole of Web Crypto before the start.
function nextMark(): string {
  starts += 1;
  return `@${process.pid}:${process.hrtime.bigint()}:${starts};`;
}

function attempt(spawn: () => ChildProcess): { readonly child?: ChildProcess; readonly error?: unknown } {
  try {
    return { child: spawn() };
  } catch (error) {
    return { error };
  }
}

type Watched = Pick<StartedServer, "running" | "handOver" | "abandon">;

function neverRan(error: unknown): Watched {
  const running = Promise.reject(error);
  running.catch(ignore);
  return { running, handOver: ignore, abandon: ignore };
}

function watch(child: ChildProcess, { platform = process.platform, sendSignal }: StdioEffects): Watched {
  // Errors count where they matter. One that comes late, from a broken pipe for one, would be an
  // uncaught exception without a listener.
  child.on("error", ignore);
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.on("error", ignore);
  const running = new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  running.catch(ignore);
  // When a process ends, Node throws away what nobody listens for.
  const outputs = [child.stdout, child.stderr];
  for (const pipe of outputs) pipe?.on("readable", ignore);
  const end = (signal: NodeJS.Signals): void => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    if (platform === "win32") return void child.kill(signal);
    try {
      if (sendSignal === undefined) process.kill(-child.pid, signal);
      else sendSignal(-child.pid, signal);
    } catch {
      // It ended in this moment.
    }
  };
  const letGo = terminateOnExit({ terminate: () => end("SIGTERM"), kill: () => end("SIGKILL") }, () => false);
  const handOver = (): void => {
    letGo();
    for (const pipe of outputs) pipe?.off("readable", ignore);
  };
  return {
    running,
    handOver,
    abandon() {
      handOver();
      end("SIGKILL");
      for (const pipe of [child.stdin, ...outputs]) pipe?.destroy();
      child.unref();
    },
  };
}

function ignore(): void {}

interface DirectoryInit {
  readonly id: string;
  readonly signal: AbortSignal;
  readonly files: Files;
}

// A file system of another machine may never answer.
async function assertDirectoryInTime(cwd: string, { id, signal, files }: DirectoryInit): Promise<void> {
  throwIfStartAborted(signal, id);
  try {
    await untilAborted(assertDirectory(cwd, id, files), signal);
  } catch (error) {
    throwIfStartAborted(signal, id);
    throw error;
  }
}

/** What is needed of Node's files. */
export type Files = Pick<typeof filesModule, "access" | "constants" | "stat">;

/**
 * Checks a server's working directory before the server is started: the system's own error for a
 * bad one blames the program. Throws `spawn_failed` for field `transport.cwd`.
 */
async function assertDirectory(cwd: string, serverId: string, { access, constants, stat }: Files): Promise<void> {
  const fail = (what: string, cause?: unknown): HostsideError =>
    new HostsideError(`server ${JSON.stringify(serverId)}: the working directory ${JSON.stringify(cwd)} ${what}`, {
      code: "spawn_failed",
      serverId,
      details: { operation: "spawn", field: "cwd" },
      cause,
    });
  let isDirectory: boolean;
  try {
    isDirectory = (await stat(cwd)).isDirectory();
  } catch (error) {
    throw fail("does not exist", error);
  }
  if (!isDirectory) throw fail("is not a directory");
  try {
    await access(cwd, constants.X_OK);
  } catch (error) {
    throw fail("may not be entered", error);
  }
}
