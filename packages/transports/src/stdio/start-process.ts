import type { StdioTransportSpec } from "@toolport/core";
import type { Redactor } from "@toolport/core/implement";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fromSpawnError } from "./from-spawn-error.ts";
import type { Environment } from "./safe-environment.ts";
import type { ServerProcess, SpawnProcess } from "./server-process.ts";

/** The effects of {@linkcode startProcess}. */
export interface StartProcessOptions {
  readonly spawn: SpawnProcess;
  readonly platform: NodeJS.Platform;
  /** All that the server finds in its environment. */
  readonly env: Environment;
  readonly redact: Redactor;
}

/**
 * Starts the program of a spec, without a shell or a window, and on POSIX as the leader of its own process group, so that all it starts can be
 * ended with it. Resolves when it runs. Throws `spawn_failed`.
 */
export async function startProcess(
  serverId: string,
  transport: StdioTransportSpec,
  { spawn, platform, env, redact }: StartProcessOptions,
): Promise<ServerProcess> {
  const { command, args = [], cwd } = transport;
  let child: ChildProcess;
  try {
    child = spawn(command, args, {
      ...(cwd !== undefined && { cwd }),
      env,
      stdio: ["pipe", "pipe", "pipe"],
      shell: false,
      windowsHide: true,
      // On Windows it would open a console window, and there are no groups to lead.
      detached: platform !== "win32",
    });
    // Errors count where they matter. One that comes late, from a broken pipe for one, would be an uncaught exception without a listener.
    child.on("error", ignore);
    // Also rejects on `error`.
    await once(child, "spawn");
  } catch (error) {
    throw await fromSpawnError(error, { serverId, command, cwd: cwd ?? process.cwd(), path: env["PATH"], redact });
  }
  if (!isServerProcess(child)) {
    child.kill("SIGKILL");
    throw new TypeError("options.spawn must return a process with three piped streams");
  }
  for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.on("error", ignore);
  return child;
}

function ignore(): void {}

function isServerProcess(child: ChildProcess): child is ServerProcess {
  return child.pid !== undefined && child.stdin !== null && child.stdout !== null && child.stderr !== null;
}
