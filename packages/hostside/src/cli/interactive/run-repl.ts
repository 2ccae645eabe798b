import { createInterface } from "node:readline";
import { isJsonObject } from "@hostside/core/implement";
import { split } from "shlex";
import type { CommandContext, CommandWork, OpenedHost } from "../command-context.ts";
import { exitCodes, usageError } from "../exit-codes.ts";
import { pathOf, searchTool } from "../opening/find-tool.ts";
import { openHost } from "../opening/open-host.ts";
import { renderError } from "../program/render-error.ts";
import { terminalLine } from "../render/render-text.ts";
import { changeTerminal } from "../terminal.ts";

/** Commands that a line can be, beside `exit`. */
export const replCommands = ["list", "show", "call", "search", "help"] as const;

const endings: ReadonlySet<string> = new Set(["exit", "quit"]);

/**
 * Connects once, and runs a command for each line: those that a person types, or all of stdin.
 * Resolves to what the first line that failed exits with; a person who leaves has seen what failed.
 */
export const runRepl: CommandWork<object> = async (_args, context) => {
  await using opened = await openHost(context, { follow: true, approver: { isYes: false } });
  const { terminal } = context;
  const session = { opened, context };
  const { stdin, signal } = terminal;
  const lines = terminal.canAsk ? typedLines(session) : createInterface({ input: stdin, signal });
  let exitCode: number = exitCodes.pass;
  for await (const line of lines) {
    const code = await runTyped(line, session);
    if (code === "exit" || terminal.signal.aborted) break;
    if (!terminal.canAsk && exitCode === exitCodes.pass) exitCode = code;
  }
  return exitCode;
};

interface Session {
  readonly opened: OpenedHost;
  readonly context: CommandContext;
}

async function runTyped(line: string, { opened, context }: Session): Promise<number | "exit"> {
  const { terminal, runLine } = context;
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
    return (await runLine?.(argv, own)) ?? exitCodes.usage;
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

/**
 * Lines that a person types, with history and completion. Nobody listens on stdin while a command
 * runs, so that it can ask there. Ctrl-C clears the line.
 */
async function* typedLines({ opened, context }: Session): AsyncGenerator<string> {
  const { stdin, stderr, err, signal } = context.terminal;
  const lines: string[] = [];
  let history: string[] = [];
  let begun = "";
  let isOver = false;
  greet(opened, context);
  while (!isOver) {
    const reader = createInterface({
      input: stdin,
      output: stderr,
      terminal: true,
      prompt: "hostside> ",
      history,
      historySize: 1000,
      removeHistoryDuplicates: true,
      completer: (line: string) => complete(line, opened),
      signal,
    });
    reader.on("history", (kept) => (history = kept));
    // All lines of a pasted text come at once.
    reader.on("line", (line) => lines.push(line));
    reader.prompt();
    reader.write(begun);
    const event = await new Promise((resolve) => {
      for (const name of ["line", "SIGINT", "close"]) reader.on(name, () => resolve(name));
    });
    isOver = event === "close";
    begun = event === "SIGINT" ? "" : reader.line;
    reader.close();
    if (event === "SIGINT") err("^C\n");
    while (lines.length > 0) yield lines.shift() ?? "";
  }
  err("\n");
}

/** Completes names of commands, servers and tools, and the arguments of a tool. */
function complete(line: string, { host }: OpenedHost): [words: string[], typed: string] {
  const words = line.trimStart().split(/\s+/);
  const typed = words.at(-1) ?? "";
  const [command = "", tool = ""] = words;
  const namesOf = (): readonly string[] => {
    if (words.length === 1 || command === "help") return [...replCommands, "exit"];
    if (command === "list") return host.statuses().map(({ id }) => id);
    if (command !== "call" && command !== "show") return [];
    if (words.length === 2) return host.tools().flatMap((one) => [pathOf(one), one.name]);
    const properties = searchTool(tool, host.tools())[0]?.inputSchema["properties"];
    return isJsonObject(properties) ? Object.keys(properties).map((name) => `--${name}`) : [];
  };
  // A name that would need quotes is typed by hand.
  const hits = namesOf().filter((name) => name.startsWith(typed) && /^[\w./:@-]+$/.test(name));
  return [hits.length === 1 ? hits.map((name) => `${name} `) : hits, typed];
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
