import { member } from "./member.ts";

/** Throws a `TypeError` for a promise of an outcome, in which nothing would be seen. */
export function assertSettled(owner: string, outcome: unknown): void {
  if (typeof member(outcome, "then") !== "function") return;
  throw new TypeError(`${owner} takes an outcome, not a promise of one: await the outcome first`);
}
