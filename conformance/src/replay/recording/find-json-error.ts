const tokens: readonly RegExp[] = [
  /"(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/y,
  /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y,
  /true|false|null/y,
];

/**
 * Where a text stops to be JSON, as an index; for texts that are none. Engines say so in different
 * words, or not at all.
 */
export function findJsonError(text: string): number {
  const open: ("array" | "object")[] = [];
  let at = skipSpace(text, 0);
  // What has to come: a value, the name of a member, what follows either, or the first of a list
  // that may be empty.
  let wants: "value" | "first" | "name" | "colon" | "next" = "value";
  for (;;) {
    const character = text[at];
    if (wants === "next" && open.length === 0) return at;
    const inside = open.at(-1);
    if (wants === "first" && character === (inside === "array" ? "]" : "}")) {
      open.pop();
      at += 1;
      wants = "next";
    } else if (wants === "next") {
      if (character === ",") wants = inside === "array" ? "value" : "name";
      else if (character === (inside === "array" ? "]" : "}")) open.pop();
      else return at;
      at += 1;
    } else if (wants === "colon") {
      if (character !== ":") return at;
      at += 1;
      wants = "value";
    } else if (wants === "name" || (wants === "first" && inside === "object")) {
      const end = endOfToken(text, at, tokens.slice(0, 1));
      if (end === undefined) return at;
      at = end;
      wants = "colon";
    } else if (character === "{" || character === "[") {
      open.push(character === "{" ? "object" : "array");
      at += 1;
      wants = "first";
    } else {
      const end = endOfToken(text, at, tokens);
      if (end === undefined) return at;
      at = end;
      wants = "next";
    }
    at = skipSpace(text, at);
  }
}

function endOfToken(text: string, at: number, kinds: readonly RegExp[]): number | undefined {
  for (const kind of kinds) {
    kind.lastIndex = at;
    if (kind.test(text)) return kind.lastIndex;
  }
  return undefined;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && " \t\r\n".includes(text.charAt(at))) at += 1;
  return at;
}
