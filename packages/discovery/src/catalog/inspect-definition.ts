import { type ToolDefinition, type ToolFlag, defaultLimits, truncateText } from "@hostside/core";
import { dropUnseen, inspectText, inspectedTexts } from "@hostside/core/implement";

const maxTitleLength = 1024;

const inspected = new WeakMap<ToolDefinition, ToolDefinition>();
const originals = new WeakMap<ToolDefinition, ToolDefinition>();

/**
 * Bounds and cleans the texts of a definition of a product's own provider, and flags what was in
 * them. Returns the definition itself if its texts are fine, and the same copy each time if they
 * are not.
 */
export function inspectDefinition(original: ToolDefinition): ToolDefinition {
  if (inspectedTexts in original) return original;
  const known = inspected.get(original);
  if (known !== undefined) return known;
  const definition = inspectTexts(original);
  inspected.set(original, definition);
  if (definition !== original) originals.set(definition, original);
  return definition;
}

/** Returns what a provider knows an inspected definition by; any other one as it is. */
export function originalOf(definition: ToolDefinition): ToolDefinition {
  return originals.get(definition) ?? definition;
}

function inspectTexts(definition: ToolDefinition): ToolDefinition {
  const { name, title, description } = definition;
  const flags = new Set<ToolFlag>(definition.flags);
  const clean = (text: string, maxLength: number): string => {
    const short = truncateText(text, maxLength);
    if (short !== text) flags.add("truncated");
    for (const flag of inspectText(short)) flags.add(flag);
    return dropUnseen(short);
  };
  for (const flag of inspectText(name)) flags.add(flag);
  const texts = {
    ...(title !== undefined && { title: clean(title, maxTitleLength) }),
    description: clean(description, defaultLimits.maxDescriptionLength),
  };
  const isFine = texts.title === title && texts.description === description;
  if (isFine && flags.size === (definition.flags?.length ?? 0)) return definition;
  const copy = { ...definition, ...texts, flags: Array.from(flags) };
  if (Object.hasOwn(copy, "fingerprint")) return copy;
  // Not listed among its members, so that it is made only for those who read it.
  return Object.defineProperties(copy, {
    fingerprint: { get: () => definition.fingerprint },
    entry: { get: () => definition.entry },
  });
}
