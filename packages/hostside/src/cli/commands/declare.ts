import { Help, InvalidArgumentError, type Command } from "commander";
import type { CommandContext, CommandWork, GlobalOptions } from "../command-context.ts";
import { exitCodes } from "../exit-codes.ts";
import { withColor, type Terminal } from "../terminal.ts";

/** A command as `hostside help COMMAND` describes it, beside its arguments and options. */
export interface Page {
  /** The line in the overview. */
  readonly does: string;
  /** More about it, in sentences: one text for each paragraph. */
  readonly about?: readonly string[] | undefined;
  /** Command lines that work, each with what it does. */
  readonly examples: Readonly<Record<string, string>>;
  /** The shape that `--json` prints, as text; each line is shown as it is. */
  readonly json?: string | undefined;
  /** Meanings of exit codes, beside those that hold for all commands. */
  readonly exits?: Readonly<Record<number, string>> | undefined;
}

/** A command: its page, its arguments and options, and its work. */
export interface CommandSpec extends Page {
  readonly name: string;
  /** The overview leaves it out. */
  readonly isHidden?: boolean;
  /** Declares arguments and options. Their names are the members of what the work gets. */
  readonly takes?: (command: Command) => Command;
  /** Loads the work. */
  readonly work: () => Promise<CommandWork<never>>;
}

/** Runs the work of a command. */
export type CommandRun = (work: (context: CommandContext) => Promise<number>) => Promise<void>;

/** The pages of commands. */
export const pages: WeakMap<Command, Page> = new WeakMap();

/** Adds a command to a program. */
export function addCommand(program: Command, spec: CommandSpec, run: CommandRun): Command {
  const { name, isHidden = false, takes = (command) => command, work } = spec;
  const command = takes(setPage(program.command(name, { hidden: isHidden }), spec));
  return command.action((...given: readonly unknown[]) => {
    const named = command.registeredArguments.map((argument, index) => [argument.name(), given[index]]);
    const args = { ...command.opts(), ...Object.fromEntries(named) };
    return run(async (context) => (await work())(args as never, context));
  });
}

/** Gives a command its page. */
export function setPage(command: Command, page: Page): Command {
  pages.set(command, page);
  return command.description(page.does);
}

/** Collects the values of an option that can be given again. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Reads an option that is a number of seconds. The default limit is the longest timer there is. */
export function readSeconds(text: string, most: number = 2_147_483): number {
  const seconds = Number(text);
  if (text.trim() !== "" && seconds > 0 && seconds <= most) return seconds;
  throw new InvalidArgumentError("It must be a number of seconds above 0.");
}

/** Options of the program: those of every command, and colours. */
export interface ProgramOptions extends GlobalOptions {
  /** Colours in any case, or in none. Default: as the streams and the environment say. */
  readonly color?: boolean | undefined;
}

// Longer lines are hard to read, however wide the terminal is.
const widest = 100;

/** Adds what pages say to those of commander, and wraps all at the width of the terminal. */
export function configureHelp(program: Command, terminal: Terminal): void {
  const shown = (): Terminal => withColor(terminal, program.opts<ProgramOptions>().color);
  const width = (): number => Math.min(terminal.columns, widest);
  const plain = new Help();
  program
    .configureOutput({
      getOutHelpWidth: width,
      getErrHelpWidth: width,
      // Titles are always painted; commander removes colours where none are shown.
      getOutHasColors: () => isPainted(shown().paint),
      getErrHasColors: () => isPainted(shown().paintErr),
    })
    .configureHelp({
      formatHelp: (command, helper) => [plain.formatHelp(command, helper), ...sectionsOf(command, helper)].join("\n"),
      commandDescription: (command) =>
        [sentence(command.description()), ...(pages.get(command)?.about ?? [])].join("\n\n"),
      styleTitle: (title) => withColor(terminal, true).paint("bold", title),
      // The page of a command lists its arguments.
      subcommandTerm: (command) => command.name(),
      showGlobalOptions: true,
      minWidthToWrap: 20,
    });
}

function isPainted(paint: Terminal["paint"]): boolean {
  return paint("bold", "x") !== "x";
}

const commonExits: Readonly<Record<number, string>> = {
  [exitCodes.pass]: "success",
  [exitCodes.fail]: "a tool failed, a server has a problem, or something was found",
  [exitCodes.usage]: "the command line or configuration is wrong, or a question could not be asked",
  [exitCodes.incomplete]: "incomplete, or interrupted",
  [exitCodes.unreachable]: "a server could not be reached",
  [exitCodes.authRequired]: "a sign-in is needed",
};

function sectionsOf(command: Command, helper: Help): readonly string[] {
  const { examples = {}, json = "", exits } = pages.get(command) ?? {};
  const width = helper.helpWidth ?? widest;
  const wrap = (text: string, indent: string, hanging: string = indent): readonly string[] =>
    helper
      .boxWrap(text, width - hanging.length)
      .split("\n")
      .map((line, at) => (at === 0 ? indent : hanging) + line);
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [helper.styleTitle(`${title}:`), ...lines, ""];
  const shape = json.split("\n").filter(Boolean);
  return [
    ...section(
      "Examples",
      Object.entries(examples).flatMap(([line, does]) => [`  ${line}`, ...wrap(does, "      ")]),
    ),
    ...section(
      "With --json",
      shape.flatMap((line) => wrap(line, "  ", "    ")),
    ),
    ...section(
      "Exit codes",
      Object.entries({ ...commonExits, ...exits }).flatMap(([code, meaning]) => wrap(`${code}  ${meaning}`, "  ")),
    ),
  ];
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
}
