import { truncateText } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { ListDefinition } from "../listing/list-kind.ts";
import { longestDescription, longestName, readListedEntry } from "../listing/read-entry.ts";
import type { Prompt, PromptArgument } from "./prompt.ts";

/** The lists of prompts. */
export const promptKind: ListDefinition<Prompt> = {
  method: "prompts/list",
  member: "prompts",
  capability: "prompts",
  keyOf: ({ name }) => name,
  read(entry, serverId) {
    const { name } = entry;
    // An identity is never cut: it would be another one.
    if (name === "") return "its name is empty";
    if (typeof name === "string" && name.length > longestName)
      return `its name is longer than ${longestName} UTF-16 units`;
    const listed = readListedEntry(entry, serverId);
    return typeof listed === "string" ? listed : { ...listed, arguments: readArguments(entry["arguments"]) };
  },
};

function readArguments(values: unknown): readonly PromptArgument[] {
  const found = new Map<string, PromptArgument>();
  for (const value of Array.isArray(values) ? (values as readonly unknown[]) : []) {
    if (!isJsonObject(value)) continue;
    const { name, title, description, required } = value;
    if (typeof name !== "string" || name === "" || name.length > longestName || found.has(name)) continue;
    found.set(name, {
      name,
      ...(typeof title === "string" && { title: truncateText(title, longestName) }),
      ...(typeof description === "string" && { description: truncateText(description, longestDescription) }),
      required: required === true,
    });
  }
  return Array.from(found.values());
}
