import type { ConfigData, ConfigPath } from "./config-data.ts";

/**
 * A value and where it stands, as every parser here returns it. Offsets are UTF-16 units into the
 * text.
 */
export interface ConfigNode {
  data: ConfigData;
  start: number;
  end: number;
  /** Where the name of a member begins. */
  name?: number | undefined;
  /** By name, or by index as a text. */
  children?: Map<string, ConfigNode> | undefined;
}

/** What a parser makes of a text. */
export interface ParsedTree {
  readonly root: ConfigNode | undefined;
  readonly faults: readonly TextFault[];
}

/** Something wrong with a text, at an offset. */
export interface TextFault {
  readonly offset: number;
  readonly code:
    | "invalid_syntax"
    | "duplicate_key"
    | "cyclic_alias"
    | "too_deep"
    | "too_many_entries"
    | "too_large"
    | "not_strict_json";
  readonly message: string;
  readonly fix?: string | undefined;
  readonly path?: ConfigPath | undefined;
  /** Whether the text is broken there, so that what is around it may lack something. */
  readonly breaks: boolean;
  /** Whether it is before what begins there, and not in it. */
  readonly between?: boolean | undefined;
}

/** The node at a path, or the last one on the way that exists, and whether it is the whole way. */
export function nodeAt(root: ConfigNode, path: ConfigPath): { readonly node: ConfigNode; readonly found: boolean } {
  let node = root;
  for (const part of path) {
    const next = node.children?.get(String(part));
    if (next === undefined) return { node, found: false };
    node = next;
  }
  return { node, found: true };
}

/** How much of a text is read. */
export interface ParseLimits {
  /** UTF-16 units. */
  readonly maxLength: number;
  readonly maxDepth: number;
  /** Values, at all depths; what an alias stands for counts each time. */
  readonly maxEntries: number;
}
