import type { ToolOrigin } from "@hostside/core";
import { assertKnownOptions, quoteText, type Fields } from "@hostside/core/implement";

/** How texts of servers are delimited. */
export interface DelimiterOptions {
  /**
   * Letters and digits that every mark has, at most 64: chosen by the product, such as once for
   * each conversation, and said in its prompt. Default: none; the brackets alone make the marks.
   */
  readonly nonce?: string | undefined;
}

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
export function delimitersFor(origin: ToolOrigin | undefined, { nonce }: DelimiterOptions): Delimiters {
  const key = nonce === undefined ? "" : `${nonce} `;
  const who =
    origin === undefined ? "server unknown" : `server ${name(origin.serverId)}, tool ${name(origin.toolName)}`;
  return { open: `\u27E6${key}${who}\u27E7\n`, close: `\n\u27E6${key}end\u27E7` };
}

function name(text: string): string {
  return plainBrackets(quoteText(text, 64));
}

const delimiterFields: Fields<DelimiterOptions> = { nonce: true };

/**
 * Reads the option `delimiters`; `undefined` where there are to be no marks. Throws a `TypeError`
 * that names the field. `owner`: such as `present()`.
 */
export function readDelimiters(owner: string, delimiters: unknown): DelimiterOptions | undefined {
  if (delimiters === undefined || delimiters === false) return undefined;
  if (delimiters === true) return {};
  assertKnownOptions(`delimiters of ${owner}`, delimiters, delimiterFields);
  const { nonce }: { readonly nonce?: unknown } = delimiters as object;
  if (nonce !== undefined && (typeof nonce !== "string" || !/^[A-Za-z0-9]{1,64}$/.test(nonce))) {
    throw new TypeError(`delimiters.nonce of ${owner} must be 1 to 64 letters and digits`);
  }
  return nonce === undefined ? {} : { nonce };
}
