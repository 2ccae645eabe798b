import { defaultLimits, inspectText, truncateText, type TextFlag, type ToolDefinition } from "@toolport/core";

/** The way of a provider's definition into the toolbox and back. */
export interface Admission {
  /**
   * A definition as the toolbox shows it: the very same object when its texts are plain and short, otherwise a copy with texts cut
   * to size and `flags` that say what is odd about them. A definition that has flags already was looked at by its provider. The
   * same object in gives the same object out.
   */
  admit(definition: ToolDefinition): ToolDefinition;
  /** What the provider knows an admitted definition by; any other definition is returned as it is. */
  originalOf(definition: ToolDefinition): ToolDefinition;
}

// Nearly all texts are plain, and this one test is cheaper than looking for each oddity.
const oddity = /[^\t\n\r -~]/;
const maxTitleLength = 1024;

/** An admission that remembers what it saw for as long as somebody else does. */
export function createAdmission(): Admission {
  const admitted = new WeakMap<ToolDefinition, ToolDefinition>();
  const originals = new WeakMap<ToolDefinition, ToolDefinition>();
  return {
    admit(definition) {
      let shown = admitted.get(definition);
      if (shown === undefined) {
        shown = inspectDefinition(definition);
        admitted.set(definition, shown);
        originals.set(shown, definition);
      }
      return shown;
    },
    originalOf: (definition) => originals.get(definition) ?? definition,
  };
}

function inspectDefinition(definition: ToolDefinition): ToolDefinition {
  const { name, title, description, flags = [] } = definition;
  const shortTitle = title === undefined ? undefined : truncateText(title, maxTitleLength);
  const shortDescription = truncateText(description, defaultLimits.maxDescriptionLength);
  const found = new Set<TextFlag>(flags);
  if (flags.length === 0) {
    for (const text of [name, shortTitle ?? "", shortDescription]) {
      if (oddity.test(text)) for (const flag of inspectText(text)) found.add(flag);
    }
  }
  if (shortTitle !== title || shortDescription !== description) found.add("truncated");
  if (found.size === flags.length) return definition;
  return {
    ...definition,
    ...(shortTitle !== undefined && { title: shortTitle }),
    description: shortDescription,
    flags: Array.from(found),
  };
}
