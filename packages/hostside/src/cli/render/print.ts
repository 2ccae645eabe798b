import { replaceUnseen } from "@hostside/core/implement";
import type { CommandContext } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import type { Terminal } from "../terminal.ts";
import { isAbsolute, relative, sep } from "node:path";

/**
 * JSON for people: indented by two, keys coloured, and whatever a terminal would obey or not show
 * as an escape.
 */
export function renderJson(value: unknown, { paint }: Pick<Terminal, "paint">): readonly string[] {
  return jsonText(value)
    .split("\n")
    .map((shown) => {
      const key = /^(\s*)("(?:[^"\\]|\\.)*")(?=:)/.exec(shown);
      if (key === null) return shown;
      const [whole, blanks = "", name = ""] = key;
      return `${blanks}${paint("name", name)}${shown.slice(whole.length)}`;
    });
}

/**
 * JSON, indented by two, in which no character is one that a terminal obeys or does not show.
 * Parsing it gives the value.
 */
export function jsonText(value: unknown): string {
  // JSON.stringify() escapes U+0000 to U+001F alone.
  return replaceUnseen(JSON.stringify(value, undefined, 2) ?? "null", (character) =>
    Array.from({ length: character.length }, (_, at) => escapeUnit(character.charCodeAt(at))).join(""),
  );
}

function escapeUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}

/** Writes lines to stdout. */
export function printLines({ out }: Pick<Terminal, "out">, lines: readonly string[]): void {
  if (lines.length > 0) out(`${lines.join("\n")}\n`);
}

/** Writes the one document of `--json` to stdout. */
export function printJson({ out }: Pick<Terminal, "out">, value: unknown): void {
  out(`${jsonText(value)}\n`);
}

/**
 * Writes the result of a command: the one document of `--json`, or lines for people. Returns the
 * exit code of success.
 */
export function printResult(
  { terminal, options }: Pick<CommandContext, "terminal" | "options">,
  document: unknown,
  lines: () => readonly string[],
): number {
  if (options.json === true) printJson(terminal, document);
  else printLines(terminal, lines());
  return exitCodes.pass;
}

/** Writes notes for people to stderr. */
export function printNotes({ err, paintErr }: Pick<Terminal, "err" | "paintErr">, notes: readonly string[]): void {
  for (const note of notes) err(`${paintErr("warn", "note:")} ${note}\n`);
}

/** A duration for people: `8 ms`, `340 ms`, `2.1 s`, `75 s`, `12 min`, `3 h`, `2 days`. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 119.5) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  if (minutes < 119.5) return `${Math.round(minutes)} min`;
  const hours = minutes / 60;
  return hours < 47.5 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`;
}

/** A number for people: `987`, `1.2K`, `34K`, `5.1M`. */
export function formatNumber(value: number): string {
  return value.toLocaleString("en", { notation: "compact" });
}

/** Formats an estimate of tokens: `~1.2K tokens`. */
export function formatTokens(tokens: number): string {
  return tokens === 1 ? "~1 token" : `~${formatNumber(tokens)} tokens`;
}

/** A number of things: `1 tool`, `3 tools`, `2 entries` with `plural`. */
export function formatCount(count: number, noun: string, plural: string = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/**
 * A path as a person would write it: from the working folder or the home folder, where it is below
 * one of them.
 */
export function shortPath(path: string, { cwd, home }: { readonly cwd: string; readonly home: string }): string {
  const below = pathBelow(cwd, path);
  if (below !== undefined) return below;
  const atHome = pathBelow(home, path);
  return atHome === undefined ? path : `~${sep}${atHome}`;
}

/** The way from a folder to a path below it; `undefined` where it is not below. */
export function pathBelow(folder: string, path: string): string | undefined {
  const way = relative(folder, path);
  return way === "" || way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way) ? undefined : way;
}
