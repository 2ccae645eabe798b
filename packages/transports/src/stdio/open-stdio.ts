import type { ServerSpec, Diagnostic } from "@hostside/core";
import { spawn } from "node:child_process";
import * as files from "node:fs/promises";
import { hasExited } from "./end-process.ts";
import { fromSpawnError } from "./from-spawn-error.ts";
import { createProcessGroup } from "./process-group.ts";
import type { ServerProcess } from "./server-process.ts";
import { startServer, throwIfStartAborted, type StartedServer, type StdioContext } from "./start-server.ts";
import { createStdioTransport, type StdioTransport } from "./stdio-transport.ts";
import { quoteText } from "@hostside/core/implement";

/**
 * Starts the server of a stdio spec, unless that was done, and resolves as soon as its process
 * runs, before any message.
 *
 * Throws `invalid_spec`, `not_allowed`, `spawn_failed` (which says what to do about it), or on
 * abort the signal's reason if that is a `HostsideError`, else `aborted`; nothing runs then. A
 * process that ends right after its start is reported by the transport: `start()` throws, or
 * `onclose` fires.
 */
export async function openStdio(
  spec: ServerSpec,
  context: StdioContext,
  started?: StartedServer,
): Promise<StdioTransport> {
  const { platform = process.platform, sendSignal } = context.effects ?? {};
  const server = started ?? (await startHere(spec, context, platform));
  const { mark, spawn: spawnAlike } = server;
  const child = await running(spec, context, server);
  const group = createProcessGroup({
    pid: child.pid,
    platform,
    mark,
    hasLeaderExited: () => hasExited(child),
    spawn: spawnAlike,
    ...(sendSignal && { sendSignal }),
  });
  server.handOver();
  const onKilled = (): void => {
    const left = containerLeft(spec);
    if (left !== undefined) context.onDiagnostic(left);
  };
  const opened = createStdioTransport({ context, process: child, group, onKilled });
  if (context.signal.aborted) {
    await opened.close();
    throwIfStartAborted(context.signal, spec.id);
  }
  return opened;
}

async function startHere(spec: ServerSpec, context: StdioContext, platform: NodeJS.Platform): Promise<StartedServer> {
  const own = platform === "win32" ? (await import("cross-spawn")).default : spawn;
  return startServer(spec, context, { spawn: own, files: () => files });
}

async function running(
  spec: ServerSpec,
  { secrets }: StdioContext,
  { child, env, running: start, handOver }: StartedServer,
): Promise<ServerProcess> {
  if (spec.command === undefined) throw new TypeError(`openStdio() cannot open a server of type "${spec.type}"`);
  try {
    await start;
  } catch (error) {
    handOver();
    const { id, command, cwd = process.cwd() } = spec;
    throw await fromSpawnError(error, { serverId: id, command, cwd, path: env["PATH"], redact: secrets.redact });
  }
  if (child === undefined || !isServerProcess(child)) {
    handOver();
    child?.kill("SIGKILL");
    throw new TypeError("options.spawn must return a process with three piped streams");
  }
  return child;
}

function isServerProcess(child: StartedServer["child"] & object): child is ServerProcess {
  return child.pid !== undefined && child.stdin !== null && child.stdout !== null && child.stderr !== null;
}

/**
 * What to say when the program of a server had to be killed: of `docker run` or `podman run` that
 * ends the client alone, and the container goes on. `undefined` for other programs.
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
