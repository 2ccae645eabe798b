import { startFirst } from "#start-first";
import type { ServerSpec } from "@hostside/core";
import type { Transport } from "../message/transport.ts";
import type { StdioContext } from "../stdio/start-server.ts";
import { loadStdio } from "./load-transport.ts";

/**
 * Opens the transport of a stdio spec: starts the program first, and loads what speaks with it
 * while it boots. Throws as `openStdio`, and what {@linkcode loadStdio} does; nothing runs then.
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
