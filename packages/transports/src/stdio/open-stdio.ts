import { isToolportError, ToolportError, type ConnectionGuard, type ServerSpec } from "@toolport/core";
import { isSecretName, untilAborted } from "@toolport/core/implement";
import { spawn as spawnProgram } from "node:child_process";
import { askForCommand } from "../context/ask-guard.ts";
import type { TransportContext } from "../context/transport-context.ts";
import { assertDirectory } from "./assert-directory.ts";
import { assertStdioSpec } from "./assert-stdio-spec.ts";
import { hasExited } from "./end-process.ts";
import { createProcessGroup } from "./process-group.ts";
import { safeEnvironment, type Environment } from "./safe-environment.ts";
import type { SpawnProcess } from "./server-process.ts";
import { startVariable } from "./stragglers.ts";
import { startProcess } from "./start-process.ts";
import { createStdioTransport, type StdioTransport } from "./stdio-transport.ts";

export { mostStarts } from "./most-starts.ts";

/** What starting a process does to the world, for tests. */
export interface StdioEffects {
  /** Is handed what would have started it. Default that of Node, and on Windows cross-spawn, which starts `.cmd` files, too. */
  readonly spawn?: (...call: [...Parameters<SpawnProcess>, own: SpawnProcess]) => ReturnType<SpawnProcess>;
  /** Default that of this process. */
  readonly platform?: NodeJS.Platform;
  /** What a server may inherit from. Default the environment of this process, read when the server starts. */
  readonly environment?: Environment;
  /** Sends signals; a negative number is a group. Default `process.kill`. */
  readonly sendSignal?: (pid: number, signal: NodeJS.Signals | 0) => void;
}

/** What {@linkcode openStdio} goes by. */
export interface StdioContext extends TransportContext {
  readonly effects?: StdioEffects;
  readonly options?: { readonly guard?: ConnectionGuard | undefined } | undefined;
}

/**
 * Starts the server of a stdio spec and resolves as soon as its process runs, before any message.
 *
 * Throws `invalid_spec`, `not_allowed`, `spawn_failed` (which says what to do about it), or on abort the signal's reason if that is a `ToolportError`, else
 * `aborted`; nothing runs then. A process that ends right after its start is reported by the transport: `start()` throws, or `onclose` fires.
 */
export async function openStdio(spec: ServerSpec, context: StdioContext): Promise<StdioTransport> {
  const { secrets, effects = {}, principal } = context;
  const { guard } = context.options ?? {};
  const { platform = process.platform, environment = process.env } = effects;
  const { id, transport } = spec;
  if (transport.kind !== "stdio")
    throw new TypeError(`openStdio() cannot open a transport of kind "${transport.kind}"`);
  assertStdioSpec(id, transport);
  if (transport.cwd !== undefined) await assertDirectoryInTime(transport.cwd, id, context.signal);
  const own: SpawnProcess = platform === "win32" ? (await import("cross-spawn")).default : spawnProgram;
  const replaced = effects.spawn;
  const spawn: SpawnProcess = replaced ? (...call) => replaced(...call, own) : own;
  throwIfAborted(context.signal, id);
  const refusal = guard && askForCommand(guard, transport, { serverId: id, principal });
  if (refusal !== undefined) throw refusal;

  const mark = crypto.randomUUID();
  const env = {
    ...safeEnvironment(transport, environment, platform),
    // This process may be a server itself, whose host looks for all that was started below it.
    ...(platform === "linux" && { [startVariable]: [environment[startVariable], mark].filter(Boolean).join(" ") }),
  };
  // What a server inherits it can echo as well; of that only the names tell what is secret.
  for (const [name, value = ""] of Object.entries(env)) if (isSecretName(name)) secrets.learn(value);
  const child = await startProcess(spec.id, transport, { spawn, platform, env, redact: secrets.redact });
  const group = createProcessGroup({
    pid: child.pid,
    platform,
    mark,
    hasLeaderExited: () => hasExited(child),
    spawn,
    ...(effects.sendSignal && { sendSignal: effects.sendSignal }),
  });
  const opened = createStdioTransport({ context, process: child, group });
  if (context.signal.aborted) {
    await opened.close();
    throwIfAborted(context.signal, id);
  }
  return opened;
}

// A file system of another machine may never answer.
async function assertDirectoryInTime(cwd: string, id: string, signal: AbortSignal): Promise<void> {
  throwIfAborted(signal, id);
  try {
    await untilAborted(assertDirectory(cwd, id), signal);
  } catch (error) {
    throwIfAborted(signal, id);
    throw error;
  }
}

function throwIfAborted(signal: AbortSignal, serverId: string): void {
  if (!signal.aborted) return;
  if (isToolportError(signal.reason)) throw signal.reason;
  throw new ToolportError(`server ${JSON.stringify(serverId)}: its start was aborted`, {
    code: "aborted",
    serverId,
    outcome: "not-sent",
    cause: signal.reason,
  });
}
