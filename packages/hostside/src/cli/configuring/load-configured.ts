import { createTrust, type AskTrust, type Trust } from "@hostside/config";
import { loadConfig, type LoadedConfig, type ServerSource } from "@hostside/config/node";
import { userState } from "../../state/user-state.ts";
import { filesOf } from "../opening/config-files.ts";
import type { CommandContext } from "../command-context.ts";

/** The configuration here, and the decisions about it. */
export interface Configured {
  readonly config: LoadedConfig;
  readonly trust: Trust;
}

/**
 * Reads the configurations that every other command uses. `ask`: who answers for servers of a
 * project that nobody has decided about; `around`: what is asked of it as well.
 */
export async function loadConfigured(
  { terminal, options }: CommandContext,
  ask?: AskTrust,
  around: (trust: Trust) => Trust = (trust) => trust,
): Promise<Configured> {
  const { store, lock } = userState(terminal);
  const { watch: _, ...files } = filesOf({ terminal, options });
  const trust = around(createTrust({ store, lock, ask }));
  const config = await loadConfig({ ...files, trust, signal: terminal.signal });
  return { config, trust };
}

/** The place of a server's entry: `/home/user/.cursor/mcp.json:4`. */
export function sourcePlaceOf({ file, line }: Pick<ServerSource, "file" | "line">): string {
  return [file ?? "another configuration", line].filter((part) => part !== undefined).join(":");
}
