/**
 * A text as XML 1.0 character data or attribute value: escaped, and without the characters that no
 * XML may hold.
 */
export function xmlText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]/g, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "&#10;");
}
