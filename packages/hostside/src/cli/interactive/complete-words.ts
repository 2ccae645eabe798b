import type { Argument, Command, Option } from "commander";
import { findCommand, findOption } from "../program/find-option.ts";

/** Something that may be typed next. */
export interface CompletionCandidate {
  readonly value: string;
  readonly about?: string | undefined;
}

/** A tool, which has a local name beside `server/tool`. */
export interface ToolCandidate extends CompletionCandidate {
  readonly localName?: string | undefined;
}

/** Where names come from that no command knows. */
export interface CompletionSources {
  readonly servers: () => Promise<readonly CompletionCandidate[]>;
  /** As `server/tool`. */
  readonly tools: () => Promise<readonly ToolCandidate[]>;
}

/** What may come next: words, or files as the shell finds them. */
export type WordCompletion = "files" | readonly CompletionCandidate[];

/** What somebody wants who has typed `words` and is at `current`. */
export interface CompletionQuery {
  readonly words: readonly string[];
  readonly current: string;
}

/**
 * What may stand at the cursor, by what the commands declare: an argument or a value named
 * `server`, `tool`, `command` or `file` is one.
 */
export async function completeWords(
  program: Command,
  { words, current }: CompletionQuery,
  sources: CompletionSources,
): Promise<WordCompletion> {
  const place = walk(program, words);
  const values = (one: Option | Argument): Promise<WordCompletion> => valuesOf(one, { program, current, sources });
  if (place.option !== undefined) return startingWith(current, await values(place.option));
  if (!place.isLiteral && current.startsWith("-")) {
    const equals = current.indexOf("=");
    const option = equals === -1 ? undefined : findOption(place.command, current.slice(0, equals));
    if (option === undefined) return startingWith(current, optionsOf(place.command));
    const found = await values(option);
    const head = current.slice(0, equals + 1);
    return found === "files"
      ? found
      : startingWith(
          current,
          found.map((one) => ({ ...one, value: head + one.value })),
        );
  }
  if (place.operands.length === 0 && place.command.commands.length > 0)
    return startingWith(current, commandsOf(place.command));
  const { registeredArguments } = place.command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[place.operands.length] ?? (last?.variadic === true ? last : undefined);
  return argument === undefined ? [] : startingWith(current, await values(argument));
}

interface Place {
  readonly command: Command;
  readonly operands: readonly string[];
  /** The option whose value is next. */
  readonly option: Option | undefined;
  /** Whether `--` was typed. */
  readonly isLiteral: boolean;
}

function walk(program: Command, words: readonly string[]): Place {
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

interface Completing {
  readonly program: Command;
  readonly current: string;
  readonly sources: CompletionSources;
}

async function valuesOf(one: Option | Argument, { program, current, sources }: Completing): Promise<WordCompletion> {
  if (one.argChoices !== undefined) return one.argChoices.map((value) => ({ value }));
  // Of an option the name is that of its value: `--config <file>`.
  const name = "flags" in one ? (/[<[]([\w-]+)/.exec(one.flags)?.[1] ?? "") : one.name();
  if (/^servers?$|^name$/.test(name)) return sources.servers();
  if (/^tools?$/.test(name)) return toolNames(current, await sources.tools());
  if (/^commands?$/.test(name)) return commandsOf(program);
  return /file|folder|path/.test(name) ? "files" : [];
}

// Local names are offered to those who type one: both would be a list of twice the length.
function toolNames(current: string, tools: readonly ToolCandidate[]): readonly CompletionCandidate[] {
  if (tools.some(({ value }) => value.startsWith(current))) return tools;
  return tools.flatMap(({ value, localName }) => (localName === undefined ? [] : { value: localName, about: value }));
}

// Names of servers and tools are texts of strangers, and some shells do not quote what they insert:
// a name that needs quotes is typed by hand.
const plainName = /^[\p{L}\p{N}_%+,./:=@~-]+$/u;

function startingWith(current: string, completion: WordCompletion): WordCompletion {
  if (completion === "files") return completion;
  return completion.filter(({ value }) => value.startsWith(current) && plainName.test(value));
}
