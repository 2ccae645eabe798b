import type { ServerSpec } from "@toolport/core";
import type { Transport } from "../message/transport.ts";
import { nodeModule } from "../stdio/node-module.ts";
import { startServer, type StartedServer, type StdioContext } from "../stdio/start-server.ts";
import { loadStdio } from "./load-transport.ts";

/**
 * Opens the transport of a stdio spec: starts the program first, and loads what speaks with it while it boots. Throws as `openStdio`, and what
 * {@linkcode loadStdio} does; nothing runs then.
 */
export async function openProcess(spec: ServerSpec, context: StdioContext): Promise<Transport> {
  const started = await startFirst(spec, context);
  let stdio: Awaited<ReturnType<typeof loadStdio>>;
  try {
    stdio = await loadStdio(spec.id);
  } catch (error) {
    started?.abandon();
    throw error;
  }
  return stdio.openStdio(spec, context, started);
}

// On Windows it takes more than Node to start a program.
async function startFirst(spec: ServerSpec, context: StdioContext): Promise<StartedServer | undefined> {
  const { platform = nodeModule("node:os")?.platform() } = context.effects ?? {};
  const processes = platform === "win32" ? undefined : nodeModule("node:child_process");
  if (processes === undefined) return undefined;
  return startServer(spec, context, {
    spawn: processes.spawn,
    files: () => process.getBuiltinModule("node:fs/promises"),
  });
}
