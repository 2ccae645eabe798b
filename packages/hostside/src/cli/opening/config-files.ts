import type { ConfigOptions } from "../../host-options.ts";
import type { CommandContext } from "../command-context.ts";

/** Where a command looks for the configuration: in nothing of the process. */
export function filesOf({ terminal, options }: Pick<CommandContext, "terminal" | "options">): ConfigOptions {
  const { env, home, platform, cwd } = terminal;
  return { files: options.config ?? "auto", env, home, platform, cwd };
}
