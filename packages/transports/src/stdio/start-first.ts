import type { ServerSpec } from "@hostside/core";
import { startServer, type StartedServer, type StdioContext } from "./start-server.ts";

export { defaultStartLimit } from "./default-start-limit.ts";

/**
 * Starts the program of a stdio spec with no more than Node has at hand, before what speaks with it
 * is loaded. Throws as {@linkcode startServer} does. `undefined` on Windows, where it takes more
 * than Node to start a program.
 */
export async function startFirst(spec: ServerSpec, context: StdioContext): Promise<StartedServer | undefined> {
  const { platform = process.platform } = context.effects ?? {};
  if (platform === "win32") return undefined;
  // At once, and only now: an `import` would be a module to load, for products without such
  // servers, too.
  return startServer(spec, context, {
    spawn: process.getBuiltinModule("node:child_process").spawn,
    files: () => process.getBuiltinModule("node:fs/promises"),
  });
}
