import { readContent, type ContentBlock, type ToolOrigin } from "@hostside/core";
import { dropUnseen, isJsonObject } from "@hostside/core/implement";
import { member } from "./untrusted.ts";

/**
 * An outcome as it can be worked on: each of its members was read once, and is what its type says.
 */
export interface SafeOutcome {
  /** At most as many as are looked at; `undefined` for what is no block, or cannot be read. */
  readonly blocks: readonly (ContentBlock | undefined)[];
  /** How many blocks there are in all. */
  readonly count: number;
  /** Absent when there is none. */
  readonly structured: { readonly value: unknown } | undefined;
  readonly isError: boolean;
  readonly origin: ToolOrigin | undefined;
}

/**
 * Reads an outcome of anybody's: a provider of a product's own may hand out getters that throw,
 * blocks of other shapes, or no outcome at all. Looks at `maxBlocks` blocks; of the same outcome,
 * those of `known` are not read again. Never throws.
 */
export function readOutcome(outcome: unknown, maxBlocks: number, known?: SafeOutcome): SafeOutcome {
  const content = member(outcome, "content");
  const [count, blocks] = readBlocks(content, maxBlocks, known?.blocks);
  const structured = member(outcome, "structuredContent");
  return {
    blocks,
    count,
    structured: structured === undefined ? undefined : { value: structured },
    isError: member(outcome, "isError") === true,
    origin: readOrigin(member(outcome, "origin")),
  };
}

function readBlocks(
  content: unknown,
  maxBlocks: number,
  known: SafeOutcome["blocks"] = [],
): readonly [number, readonly (ContentBlock | undefined)[]] {
  if (content === undefined || content === null) return [0, []];
  try {
    if (!Array.isArray(content)) return noList;
    const list: readonly unknown[] = content;
    const length = Math.min(list.length, maxBlocks);
    return [list.length, Array.from({ length }, (_, index) => known[index] ?? readBlock(list, index))];
  } catch {
    return noList;
  }
}

// Something is there, and nobody can say what: one notice.
const noList: readonly [number, readonly undefined[]] = [1, [undefined]];

function readBlock(list: readonly unknown[], index: number): ContentBlock | undefined {
  try {
    const entry = list[index];
    if (!isJsonObject(entry)) return undefined;
    const copy = cleanCopy(entry);
    if (isJsonObject(copy["resource"])) copy["resource"] = cleanCopy(copy["resource"]);
    return readContent([copy])[0];
  } catch {
    return undefined;
  }
}

// Reads each member once, so that none is another one when it is looked at again. Texts are without
// unseen characters.
function cleanCopy(value: object): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...value };
  for (const [name, text] of Object.entries(copy)) if (typeof text === "string") copy[name] = dropUnseen(text);
  return copy;
}

/** The origin of an outcome, where it has one. */
export function readOrigin(origin: unknown): ToolOrigin | undefined {
  const serverId = member(origin, "serverId");
  const toolName = member(origin, "toolName");
  const qualifiedName = member(origin, "qualifiedName");
  if (typeof serverId !== "string" || typeof toolName !== "string") return undefined;
  return { serverId, toolName, qualifiedName: typeof qualifiedName === "string" ? qualifiedName : "" };
}
