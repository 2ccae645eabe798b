import { dialectNames, readConfig, type ConfigLayer, type DialectName } from "@hostside/config";
import { quoteText } from "@hostside/core/implement";
import type { ConfigOptions } from "../../host-options.ts";
import type { CommandContext } from "../command-context.ts";
import type { TypedServer } from "../render/server-words.ts";
import { usageError } from "../usage-error.ts";
import { buildEntry } from "./build-entry.ts";

/** Where a command looks for the configuration: in nothing of the process. */
export function filesOf({ terminal, options }: Pick<CommandContext, "terminal" | "options">): ConfigOptions {
  const { env, home, platform, cwd } = terminal;
  const { config, typed } = options;
  const dialect = dialectOf(options);
  const files = config?.map((path) => (dialect === undefined ? path : { path, dialect }));
  if (typed === undefined) return { files: files ?? "auto", env, home, platform, cwd };
  return { files: files ?? [], layers: [layerOf(typed, cwd)], env, home, platform, cwd };
}

function dialectOf({ config, dialect }: CommandContext["options"]): DialectName | undefined {
  if (dialect === undefined) return undefined;
  if (config === undefined) throw usageError("--dialect is about files of --config, and there are none");
  const known = dialectNames.find((name) => name === dialect);
  if (known !== undefined) return known;
  throw usageError(`there is no dialect ${quoteText(dialect, 80)}`, `There are ${dialectNames.join(", ")}.`);
}

// It is the strongest of configurations.
function layerOf({ id, words }: TypedServer, cwd: string): ConfigLayer {
  const entry = buildEntry(id, { words }, cwd);
  const result = readConfig({ servers: { [id]: entry } }, { dialect: "hostside" });
  return { scope: "command-line", result, baseFolder: cwd };
}
