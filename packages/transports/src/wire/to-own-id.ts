/**
 * An id of ours as we wrote it: a number, which some servers give back as text. Anything else comes
 * back as it is.
 */
export function toOwnId(id: unknown): unknown {
  return typeof id === "string" && /^\d{1,15}$/.test(id) ? Number(id) : id;
}
