import { InvalidArgumentError, type Argument, type Command, type Help, type Option } from "commander";
import { withColor, type Terminal } from "../terminal.ts";
import { exitCodes } from "../exit-codes.ts";
import { wrapText } from "../render/render-text.ts";
import type { GlobalOptions } from "../command-context.ts";

/** Headings under which `hostside --help` shows commands. */
export type Purpose = "Look" | "Use" | "Set up" | "Sign in" | "Examine" | "More";

/** What `hostside help COMMAND` shows beside what the command declares of itself. */
export interface Page {
  /** The heading of the overview that it stands under. */
  readonly purpose: Purpose;
  /** What it does, in sentences: one text for each paragraph. */
  readonly about?: readonly string[] | undefined;
  /** Command lines that work, each with what it does. At least one. */
  readonly examples: readonly Example[];
  /**
   * What `--json` prints: the shape as text, each line shown as it is. Left out where there is
   * nothing to print.
   */
  readonly json?: string | undefined;
  /** What codes mean here, beside what they mean for all commands. */
  readonly exits?: Readonly<Record<number, string>> | undefined;
}

/** A command line as it is typed, and what it does. */
export interface Example {
  /** Starts with `hostside `. */
  readonly line: string;
  readonly does: string;
}

const pages = new WeakMap<Command, Page>();

/** Gives a command its page. Returns the command, to go on with. */
export function describePage(command: Command, page: Page): Command {
  pages.set(command, page);
  return command.helpGroup(`${page.purpose}:`);
}

/** The page of a command. */
export function helpPageOf(command: Command): Page | undefined {
  return pages.get(command);
}

// Longer lines are hard to read, however wide the terminal is.
const widest = 100;

/** Makes pages of help: wrapped at the width of the terminal, plain where nobody sees colours. */
export function configurePages(program: Command, terminal: Terminal): void {
  const shown = (): Terminal => withColor(terminal, program.opts<ProgramOptions>().color);
  const width = (): number => Math.min(terminal.columns, widest);
  program
    .configureOutput({
      getOutHelpWidth: width,
      getErrHelpWidth: width,
      // Titles are always painted, and what does not show colours gets them taken out again.
      getOutHasColors: () => isPainted(shown().paint),
      getErrHasColors: () => isPainted(shown().paintErr),
    })
    .configureHelp({
      formatHelp: (command, helper) => `${formatPage(command, helper).join("\n")}\n`,
      styleTitle: (title) => withColor(terminal, true).paint("bold", title),
      // What it takes is on its own page.
      subcommandTerm: (command) => command.name(),
      showGlobalOptions: true,
      minWidthToWrap: 20,
    });
}

function isPainted(paint: Terminal["paint"]): boolean {
  return paint("bold", "x") !== "x";
}

function formatPage(command: Command, helper: Help): readonly string[] {
  const page = helpPageOf(command);
  const isProgram = command.parent === null;
  const item = itemFormatter(command, helper);
  const options = [
    ...section(helper, "Options", helper.visibleOptions(command).map(item.option)),
    ...section(helper, "Options of every command", helper.visibleGlobalOptions(command).map(item.option)),
  ];
  return [
    ...wrap(helper, `${helper.styleTitle("Usage:")} ${helper.commandUsage(command)}`, ""),
    "",
    ...paragraphs(helper, [sentence(command.description()), ...(page?.about ?? [])]),
    ...section(helper, "Arguments", helper.visibleArguments(command).map(item.argument)),
    ...commandSections(command, helper, item.command),
    ...options,
    ...(page === undefined ? [] : pageSections(helper, page)),
    ...(isProgram ? ["hostside help COMMAND says everything about one."] : []),
  ].filter((line, index, lines) => index < lines.length - 1 || line !== "");
}

function itemFormatter(command: Command, helper: Help) {
  const termWidth = helper.padWidth(command, helper);
  const format = (term: string, description: string): string => helper.formatItem(term, termWidth, description, helper);
  return {
    option: (one: Option) => format(helper.optionTerm(one), helper.optionDescription(one)),
    argument: (one: Argument) => format(helper.argumentTerm(one), helper.argumentDescription(one)),
    command: (one: Command) => format(helper.subcommandTerm(one), helper.subcommandDescription(one)),
  };
}

function commandSections(command: Command, helper: Help, format: (one: Command) => string): readonly string[] {
  const visible = helper.visibleCommands(command);
  const groups = helper.groupItems([...command.commands], visible, (one) => one.helpGroup() || "Commands:");
  return Array.from(groups, ([title, members]) => section(helper, title.replace(/:$/, ""), members.map(format))).flat();
}

function pageSections(helper: Help, { examples, json, exits }: Page): readonly string[] {
  const codes = Object.entries({ ...commonExits, ...exits });
  return [
    ...section(
      helper,
      "Examples",
      examples.flatMap(({ line, does }) => [`  ${line}`, ...wrap(helper, does, "      ")]),
    ),
    ...section(
      helper,
      "With --json",
      (json ?? "")
        .split("\n")
        .filter(Boolean)
        .flatMap((line) => wrapText(line, { width: helper.helpWidth ?? widest, indent: "  ", hanging: "    " })),
    ),
    ...section(
      helper,
      "Exit codes",
      codes.flatMap(([code, meaning]) => wrap(helper, `${code}  ${meaning}`, "  ")),
    ),
  ];
}

const commonExits: Readonly<Record<number, string>> = {
  [exitCodes.pass]: "it did what was asked",
  [exitCodes.usage]: "the command line or the configuration is wrong, or nobody could be asked",
  [exitCodes.incomplete]: "it was interrupted",
};

function section(helper: Help, title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [helper.styleTitle(`${title}:`), ...lines, ""];
}

function paragraphs(helper: Help, texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text !== "").flatMap((text) => [...wrap(helper, text, ""), ""]);
}

function wrap(helper: Help, text: string, indent: string): readonly string[] {
  return wrapText(text, { width: helper.helpWidth ?? widest, indent });
}

function sentence(text: string): string {
  return text === "" ? "" : `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, "")}.`;
}

/** Global options, and those that are done with before a command runs. */
export interface ProgramOptions extends GlobalOptions {
  /** Colours in any case, or in none. Default: as the streams and the environment say. */
  readonly color?: boolean | undefined;
}

/** Declares the options that every command has, before its name and after it. */
export function addGlobalOptions(program: Command): Command {
  return program
    .option("--config <file>", "use this file in place of what is found; can be given again", collect)
    .option("--dialect <name>", "how files of --config are read, such as evva (default: found out)")
    .option("--json", "one JSON document on stdout, and nothing else there")
    .option("--timeout <seconds>", "how long servers may take to come up (default: 30)", readSeconds)
    .option("--quiet", "no progress; problems and questions stay")
    .option("--verbose", "what servers write to stderr, and what a developer wants to know")
    .option("--record <file>", "what is said with servers, as a recording that can be played back")
    .option("--color", "colours, also where there is no terminal")
    .option("--no-color", "no colours");
}

function collect(file: string, files: readonly string[] = []): readonly string[] {
  return [...files, file];
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() === "" || !(seconds > 0) || seconds > longestSeconds)
    throw new InvalidArgumentError("It must be a number of seconds above 0.");
  return seconds;
}

// What a timer of JavaScript can wait for.
const longestSeconds = 2_147_483;
