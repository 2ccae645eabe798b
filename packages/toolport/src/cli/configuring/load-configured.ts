import { createTrust, type AskTrust, type Trust } from "@toolport/config";
import { loadConfig, type LoadedConfig, type ServerSource } from "@toolport/config/node";
import { userState } from "../../state/user-state.ts";
import type { CommandContext } from "../command-context.ts";
import { nearNames } from "../program/near-names.ts";
import { usageError } from "../usage-error.ts";

/** What is configured here, and what was decided about it. Nothing is started. */
export interface Configured {
  readonly config: LoadedConfig;
  readonly trust: Trust;
}

/** Reads the configurations that every other command uses. `ask`: who answers for servers of a project that nobody has decided about; `around`: what is asked of it as well. */
export async function loadConfigured(
  { terminal, options }: CommandContext,
  ask?: AskTrust,
  around: (trust: Trust) => Trust = (trust) => trust,
): Promise<Configured> {
  const { env, home, platform, cwd, signal } = terminal;
  const { store, lock } = userState({ env, home, platform });
  const trust = around(createTrust({ store, lock, ask }));
  const config = await loadConfig({ files: options.config ?? "auto", trust, env, home, platform, cwd, signal });
  return { config, trust };
}

/** The server of a name, or a usage error that lists near ones. */
export function findSource({ sources }: LoadedConfig, name: string): ServerSource {
  const found = sources.find(({ serverId }) => serverId === name);
  if (found === undefined) throw unknownServer(name, sources);
  return found;
}

/** What a command throws for a name that no server has. */
export function unknownServer(name: string, sources: readonly Pick<ServerSource, "serverId">[]): Error {
  const names = sources.map(({ serverId }) => serverId);
  const near = nearNames(name, names);
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(", ")}?`
      : names.length === 0
        ? "No server is configured: toolport init, or toolport add."
        : `There are ${names.join(", ")}.`;
  return usageError(`no server is called ${JSON.stringify(name)}`, hint);
}

/** Where a server stands: `/home/user/.cursor/mcp.json:4`. */
export function placeOf({ file, line }: Pick<ServerSource, "file" | "line">): string {
  return [file ?? "another configuration", line].filter((part) => part !== undefined).join(":");
}
