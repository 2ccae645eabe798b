import { isJsonObject } from "@toolport/core";

/**
 * Deepest nesting of objects and arrays that is let in. Far above honest messages, far below what exhausts the stack of code that
 * walks a message recursively.
 */
export const maxMessageDepth = 512;

/** Whether a parsed message is nested deeper than {@linkcode maxMessageDepth}. */
export function isTooDeep(message: unknown): boolean {
  return isDeeperThan(message, maxMessageDepth);
}

// Recursion is safe here, because it goes no deeper than `levels`.
function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeperThan(item, levels - 1));
  return Object.values(value).some((item) => isDeeperThan(item, levels - 1));
}

/** The request that a message answers; `undefined` when it is no answer. */
export function answeredRequest(message: unknown): string | number | undefined {
  if (!isJsonObject(message) || Object.hasOwn(message, "method")) return undefined;
  const { id } = message;
  return typeof id === "string" || typeof id === "number" ? id : undefined;
}
