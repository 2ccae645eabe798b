/** The beginning of a text, and how many code points of it are missing. Both linear; a lone surrogate is a code point. */
export function cutByCodePoints(text: string, most: number): { readonly text: string; readonly missing: number } {
  if (text.length <= most) return { text, missing: 0 };
  let points = 0;
  let end = text.length;
  for (let at = 0; at < text.length; points += 1) {
    if (points === most) end = at;
    at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  }
  return points <= most ? { text, missing: 0 } : { text: text.slice(0, end), missing: points - most };
}
