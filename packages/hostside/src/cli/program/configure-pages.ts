import type { Argument, Command, Help, Option } from "commander";
import { withColor, type Terminal } from "../terminal.ts";
import { exitCodes } from "../exit-codes.ts";
import { wrapText } from "../render/wrap-text.ts";
import { helpPageOf, type Page } from "./describe-page.ts";
import type { ProgramOptions } from "./global-options.ts";

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
