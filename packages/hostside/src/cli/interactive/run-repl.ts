import { createInterface } from "node:readline";
import type { Command } from "commander";
import { split } from "shlex";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import type { OpenedHost } from "../opening/opened-host.ts";
import { openHost } from "../opening/open-host.ts";
import type { RunLine } from "../program/declare.ts";
import { renderError } from "../program/render-error.ts";
import { terminalLine } from "../render/one-line.ts";
import { changeTerminal, type Terminal } from "../terminal.ts";
import { usageError } from "../usage-error.ts";
import { completeWords } from "./complete-words.ts";
import { sourcesOfHost } from "./completion-sources.ts";
import { readLines } from "./read-lines.ts";
import { quoteFor, splitLine } from "./split-line.ts";

/** What the repl needs of the program around it. */
export interface ReplArguments {
  /** The commands that a line can be. */
  readonly program: Command;
  readonly runLine: RunLine;
}

/** Commands that a line can be, beside `exit`. */
export const replCommands = ["list", "show", "call", "search", "groups", "help"] as const;

const endings: ReadonlySet<string> = new Set(["exit", "quit"]);

/**
 * Connects once, and runs a command for each line: those that a person types, or all of stdin.
 * Resolves to what the first line that failed exits with; a person who leaves has seen what failed.
 */
export const runRepl: CommandWork<ReplArguments> = async (args, context) => {
  await using opened = await openHost(context, { follow: true, approver: { isYes: false } });
  const { terminal } = context;
  const session = { ...args, opened, context };
  const lines = terminal.canAsk ? typedLines(session) : pipedLines(terminal);
  let exitCode: number = exitCodes.pass;
  for await (const line of lines) {
    const code = await runTyped(line, session);
    if (code === "exit" || terminal.signal.aborted) break;
    if (!terminal.canAsk && exitCode === exitCodes.pass) exitCode = code;
  }
  return exitCode;
};

interface Session extends ReplArguments {
  readonly opened: OpenedHost;
  readonly context: CommandContext;
}

async function runTyped(line: string, { runLine, opened, context }: Session): Promise<number | "exit"> {
  const { terminal } = context;
  const controller = new AbortController();
  const forget = terminal.onInterrupt(() => controller.abort());
  const signal = AbortSignal.any([terminal.signal, controller.signal]);
  const own: CommandContext = { ...context, terminal: changeTerminal(terminal, { signal }), opened };
  try {
    const argv = wordsOf(line);
    const [name] = argv;
    if (name === undefined) return exitCodes.pass;
    if (endings.has(name)) return "exit";
    if (!replCommands.some((one) => one === name))
      throw usageError(
        `no such command here: ${terminalLine(name, 80)}`,
        `there are ${replCommands.join(", ")} and exit`,
      );
    if (name === "help" && argv.length === 1) {
      terminal.err(`Commands: ${replCommands.join(", ")}, exit. help COMMAND says everything about one.\n`);
      return exitCodes.pass;
    }
    return await runLine(argv, own);
  } catch (error) {
    renderError(error, own);
    return exitCodes.usage;
  } finally {
    forget();
  }
}

function wordsOf(line: string): readonly string[] {
  if (/^\s*#/.test(line)) return [];
  try {
    return split(line);
  } catch {
    throw usageError(
      "a quote is open, or the line ends in a backslash",
      'quote as in a shell: call add --text "two words"',
    );
  }
}

async function* pipedLines({ stdin, signal }: Terminal): AsyncGenerator<string> {
  const reader = createInterface({ input: stdin, signal });
  yield* reader;
}

async function* typedLines({ program, opened, context }: Session): AsyncGenerator<string> {
  const { terminal, options } = context;
  const sources = sourcesOfHost(opened);
  const reader = readLines(terminal, {
    prompt: "hostside> ",
    async complete(line) {
      const { words, current, start, quote } = splitLine(line);
      const wanted = { words, current };
      const found = words.length === 0 ? replWords(current) : await completeWords(program, wanted, sources);
      const typed = quote === "" ? line.slice(start) : line.slice(start + 1);
      if (found === "files") return [[], typed];
      const hits = Array.from(new Set(found.map(({ value }) => quoteFor(value, quote))));
      return [hits.length === 1 ? hits.map((word) => `${word}${quote} `) : hits, typed];
    },
  });
  const forget = opened.host.onToolsChanged(({ added, removed, changed }) => {
    const parts = Object.entries({ "+": added, "-": removed, "~": changed });
    const names = parts.flatMap(([sign, list]) => list.map((name) => `${sign}${name}`));
    if (options.quiet !== true)
      reader.note(`${terminal.paintErr("dim", terminalLine(`tools changed: ${names.join(" ")}`, 400))}\n`);
  });
  greet(opened, context);
  try {
    for (;;) {
      const line = await reader.next();
      if (line === undefined) break;
      yield line;
    }
  } finally {
    forget();
  }
  terminal.err("\n");
}

function replWords(current: string): readonly { readonly value: string }[] {
  return [...replCommands, "exit"].filter((name) => name.startsWith(current)).map((value) => ({ value }));
}

function greet({ host }: OpenedHost, { terminal, options }: CommandContext): void {
  if (options.quiet === true) return;
  const statuses = host.statuses().filter(({ state }) => state !== "disabled");
  const ready = statuses.filter(({ state }) => state === "ready").length;
  const tools = host.tools().length;
  terminal.err(
    `${ready} of ${statuses.length} servers, ${tools} tools. help lists the commands, Tab completes, Ctrl-D ends.\n`,
  );
}
