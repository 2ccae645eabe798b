import { loadConfig } from "@hostside/config/node";
import { userState } from "../../state/user-state.ts";
import type { CommandContext } from "../command-context.ts";
import { filesOf } from "../opening/config-files.ts";
import { lastNamesOf } from "../opening/last-names.ts";
import type { CompletionSources } from "./complete-words.ts";

/**
 * Servers as configured, and tools by the names that they had last. Starts nothing, asks nobody,
 * and knows nothing rather than failing.
 */
export function sourcesAtRest({ terminal, options }: CommandContext, words: readonly string[]): CompletionSources {
  const { env, home, platform } = terminal;
  const typed = configFilesIn(words);
  const { watch: _, ...place } = filesOf({ terminal, options: typed.length > 0 ? { config: typed } : options });
  const load = async () => (await loadConfig({ ...place, allow: () => false })).sources;
  return {
    async servers() {
      return (await load()).map(({ serverId, scope }) => ({ value: serverId, about: scope }));
    },
    async tools() {
      const ids = (await load()).map(({ serverId }) => serverId);
      const { servers } = await lastNamesOf(ids, userState({ env, home, platform }).store);
      return servers.flatMap(([serverId, tools]) =>
        tools.map(([toolName, localName]) => ({ value: `${serverId}/${toolName}`, localName })),
      );
    },
  };
}

function configFilesIn(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    if (words[index - 1] === "--config") return [word];
    return word.startsWith("--config=") ? [word.slice("--config=".length)] : [];
  });
}
