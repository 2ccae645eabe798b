/** Whether a value is nested more than so deep; looks no deeper. */
export function isDeeperThan(value: unknown, deepest: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (deepest === 0) return true;
  return Object.values(value).some((member) => isDeeperThan(member, deepest - 1));
}
