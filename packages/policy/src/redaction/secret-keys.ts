/** The treatment of a value under a key: all of it is masked, or its texts alone, or nothing. */
export type KeyVerdict = "all" | "texts" | undefined;

/** Tells by a key whether its value is a secret. */
export type SecretKeys = (key: string) => KeyVerdict;

/**
 * Keys whose values are always masked, as they are written in `AccessToken`, `access_token`,
 * `X-ACCESS-TOKEN`: as the end of a name.
 */
export const defaultSecretKeys: readonly string[] = [
  "token",
  "authorization",
  "password",
  "secret",
  "apikey",
  "accesskey",
  "secretkey",
  "privatekey",
  "passphrase",
  "passwd",
];

// Places in a list, which a model has to send back to read on.
const cursors = /(?:page|next|next\w{1,20}|continuation|cursor|delta|resume|skip|sync)tokens?$/;
const between = "[^\\p{L}\\p{N}]{0,2}";
// Made when it is first needed: that takes milliseconds.
let ending: RegExp | undefined;
// Longer names are read from their end.
const longestKey = 256;
const mostKept = 1000;

/**
 * Tells by its end whether a key is one of the default ones, in any case and with whatever between
 * its words, also in the plural, where numbers stay: `total_tokens` is a count. A key also matches
 * if its words end with the words of a key in `more`, the product's own. Cursors such as
 * `nextPageToken` are no secrets unless `more` names them.
 */
export function createSecretKeys(more: readonly string[] = []): SecretKeys {
  const named = new Set(more.map((key) => keyWordsOf(key).join("")));
  const kept = new Map<string, KeyVerdict>();
  return (key) => {
    const end = key.slice(-longestKey);
    const known = kept.get(end);
    if (known !== undefined || kept.has(end)) return known;
    const verdict = judge(end, named);
    if (kept.size >= mostKept) kept.clear();
    kept.set(end, verdict);
    return verdict;
  };
}

function judge(key: string, named: ReadonlySet<string>): KeyVerdict {
  const words = named.size === 0 ? [] : keyWordsOf(key);
  let tail = "";
  for (let at = words.length - 1; at >= 0; at -= 1) {
    tail = `${words[at]}${tail}`;
    if (named.has(tail)) return "all";
  }
  ending ??= endingOf(defaultSecretKeys);
  const end = ending.exec(key);
  if (end === null || cursors.test(keyWordsOf(key).join(""))) return undefined;
  return end[1] === undefined ? "all" : "texts";
}

function endingOf(keys: readonly string[]): RegExp {
  const words = keys.map((key) => Array.from(key).join(between)).join("|");
  return new RegExp(`(?:${words})(s)?${between}\\d{0,4}[^\\p{L}\\p{N}]{0,4}$`, "iu");
}

/** The words of a key, lower-cased: `XApiKey` and `x-api-key` have the same. */
export function keyWordsOf(key: string): readonly string[] {
  return key
    .replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
