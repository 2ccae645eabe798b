import { foldCase } from "@hostside/core/implement";

/**
 * How local names look. Plain data and one pure function: take a preset and change a member
 * (`{ ...hostsideNaming, maxLength: 48 }`), or write your own.
 *
 * `assignNames()` keeps, with every strategy, the bound, the legal form and the collision
 * rule.
 */
export interface NamingStrategy {
  /**
   * First segment of every name; `""` for none. Part of names as it stands.
   */
  readonly prefix: string;
  /** Between prefix, server and tool. */
  readonly separator: string;
  /** Says whether the server is a segment of the name. */
  readonly showServer: boolean;
  /**
   * Says whether the server's segment is left out of a tool's that begins with it, so that
   * `mcp_github_github_search` is `mcp_github_search`. Only where the server is shown. Default
   * `false`.
   */
  readonly omitEcho?: boolean | undefined;
  /**
   * Makes a legal segment of a server id or a remote tool name. Pure, total, and given hostile text
   * of any length.
   */
  readonly sanitize: (part: string) => string;
  /**
   * The treatment of a name of which `sanitize` had to change a part: `"keep"` uses it as it is;
   * `"hash"` adds the hash, so that a name is either exact or visibly is not.
   */
  readonly repaired: "keep" | "hash";
  /** The names that the target accepts, apart from their length. Without the flags `g` and `y`. */
  readonly legal: RegExp;
  /** Longest name, in UTF-16 units: 32 to 1,024. */
  readonly maxLength: number;
  /** Hex digits of a hash suffix, 6 to 16. */
  readonly hashLength: number;
  /** Between a name and its hash. */
  readonly hashSeparator: string;
  /** Says whether `_` at the end of a name that was cut is dropped before the hash is added. */
  readonly trimCut: boolean;
}

/** Says whether the strategy's target accepts a name: its length and its form. */
export function isLegalName(name: string, strategy: NamingStrategy): boolean {
  return name.length > 0 && name.length <= strategy.maxLength && strategy.legal.test(name);
}

/**
 * The form of a server id in names. Two servers whose ids have the same form should not be
 * registered together: all their common tools would collide. A strategy that does not show the
 * server returns the id as it is.
 */
export function normalizeServerId(serverId: string, strategy: NamingStrategy): string {
  return strategy.showServer ? foldCase(strategy.sanitize(serverId)) : serverId;
}

/**
 * The start of the names of a server's tools, unless they were cut. For displays and globs,
 * never for routing.
 */
export function toolNamePrefix(serverId: string, strategy: NamingStrategy): string {
  const { prefix, separator, showServer, sanitize } = strategy;
  const start = prefix === "" ? "" : `${prefix}${separator}`;
  return showServer ? `${start}${sanitize(serverId)}${separator}` : start;
}

/** Throws a `TypeError` that names the member of the strategy that breaks a rule. */
export function assertNamingStrategy(strategy: NamingStrategy): void {
  const { prefix, separator, sanitize, legal, maxLength, hashLength, hashSeparator } = strategy;
  if (typeof sanitize !== "function") throw new TypeError("naming.sanitize must be a function");
  assertInteger("maxLength", maxLength, [32, 1024]);
  assertInteger("hashLength", hashLength, [6, 16]);
  for (const [member, text] of Object.entries({ prefix, separator })) {
    if (text.length < maxLength / 2) continue;
    throw new TypeError(`naming.${member} must be shorter than half of maxLength, which is ${maxLength}`);
  }
  if (legal.global || legal.sticky) throw new TypeError("naming.legal must not have the flag g or y");
  for (const digit of ["0", "f"]) {
    const name = `${lastResortHead(strategy)}${hashSeparator}${digit.repeat(hashLength)}`;
    if (!isLegalName(name, strategy)) {
      throw new TypeError(`naming.legal must accept names such as ${JSON.stringify(name)}, at most ${maxLength} long`);
    }
  }
}

/** Returns the text before the hash when nothing of the tool's own name can. */
export function lastResortHead({ prefix }: NamingStrategy): string {
  return prefix === "" ? "x" : prefix;
}

function assertInteger(member: string, value: number, [least, most]: readonly [number, number]): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new TypeError(`naming.${member} must be an integer from ${least} to ${most}`);
}

/**
 * Says whether every model API known accepts a function name: `a-z`, then `a-z0-9_-`, at most 64
 * characters.
 */
export function isLegalFunctionName(name: string): boolean {
  return /^[a-z][a-z0-9_-]{0,63}$/.test(name);
}
