import type { ServerWords } from "@hostside/core";
import { hashJson } from "@hostside/naming";

const hashes = new WeakMap<ServerWords, string>();

/** A hash of what a server says of itself, made once for each object. */
export function hashWords(words: ServerWords | undefined): string | undefined {
  if (words === undefined) return undefined;
  const hash = hashes.get(words) ?? hashJson({ ...words });
  hashes.set(words, hash);
  return hash;
}
