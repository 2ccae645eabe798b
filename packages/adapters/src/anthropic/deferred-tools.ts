import type { JsonValue, ToolDefinition, ToolOutcome } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { ToolSource } from "../tool-source.ts";

/** The tools of a conversation of which the API keeps some back until a search names them. */
export interface DeferredTools extends ToolSource {
  /** Whether a tool is kept back, by the name of its definition. */
  has(name: string): boolean;
  /**
   * Keeps the first of these back no longer where all of them are: the API refuses a request in
   * which it sees no tool.
   */
  showOne(names: readonly string[]): void;
  /**
   * Names of tools that are kept back and that an answer of the toolbox's own search names now.
   * Remembers them as found.
   */
  found(definition: ToolDefinition | undefined, outcome: ToolOutcome | undefined): readonly string[];
}

/**
 * Puts what is kept back behind what a source offers. What was kept back once stays so for the
 * conversation: to declare it otherwise would change the beginning of the prompt, and its cache.
 * What was found stays declared when it is gone, because the API refuses a conversation that refers
 * to a tool that is not declared; a call of it says why it is gone.
 */
export function createDeferredTools(source: ToolSource, listDeferred: () => readonly ToolDefinition[]): DeferredTools {
  const deferred = new Map<string, ToolDefinition>();
  const found = new Set<string>();
  const shown = new Set<string>();
  const has = (name: string): boolean => deferred.has(name) && !shown.has(name);
  const { presenter, approval } = source;
  return {
    presenter,
    approval,
    tools() {
      const offered = source.tools();
      const visible = offered.filter(({ name }) => !deferred.has(name));
      const offeredByName = new Map(offered.map((definition) => [definition.name, definition]));
      const listed = new Map(listDeferred().map((definition) => [definition.name, definition]));
      for (const [name, definition] of deferred) {
        const current = offeredByName.get(name) ?? listed.get(name);
        if (current !== undefined) deferred.set(name, current);
        else if (!found.has(name)) deferred.delete(name);
        else deferred.set(name, definition);
      }
      const seen = new Set(visible.map(({ name }) => name));
      for (const [name, definition] of listed) if (!seen.has(name)) deferred.set(name, definition);
      return [...visible, ...deferred.values()];
    },
    call: (name, args, options) => source.call(name, args, options),
    has,
    showOne(names) {
      const [first] = names;
      if (first !== undefined && names.every(has)) shown.add(first);
    },
    found(definition, outcome) {
      // The toolbox's own tools alone are believed: no server decides what is declared.
      if (definition === undefined || (definition.origin?.serverId ?? "") !== "" || outcome?.isError !== false)
        return [];
      const offered = new Set(source.tools().map(({ name }) => name));
      const names = namesIn(outcome.structuredContent).filter((name) => has(name) && offered.has(name));
      for (const name of names) found.add(name);
      return [...new Set(names)];
    },
  };
}

// The answers of `tools_search` and `tools_select`: `{ tools: [{ name }] }`.
function namesIn(answer: JsonValue | undefined): readonly string[] {
  if (!isJsonObject(answer)) return [];
  const { tools } = answer;
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool) => (isJsonObject(tool) && typeof tool["name"] === "string" ? [tool["name"]] : []));
}
