import { createTrust } from "@toolport/config";
import { createToolport } from "../../create-toolport.ts";
import { userState } from "../../state/user-state.ts";
import type { CommandContext } from "../command-context.ts";
import type { Host } from "./host.ts";

/** What a command wants of its host. */
export interface HostWish {
  /** Ids of the only servers that are started. Default: all. */
  readonly only?: readonly string[] | undefined;
  /** Whether servers are waited for. Default `true`; `false`: they come up while the command looks on. */
  readonly wait?: boolean | undefined;
}

/** Loads the configuration, asks about what a project brings if somebody can be asked, and starts the servers. */
export async function openHost(
  { terminal, options, host: open }: CommandContext,
  { only, wait = true }: HostWish = {},
): Promise<Host> {
  // It is the repl's, which closes it.
  if (open !== undefined) return { ...open, [Symbol.asyncDispose]: async () => undefined };
  const { env, home, platform, cwd, signal } = terminal;
  const state = userState({ env, home, platform });
  const toolport = await createToolport({
    config: {
      files: options.config ?? "auto",
      watch: false,
      trust: createTrust({ store: state.store }),
      only: only === undefined ? undefined : (serverId) => only.includes(serverId),
      env,
      home,
      platform,
      cwd,
    },
    state,
    signal,
    timeoutMs: wait ? (options.timeout ?? 30) * 1000 : 0,
  });
  return { toolport, state, [Symbol.asyncDispose]: () => toolport.close() };
}
