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
