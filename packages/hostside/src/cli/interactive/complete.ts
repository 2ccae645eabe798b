import { loadConfig } from "@hostside/config/node";
import { createKeptNames } from "../../names/keep-names.ts";
import { userState } from "../../state/user-state.ts";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { filesOf } from "../opening/config-files.ts";
import { terminalLine } from "../render/render-text.ts";
import { completeWords, type CompletionSources } from "./complete-words.ts";

/** The question of a shell's script. */
export interface ShellQuestion {
  /** The words after the program's name, the one at the cursor last. */
  readonly words: readonly string[];
}

/**
 * Answers a shell's script: a line that says `files` or `words`, then each word, a tab, and what it
 * is. A failure completes nothing: a person who presses a key wants no message.
 */
export const runCompleteCommand: CommandWork<ShellQuestion> = async ({ words }, context) => {
  const before = words.slice(0, -1);
  try {
    if (context.program === undefined) return exitCodes.usage;
    const query = { words: before, current: words.at(-1) ?? "" };
    const found = await completeWords(context.program, query, sourcesAtRest(context, before));
    const lines =
      found === "files"
        ? ["files"]
        : [
            "words",
            ...found.map(({ value, about = "" }) => (about === "" ? value : `${value}\t${terminalLine(about, 80)}`)),
          ];
    context.terminal.out(`${lines.join("\n")}\n`);
  } catch (error) {
    if (context.options.verbose === true) throw error;
  }
  return exitCodes.pass;
};

/**
 * Servers as configured, and tools by the names that they had last. Starts nothing and asks nobody.
 */
function sourcesAtRest({ terminal, options }: CommandContext, words: readonly string[]): CompletionSources {
  const { env, home, platform } = terminal;
  const typed = words.flatMap((word, index) => {
    if (words[index - 1] === "--config") return [word];
    return word.startsWith("--config=") ? [word.slice("--config=".length)] : [];
  });
  const { watch: _, ...place } = filesOf({ terminal, options: typed.length > 0 ? { config: typed } : options });
  const load = async () => (await loadConfig({ ...place, allow: () => false })).sources;
  return {
    servers: async () => (await load()).map(({ serverId, scope }) => ({ value: serverId, about: scope })),
    async tools() {
      const { store } = userState({ env, home, platform });
      const means = { store, providerName: undefined, naming: undefined, report: () => undefined };
      const { servers } = await createKeptNames(means).recall((await load()).map(({ serverId }) => serverId));
      return servers.flatMap(([serverId, tools]) =>
        tools.map(([toolName, localName]) => ({ value: `${serverId}/${toolName}`, localName })),
      );
    },
  };
}
