/** One way in that a server names in `WWW-Authenticate`. Untrusted. */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** By name in lower case; the first of several with one name. */
  readonly parameters: ReadonlyMap<string, string>;
}

const longestHeader = 16_384;
const mostChallenges = 16;
const token = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
// A parameter's value: quoted, or bare up to white space or a comma, because some servers quote no
// URL.
const value = /[ \t]*=[ \t]*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/y;
const gap = /[\s,]*/y;
// What is neither, such as the end of a token68.
const other = /[^\s,]+/y;

/**
 * The challenges of a header, as far as it can be read (RFC 9110, 11.6.1). Linear in its length.
 */
export function readChallenges(header: string | undefined): readonly Challenge[] {
  const text = (header ?? "").slice(0, longestHeader);
  const challenges: { readonly scheme: string; readonly parameters: Map<string, string> }[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  while (challenges.length <= mostChallenges) {
    take(gap);
    if (at >= text.length) break;
    const name = take(token)?.[0].toLowerCase();
    const given = name === undefined ? null : take(value);
    if (name === undefined) take(other);
    else if (given === null) challenges.push({ scheme: name, parameters: new Map() });
    else {
      const parameters = challenges.at(-1)?.parameters;
      if (parameters?.has(name) === false) parameters.set(name, given[2] ?? unescape(given[1] ?? ""));
    }
  }
  return challenges;
}

function unescape(quoted: string): string {
  return quoted.replaceAll(/\\(.)/g, "$1");
}
