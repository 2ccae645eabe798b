import type { NamingStrategy } from "./naming-strategy.ts";
import { foldCase } from "@hostside/core/implement";

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

/**
 * As {@linkcode hostsideNaming}, without the server's name in front of a tool's that begins with
 * it: `mcp_github_search` for the tool `github_search`. Shorter names cost a model less; what they
 * collide with is hashed as ever.
 */
export const conciseNaming: NamingStrategy = { ...hostsideNaming, omitEcho: true };
