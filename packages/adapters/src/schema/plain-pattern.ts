/**
 * Whether a regular expression neither looks around nor refers back, as engines want it that match
 * in linear time. Never runs it.
 */
export function isPlainPattern(pattern: string): boolean {
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at];
    if (character === "\\") {
      const escaped = pattern[at + 1] ?? "";
      if ((escaped >= "1" && escaped <= "9") || escaped === "k") return false;
      at += 1;
    } else if (character === "(" && pattern[at + 1] === "?") {
      const rest = pattern.slice(at + 2, at + 4);
      if (rest.startsWith("=") || rest.startsWith("!") || rest === "<=" || rest === "<!") return false;
    }
  }
  return true;
}
