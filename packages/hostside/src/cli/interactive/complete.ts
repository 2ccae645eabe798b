import type { Argument, Command, Option } from "commander";
import { createKeptNames } from "../../names/keep-names.ts";
import { userState } from "../../state/user-state.ts";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { findCommand, findOption } from "../program/find-option.ts";
import { loadSources } from "../opening/config-files.ts";
import { terminalLine } from "../render/render-text.ts";

/** The question of a shell's script. */
export interface ShellQuestion {
  /** The words after the program's name, the one at the cursor last. */
  readonly words: readonly string[];
}

/**
 * Answers a shell's script: a line that says `files` or `words`, then each word, a tab, and what it
 * is. A failure completes nothing: a person who presses a key wants no message.
 */
export const runCompleteCommand: CommandWork<ShellQuestion> = async ({ words }, context) => {
  const before = words.slice(0, -1);
  try {
    if (context.program === undefined) return exitCodes.usage;
    const query = { words: before, current: words.at(-1) ?? "" };
    const found = await completeWords(context.program, query, sourcesAtRest(context, before));
    const lines =
      found === "files"
        ? ["files"]
        : [
            "words",
            ...found.map(({ value, about = "" }) => (about === "" ? value : `${value}\t${terminalLine(about, 80)}`)),
          ];
    context.terminal.out(`${lines.join("\n")}\n`);
  } catch (error) {
    if (context.options.verbose === true) throw error;
  }
  return exitCodes.pass;
};

/**
 * Servers as configured, and tools by the names that they had last. Starts nothing and asks nobody.
 */
function sourcesAtRest({ terminal, options }: CommandContext, words: readonly string[]): CompletionSources {
  const typed = words.flatMap((word, index) => {
    if (words[index - 1] === "--config") return [word];
    return word.startsWith("--config=") ? [word.slice("--config=".length)] : [];
  });
  const load = async () =>
    (await loadSources({ terminal, options: typed.length > 0 ? { config: typed } : options })).sources;
  return {
    servers: async () => (await load()).map(({ serverId, scope }) => ({ value: serverId, about: scope })),
    async tools() {
      const { store } = userState(terminal);
      const means = { store, providerName: undefined, naming: undefined, report: () => undefined };
      const { servers } = await createKeptNames(means).recall((await load()).map(({ serverId }) => serverId));
      return servers.flatMap(([serverId, tools]) =>
        tools.map(([toolName, localName]) => ({ value: `${serverId}/${toolName}`, localName })),
      );
    },
  };
}

/** Something that may be typed next. */
interface CompletionCandidate {
  readonly value: string;
  readonly about?: string | undefined;
}

/** A tool, which has a local name beside `server/tool`. */
interface ToolCandidate extends CompletionCandidate {
  readonly localName?: string | undefined;
}

/** Sources of names that no command knows. */
export interface CompletionSources {
  readonly servers: () => Promise<readonly CompletionCandidate[]>;
  /** As `server/tool`. */
  readonly tools: () => Promise<readonly ToolCandidate[]>;
}

/** Words that may come next, or files as the shell finds them. */
type WordCompletion = "files" | readonly CompletionCandidate[];

// Names of servers and tools are texts of strangers, and some shells do not quote what they insert:
// a name that needs quotes is typed by hand.
const plainName = /^[\p{L}\p{N}_%+,./:=@~-]+$/u;

/**
 * Finds what may stand at the cursor, by what the commands declare: an argument or a value named
 * `server`, `tool`, `command` or `file` is one.
 */
export async function completeWords(
  program: Command,
  { words, current: typed }: { readonly words: readonly string[]; readonly current: string },
  sources: CompletionSources,
): Promise<WordCompletion> {
  const [head = "", flag] = /^(--[\w-]+)=/.exec(typed) ?? [];
  const current = typed.slice(head.length);
  const place = walk(program, flag === undefined ? words : [...words, flag]);
  const found = await candidatesAt(place, { program, current, sources });
  if (found === "files") return found;
  return found
    .filter(({ value }) => value.startsWith(current) && plainName.test(value))
    .map((one) => ({ ...one, value: head + one.value }));
}

interface Completing {
  readonly program: Command;
  readonly current: string;
  readonly sources: CompletionSources;
}

async function candidatesAt(
  { command, operands, option, isLiteral }: ReturnType<typeof walk>,
  completing: Completing,
): Promise<WordCompletion> {
  if (option !== undefined) return valuesOf(option, completing);
  if (!isLiteral && completing.current.startsWith("-")) return optionsOf(command);
  if (operands.length === 0 && command.commands.length > 0) return commandsOf(command);
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[operands.length] ?? (last?.variadic === true ? last : undefined);
  return argument === undefined ? [] : valuesOf(argument, completing);
}

/** Finds the command, its operands so far, and the option whose value is next. */
function walk(program: Command, words: readonly string[]) {
  let command = program;
  let option: Option | undefined;
  let isLiteral = false;
  const operands: string[] = [];
  for (const word of words) {
    if (option !== undefined) option = undefined;
    else if (!isLiteral && word === "--") isLiteral = true;
    else if (!isLiteral && word.startsWith("-")) {
      const found = findOption(command, word);
      option = found?.required === true ? found : undefined;
    } else {
      const next = operands.length === 0 ? findCommand(command, word) : undefined;
      if (next === undefined) operands.push(word);
      else command = next;
    }
  }
  return { command, operands, option, isLiteral };
}

function optionsOf(command: Command): readonly CompletionCandidate[] {
  const help = command.createHelp();
  help.showGlobalOptions = true;
  return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].flatMap(({ long, description }) =>
    long === undefined || long === null ? [] : [{ value: long, about: description }],
  );
}

function commandsOf(command: Command): readonly CompletionCandidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((one) => ({ value: one.name(), about: one.description() }));
}

async function valuesOf(one: Option | Argument, { program, current, sources }: Completing): Promise<WordCompletion> {
  if (one.argChoices !== undefined) return one.argChoices.map((value) => ({ value }));
  // Of an option the name is that of its value: `--config <file>`.
  const name = "flags" in one ? (/[<[]([\w-]+)/.exec(one.flags)?.[1] ?? "") : one.name();
  if (/^(?:server|name)s?$/.test(name)) return sources.servers();
  if (/^tools?$/.test(name)) return toolNames(current, await sources.tools());
  if (/^commands?$/.test(name)) return commandsOf(program);
  return /file|folder|path/.test(name) ? "files" : [];
}

// Local names are offered to those who type one: both would be a list of twice the length.
function toolNames(current: string, tools: readonly ToolCandidate[]): readonly CompletionCandidate[] {
  if (tools.some(({ value }) => value.startsWith(current))) return tools;
  return tools.flatMap(({ value, localName }) => (localName === undefined ? [] : { value: localName, about: value }));
}
