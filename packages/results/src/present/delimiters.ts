import type { ToolOrigin } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";

/** The two marks around a text of a server's. */
export interface Delimiters {
  readonly open: string;
  readonly close: string;
}

// U+27E6 and U+27E7, and U+301A and U+301B that look the same. Each is one UTF-16 unit, as what
// stands for it: places in a text stay.
const brackets = /[\u27E6\u27E7\u301A\u301B]/g;

/**
 * The text without the brackets of which marks are made: `[` and `]` stand for them. So no text can
 * have a mark, whatever its server knows of it. As long as before.
 */
export function plainBrackets(text: string): string {
  return text.replaceAll(brackets, (bracket) => (bracket === "\u27E6" || bracket === "\u301A" ? "[" : "]"));
}

/** The marks for texts of one origin. A name that a server chose is quoted and bounded. */
export function delimitersFor(origin: ToolOrigin | undefined): Delimiters {
  const who =
    origin === undefined ? "server unknown" : `server ${name(origin.serverId)}, tool ${name(origin.toolName)}`;
  return { open: `\u27E6${who}\u27E7\n`, close: `\n\u27E6end\u27E7` };
}

function name(text: string): string {
  return plainBrackets(quoteText(text, 64));
}
