import { isJsonObject } from "@hostside/core/implement";

/**
 * Deepest nesting of objects and arrays that is let in. Far above honest messages, far below what
 * exhausts the stack of code that walks a message recursively.
 */
export const maxMessageDepth = 512;

/** Whether a parsed message is nested deeper than {@linkcode maxMessageDepth}. */
export function isTooDeep(message: unknown): boolean {
  return isDeeperThan(message, maxMessageDepth);
}

// What the `tools` of an answer stand in: the message, its result, the array.
const levelsAroundTool = 3;

/**
 * Whether a message that was just parsed may be let in. One tool that is nested too deeply must not
 * cost a whole list: in an answer that lists tools, the entries are cut at the deepest level that
 * is let in, which is still deeper than any schema that is taken.
 */
export function admitDepth(message: unknown): boolean {
  if (!isTooDeep(message)) return true;
  const result = isJsonObject(message) ? message["result"] : undefined;
  const tools: unknown = isJsonObject(result) ? result["tools"] : undefined;
  if (!Array.isArray(tools)) return false;
  for (const [index, tool] of tools.entries()) tools[index] = cutAt(tool, maxMessageDepth - levelsAroundTool);
  return !isTooDeep(message);
}

function cutAt(value: unknown, levels: number): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((item) => cutAt(item, levels - 1));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, cutAt(item, levels - 1)]));
}

// Recursion is safe here, because it goes no deeper than `levels`. Loops that make nothing, and ask
// only of objects: every message passes here, with all tools of a listing.
function isDeeperThan(value: unknown, levels: number): boolean {
  if (levels === 0) return typeof value === "object" && value !== null;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    for (const item of items) {
      if (typeof item === "object" && item !== null && isDeeperThan(item, levels - 1)) return true;
    }
  } else if (isJsonObject(value)) {
    for (const name in value) {
      const member = value[name];
      if (typeof member === "object" && member !== null && isDeeperThan(member, levels - 1)) return true;
    }
  }
  return false;
}

/** The request that a message answers; `undefined` when it is no answer. */
export function answeredRequest(message: unknown): string | number | undefined {
  if (!isJsonObject(message) || Object.hasOwn(message, "method")) return undefined;
  const { id } = message;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
