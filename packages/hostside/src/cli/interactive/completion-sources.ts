import { loadConfig } from "@hostside/config/node";
import { userState } from "../../state/user-state.ts";
import type { CommandContext } from "../command-context.ts";
import { pathOf, searchTool } from "../opening/find-tool.ts";
import type { OpenedHost } from "../opening/opened-host.ts";
import { filesOf } from "../opening/config-files.ts";
import { lastNamesOf } from "../opening/last-names.ts";
import type { CompletionCandidate, CompletionSources, ToolArgument } from "./complete-words.ts";
import { isJsonObject } from "@hostside/core/implement";

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

/** Servers and tools of a host that is open, and what its tools take. */
export function sourcesOfHost({ host }: OpenedHost): CompletionSources {
  return {
    servers: async () => host.statuses().map(({ id, state }): CompletionCandidate => ({ value: id, about: state })),
    tools: async () =>
      host.tools().map((tool) => ({ value: pathOf(tool), localName: tool.name, about: tool.description })),
    argumentsOf: (tool) => argumentsIn(searchTool(tool, host.tools())[0]?.inputSchema),
  };
}

function argumentsIn(schema: unknown): readonly ToolArgument[] {
  const properties = isJsonObject(schema) ? schema["properties"] : undefined;
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).map(([name, property]) => {
    const fields = isJsonObject(property) ? property : {};
    const { enum: values, description, type } = fields;
    return {
      value: `--${name}`,
      about: typeof description === "string" ? description : undefined,
      values: Array.isArray(values) ? values.map(String) : type === "boolean" ? ["true", "false"] : undefined,
    };
  });
}

function configFilesIn(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    if (words[index - 1] === "--config") return [word];
    return word.startsWith("--config=") ? [word.slice("--config=".length)] : [];
  });
}
