import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import type { DelimiterOptions } from "./delimiters.ts";

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
