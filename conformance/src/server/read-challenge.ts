/** A challenge of `WWW-Authenticate` (RFC 9110, 11.6.1). */
export interface Challenge {
  /** In lower case, such as `bearer`. */
  readonly scheme: string;
  /** Their names in lower case. */
  readonly params: ReadonlyMap<string, string>;
}

const part = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+)))?/g;

/** Reads a header of any length in linear time; what is no challenge is left out. */
export function readChallenges(header: string): readonly Challenge[] {
  const challenges: { scheme: string; params: Map<string, string> }[] = [];
  for (const [, name = "", quoted, bare] of header.slice(0, 8192).matchAll(part)) {
    if (quoted === undefined && bare === undefined) challenges.push({ scheme: name.toLowerCase(), params: new Map() });
    else challenges.at(-1)?.params.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, "$1") ?? bare ?? "");
  }
  return challenges;
}

/** The challenge that OAuth is about, if there is one. */
export function bearerChallenge(header: string | undefined): Challenge | undefined {
  return readChallenges(header ?? "").find(({ scheme }) => scheme === "bearer" || scheme === "dpop");
}
