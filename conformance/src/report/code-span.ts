/**
 * A text as a code span of Markdown: delimiters longer than any run of backticks inside, and no
 * line break, which would end the list item or the row.
 */
export function codeSpan(text: string): string {
  const longest = Math.max(0, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks} ${text.replaceAll(/\s+/g, " ").trim()} ${ticks}`;
}
