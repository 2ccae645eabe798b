/** The levels of RFC 5424, from what matters least. */
const levels: readonly string[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** True for the name of a level. */
export function isLogLevel(level: unknown): level is string {
  return typeof level === "string" && levels.includes(level);
}

/** Whether a line of `level` matters enough for somebody who asked for `least`. */
export function reachesLevel(level: string, least: string): boolean {
  return levels.indexOf(level) >= levels.indexOf(least);
}
