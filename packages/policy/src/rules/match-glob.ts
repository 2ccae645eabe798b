/** Tells whether a text is one that a glob stands for. */
export type GlobMatch = (text: string) => boolean;

/**
 * Reads a glob: `*` stands for any characters, none included, and every other character for itself,
 * byte for byte. Takes time linear in the text for each `*`, whatever the text, because texts come
 * from servers.
 */
export function matchGlob(glob: string): GlobMatch {
  if (!glob.includes("*")) return (text) => text === glob;
  const [first = "", ...rest] = glob.split("*");
  const last = rest.pop() ?? "";
  const middle = rest.filter((part) => part !== "");
  return (text) => {
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const part of middle) {
      const found = text.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return text.length - last.length >= at && text.endsWith(last);
  };
}

/** Tells whether a glob stands for any text that begins like this. */
export function meetsPrefix(glob: string, prefix: string): boolean {
  const [head = ""] = glob.split("*");
  return head.startsWith(prefix) || (glob.includes("*") && prefix.startsWith(head));
}
