import type { Argument, Command, Option } from "commander";
import { createKeptNames } from "../../names/keep-names.ts";
import { userState } from "../../state/user-state.ts";
import type { CommandContext, CommandWork } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { findCommand, findOption } from "../program/find-option.ts";
import { loadSources } from "../opening/config-files.ts";
import { printLines } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";

/** The question of a shell's script. */
export interface ShellQuestion {
  /** The words after the program's name, the one at the cursor last. */
  readonly words: readonly string[];
}

/**
 * Answers a shell's script: each word that may come next, a tab, and what it is; nothing where the
 * shell may complete files. A failure completes nothing: a person who presses a key wants no
 * message.
 */
export const runCompleteCommand: CommandWork<ShellQuestion> = async ({ words }, context) => {
  try {
    if (context.program === undefined) return exitCodes.usage;
    const found = await completeWords(context.program, words, sourcesAtRest(context, words));
    const lines = found.map(({ value, about = "" }) => (about === "" ? value : `${value}\t${terminalLine(about, 80)}`));
    printLines(context.terminal, lines);
  } catch (error) {
    if (context.options.verbose === true) throw error;
  }
  return exitCodes.pass;
};

/**
 * Servers as configured, and tools by the names that they had last. Starts nothing and asks nobody.
 */
function sourcesAtRest({ terminal, options }: CommandContext, words: readonly string[]): CompletionSources {
  const config = words.slice(0, -1).flatMap((word, index) => {
    if (words[index - 1] === "--config") return [word];
    return word.startsWith("--config=") ? [word.slice("--config=".length)] : [];
  });
  const load = async () => (await loadSources({ terminal, options: config.length > 0 ? { config } : options })).sources;
  return {
    servers: async () => (await load()).map(({ serverId, scope }) => ({ value: serverId, about: scope })),
    async tools() {
      const { store } = userState(terminal);
      const means = { store, providerName: undefined, naming: undefined, report: () => undefined };
      const { servers } = await createKeptNames(means).recall((await load()).map(({ serverId }) => serverId));
      return servers.flatMap(([serverId, tools]) =>
        tools.map(([toolName, localName]) => ({ value: `${serverId}/${toolName}`, about: localName })),
      );
    },
  };
}

/** Something that may be typed next. */
interface Candidate {
  readonly value: string;
  readonly about?: string | undefined;
}

/** Sources of names that no command knows. */
export interface CompletionSources {
  readonly servers: () => Promise<readonly Candidate[]>;
  /** As `server/tool`, each about its local name. */
  readonly tools: () => Promise<readonly Candidate[]>;
}

// Names of servers and tools are texts of strangers, and some shells do not quote what they insert:
// a name that needs quotes is typed by hand.
const plainName = /^[\p{L}\p{N}_%+,./:=@~-]+$/u;

/**
 * Finds what may stand in place of the last word, by what the commands declare: an argument or a
 * value named `server`, `tool` or `command` is one.
 */
export async function completeWords(
  program: Command,
  words: readonly string[],
  sources: CompletionSources,
): Promise<readonly Candidate[]> {
  const typed = words.at(-1) ?? "";
  const [head = "", flag] = /^(--[\w-]+)=/.exec(typed) ?? [];
  const current = typed.slice(head.length);
  let command = program;
  let option: Option | undefined;
  let isLiteral = false;
  let operands = 0;
  for (const word of [...words.slice(0, -1), ...(flag === undefined ? [] : [flag])]) {
    const next = operands === 0 ? findCommand(command, word) : undefined;
    if (option !== undefined) option = undefined;
    else if (!isLiteral && word === "--") isLiteral = true;
    else if (!isLiteral && word.startsWith("-")) {
      const found = findOption(command, word);
      option = found?.required === true ? found : undefined;
    } else if (next === undefined) operands += 1;
    else command = next;
  }
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const wanted = option ?? registeredArguments[operands] ?? (last?.variadic === true ? last : undefined);
  const help = command.createHelp();
  help.showGlobalOptions = true;
  const candidates = async (): Promise<readonly Candidate[]> => {
    if (option === undefined && !isLiteral && current.startsWith("-"))
      return [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].map(({ long, description }) => {
        return { value: long ?? "", about: description };
      });
    const isCommand = option === undefined && operands === 0 && command.commands.length > 0;
    if (isCommand || (wanted !== undefined && /^<?commands?/.test(nameOf(wanted))))
      return help.visibleCommands(program).map((one) => ({ value: one.name(), about: one.description() }));
    return wanted === undefined ? [] : valuesOf(wanted, sources);
  };
  return (await candidates())
    .filter(({ value }) => value.startsWith(current) && plainName.test(value))
    .map((one) => ({ ...one, value: head + one.value }));
}

// Of an option the name is that of its value: `--config <file>`.
function nameOf(one: Option | Argument): string {
  return "flags" in one ? (/[<[]([\w-]+)/.exec(one.flags)?.[1] ?? "") : one.name();
}

async function valuesOf(one: Option | Argument, { servers, tools }: CompletionSources): Promise<readonly Candidate[]> {
  if (one.argChoices !== undefined) return one.argChoices.map((value) => ({ value }));
  if (/^(?:server|name)s?$/.test(nameOf(one))) return servers();
  return nameOf(one) === "tool" ? tools() : [];
}
