/**
 * Refuses a principal that is no text, and an empty one, because everybody would be the same.
 * Throws a `TypeError`.
 */
export function assertPrincipal(caller: string, principal: unknown): void {
  if (principal === undefined || (typeof principal === "string" && principal !== "")) return;
  throw new TypeError(`${caller}: principal must be a text that is not empty`);
}
