import type { StdioEntry } from "@hostside/core";
import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import { readTexts } from "../read-options.ts";
import { matchGlob } from "../rules/match-glob.ts";

/**
 * A program that may be started. A member allows only what it names. Without `args`, all arguments
 * are allowed.
 */
export interface CommandRule {
  /** As the spec has it, byte for byte: a path is not followed and a name not looked up. */
  readonly command: string;
  /**
   * One glob for each argument, in order; `**` as the last stands for any further ones. Default any
   * arguments at all, which for `npx`, `node`, `docker` and their like means any program.
   */
  readonly args?: readonly string[] | undefined;
  /**
   * Globs for the names of variables that the spec may set. Default none: `PATH` or `NODE_OPTIONS`
   * would change which program runs.
   */
  readonly env?: readonly string[] | undefined;
  /** Globs for the working directories that the spec may name. Default none. */
  readonly cwd?: readonly string[] | undefined;
}

/** A rule that was read. */
export interface ReadCommandRule {
  readonly command: string;
  /** Says why a process does not fit the rule; `undefined` if it does. */
  readonly check: (process: StdioEntry) => string | undefined;
}

const fields: Fields<CommandRule> = { command: true, args: true, env: true, cwd: true };

/**
 * Reads a rule; a text is a command with any arguments. Throws a `TypeError` that names `place`.
 */
export function readCommandRule(given: string | CommandRule, place: string): ReadCommandRule {
  const rule = typeof given === "string" ? { command: given } : given;
  assertKnownOptions(place, rule, fields);
  if (typeof rule.command !== "string" || rule.command.trim() === "")
    throw new TypeError(`${place}.command must be a text that is not blank`);
  const fitsArguments = readArguments(rule.args, `${place}.args`);
  const env = readTexts(rule.env ?? [], `${place}.env`).map(matchGlob);
  const cwd = readTexts(rule.cwd ?? [], `${place}.cwd`).map(matchGlob);
  return {
    command: rule.command,
    check(process) {
      if (!fitsArguments(process.args ?? [])) return "its arguments are not those that are allowed";
      const variable = Object.keys(process.env ?? {}).find((name) => !env.some((matches) => matches(name)));
      if (variable !== undefined) return "it sets a variable that is not allowed";
      if (process.cwd !== undefined && !cwd.some((matches) => matches(process.cwd ?? "")))
        return "its working directory is not allowed";
      // The secrets of the host itself.
      return process.inheritEnv === "all" ? "it would inherit the whole environment of this process" : undefined;
    },
  };
}

function readArguments(globs: unknown, place: string): (args: readonly string[]) => boolean {
  if (globs === undefined) return () => true;
  const texts = readTexts(globs, place);
  const isOpen = texts.at(-1) === "**";
  const matches = (isOpen ? texts.slice(0, -1) : texts).map(matchGlob);
  return (args) =>
    (isOpen ? args.length >= matches.length : args.length === matches.length) &&
    matches.every((match, index) => match(args[index] ?? ""));
}
