import { isJsonObject } from "@hostside/core/implement";

const questions = ["checkUrl", "checkAddress", "checkCommand"] as const;

/**
 * Throws a `TypeError` for a guard that cannot be asked: one that is left out by mistake would let
 * everything through.
 */
export function assertGuard(owner: string, guard: unknown): void {
  if (guard === undefined) return;
  if (isJsonObject(guard) && questions.every((name) => typeof guard[name] === "function")) return;
  throw new TypeError(`${owner}: guard must have the functions ${questions.join(", ")}`);
}
