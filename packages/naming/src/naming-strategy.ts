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

/**
 * A name with its hash at the end, cut to what the strategy allows; never in the middle of a
 * character.
 */
export function appendHash(plain: string, hash: string, strategy: NamingStrategy): string {
  const { hashSeparator, maxLength, trimCut } = strategy;
  const suffix = `${hashSeparator}${hash}`;
  // Never between the halves of a surrogate pair.
  const head =
    plain.length + suffix.length > maxLength
      ? plain.slice(0, maxLength - suffix.length).replace(/[\uD800-\uDBFF]$/, "")
      : plain;
  const name = `${trimCut ? head.replace(/_+$/, "") : head}${suffix}`;
  return isLegalName(name, strategy) ? name : `${lastResortHead(strategy)}${suffix}`;
}

/** Says whether a name, with A to Z lower-cased, has what may be a hash at its end. */
export function endsLikeHash(name: string, { hashLength, hashSeparator }: NamingStrategy): boolean {
  const end = name.slice(-hashLength);
  return name.endsWith(`${foldCase(hashSeparator)}${end}`) && /^[0-9a-f]+$/.test(end);
}

/**
 * Says whether {@linkcode assignNames} can give this name to a tool of this server, whatever that
 * is called and whoever else is there. For who looks for a name before the server has listed;
 * regardless of ASCII case. `true` promises nothing, and with a strategy that does not show the
 * server it says little. Names that somebody else gave, such as those that were saved, are not
 * looked at.
 */
export function isPossibleName(name: string, serverId: string, strategy: NamingStrategy): boolean {
  const folded = foldCase(name);
  const prefix = foldCase(toolNamePrefix(serverId, strategy));
  if (folded.startsWith(prefix)) return true;
  if (!endsLikeHash(folded, strategy)) return false;
  const { hashLength, hashSeparator } = strategy;
  const head = folded.slice(0, -(hashLength + hashSeparator.length));
  // Of a long server id, and where `_` was dropped at the end, a name with a hash has the beginning
  // alone; where nothing can be kept, not even that.
  return head === foldCase(lastResortHead(strategy)) || (head !== "" && prefix.startsWith(head));
}

const snakeCase = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/;

/**
 * The segment rule of the default names: A to Z lower-cased, every run of characters other than
 * `a-z0-9` one `_`, none at either end; `x` in front of what would be empty or start with a digit.
 */
export function toSnakeSegment(part: string): string {
  // Most names are in snake case, and replacing nothing costs more than looking.
  if (snakeCase.test(part)) return part;
  const segment = foldCase(part)
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_|_$/g, "");
  return /^[a-z]/.test(segment) ? segment : `x${segment}`;
}

/**
 * The segment rule of names that keep their case: each code point outside `A-Za-z0-9_-` becomes one
 * `_`.
 */
export function toWordSegment(part: string): string {
  return part.replace(/[^A-Za-z0-9_-]/gu, "_");
}

/** As {@linkcode toWordSegment}, but `.`, `/` and `@` stay. */
export function toPathSegment(part: string): string {
  return part.replace(/[^A-Za-z0-9_./@-]/gu, "_");
}

/**
 * The default: `mcp_<server>_<tool>`, each segment in snake case. Legal for every model API known:
 * `a-z`, then `a-z0-9_-`, at most 64 characters.
 */
export const hostsideNaming: NamingStrategy = {
  prefix: "mcp",
  separator: "_",
  showServer: true,
  sanitize: toSnakeSegment,
  repaired: "keep",
  legal: /^[a-z][a-z0-9_-]*$/,
  maxLength: 64,
  hashLength: 8,
  hashSeparator: "_",
  trimCut: true,
};

/**
 * `mcp__<server>__<tool>`: case is kept, each other character one `_`. Legal where names are
 * `A-Za-z0-9_-`, 1 to 64 of them, as OpenAI and Anthropic ask.
 */
export const evvaNaming: NamingStrategy = {
  ...hostsideNaming,
  separator: "__",
  sanitize: toWordSegment,
  legal: /^[A-Za-z0-9_-]+$/,
};

/**
 * `mcp_<server>_<tool>`: as {@linkcode evvaNaming}, with a hash of six digits.
 * `{ ...nexoNaming, prefix: "" }` is `<server>_<tool>`.
 */
export const nexoNaming: NamingStrategy = { ...evvaNaming, separator: "_", hashLength: 6, trimCut: false };

/**
 * The remote name unchanged, wherever it is legal (as for {@linkcode evvaNaming}) and the only one.
 * Every other name ends in a hash.
 */
export const verbatimNaming: NamingStrategy = {
  ...evvaNaming,
  prefix: "",
  separator: "_",
  showServer: false,
  repaired: "hash",
};

/**
 * `mcp::<server>::<tool>`, for hosts that address tools by qualified name. Legal there are
 * `A-Za-z0-9_-./@:`, at most 64; model APIs refuse such names. A name is the tool's
 * `qualifiedName` or ends in a hash.
 */
export const qualifiedNaming: NamingStrategy = {
  ...evvaNaming,
  separator: "::",
  sanitize: toPathSegment,
  repaired: "hash",
  legal: /^[A-Za-z0-9_./@:-]+$/,
};
