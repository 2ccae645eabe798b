import { readConfig, type ConfigLayer } from "@hostside/config";
import type { ConfigOptions } from "../../host-options.ts";
import type { CommandContext } from "../command-context.ts";
import type { TypedServer } from "../render/server-words.ts";
import { buildEntry } from "./build-entry.ts";

/** Where a command looks for the configuration: in nothing of the process. */
export function filesOf({ terminal, options }: Pick<CommandContext, "terminal" | "options">): ConfigOptions {
  const { env, home, platform, cwd } = terminal;
  const { config, typed } = options;
  if (typed === undefined) return { files: config ?? "auto", env, home, platform, cwd };
  return { files: config ?? [], layers: [layerOf(typed, cwd)], env, home, platform, cwd };
}

// It is the strongest of configurations.
function layerOf({ id, words }: TypedServer, cwd: string): ConfigLayer {
  const entry = buildEntry(id, { words }, cwd);
  const result = readConfig({ servers: { [id]: entry } }, { dialect: "hostside" });
  return { scope: "command-line", result, baseFolder: cwd };
}
