import type { JsonObject } from "@hostside/core";

/**
 * Reads the members of a helper's arguments. `null` counts as absent, because models fill in what
 * they were not asked for.
 */
export interface InputReader {
  /**
   * A required text, trimmed; may be blank. `example`: what a model might pass, for the problem.
   */
  text(member: string, example: string): string;
  /** Trimmed; absent when blank. */
  optionalText(member: string): string | undefined;
  /** Names, trimmed, without blank ones. */
  names(member: string): readonly string[];
  /** From 1 to `most`; absent and 0 are `fallback`, more than `most` is `most`. */
  limit(member: string, limits: { readonly fallback: number; readonly most: number }): number;
}

/** What was read, or one sentence that tells a model what to pass instead. */
export type ParsedInput<T> = { readonly value: T } | { readonly problem: string };

/**
 * Reads arguments that may have `members` and no others; the first thing that is wrong is the
 * problem.
 */
export function parseInput<T>(
  input: JsonObject,
  members: readonly string[],
  read: (reader: InputReader) => T,
): ParsedInput<T> {
  const problems: string[] = [];
  const unknown = Object.keys(input).filter((member) => !members.includes(member));
  if (unknown.length > 0) {
    const known = members.map((member) => `\`${member}\``).join(", ");
    problems.push(`unknown \`${shorten(unknown.join("`, `"))}\`; pass only ${known}`);
  }
  const value = read(createReader(input, (problem) => problems.push(problem)));
  return problems[0] === undefined ? { value } : { problem: `Invalid input: ${problems[0]}` };
}

function createReader(input: JsonObject, report: (problem: string) => void): InputReader {
  const get = (member: string): unknown => input[member] ?? undefined;
  const fail = (member: string, rule: string): void => {
    const value = get(member);
    report(`\`${member}\` must be ${rule}${value === undefined ? "" : `, not ${shorten(JSON.stringify(value))}`}`);
  };
  const optionalText = (member: string): string | undefined => {
    const value = get(member);
    if (value !== undefined && typeof value !== "string") fail(member, "a string");
    return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
  };
  return {
    optionalText,
    text(member, example) {
      if (get(member) === undefined) fail(member, `a string, such as {"${member}": ${JSON.stringify(example)}}`);
      return optionalText(member) ?? "";
    },
    names(member) {
      const value = get(member) ?? [];
      if (Array.isArray(value) && value.every((item) => typeof item === "string")) {
        return value.map((item) => item.trim()).filter((item) => item !== "");
      }
      fail(member, 'an array of tool names, such as ["name"]');
      return [];
    },
    limit(member, { fallback, most }) {
      const value = get(member) ?? 0;
      if (typeof value === "number" && Number.isInteger(value) && value >= 0) {
        return value === 0 ? fallback : Math.min(value, most);
      }
      fail(member, `a whole number from 0 to ${most}`);
      return fallback;
    },
  };
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
