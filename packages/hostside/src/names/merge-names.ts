import { foldCase } from "@hostside/core/implement";
import { isLegalName, type NamingStrategy } from "@hostside/naming";

/** Remote names with their local names. */
export type LocalNames = readonly (readonly [toolName: string, localName: string])[];

/** Reads names as they are kept; `undefined` for what they are not. Nothing of it is trusted. */
export function readNames(kept: unknown, naming: NamingStrategy): LocalNames | undefined {
  if (!Array.isArray(kept)) return undefined;
  const names = kept.filter((pair): pair is readonly [string, string] => {
    return Array.isArray(pair) && pair.length === 2 && pair.every((one) => typeof one === "string");
  });
  const isWhole = names.length === kept.length && names.every(([, name]) => isLegalName(name, naming));
  return isWhole && distinct(names).length === names.length ? names : undefined;
}

/** The newer names, and of the older ones those that they leave free. */
export function mergeNames(newer: LocalNames, older: LocalNames): LocalNames {
  return distinct([...newer, ...older]);
}

/** Of two that say something of one tool, or have one name, the first. */
export function distinct(names: LocalNames, taken: Set<string> = new Set()): LocalNames {
  const tools = new Set<string>();
  return names.filter(([toolName, localName]) => {
    const name = foldCase(localName);
    if (tools.has(toolName) || taken.has(name)) return false;
    tools.add(toolName);
    taken.add(name);
    return true;
  });
}
