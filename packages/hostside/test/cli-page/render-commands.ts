import type { Argument, Command, Option } from "commander";
import { pages } from "../../src/cli/commands/declare.ts";

/**
 * Every command of a program as Markdown, from what it declares: the part of docs/reference/cli.md that
 * nobody writes by hand.
 */
export function renderCommands(program: Command): string {
  const commands = commandsOf(program);
  const headings = new Set(commands.map((command) => command.helpGroup()));
  const sections = Array.from(headings, (heading) => [
    `## ${heading.replace(/:$/, "")}`,
    ...commands.filter((command) => command.helpGroup() === heading).flatMap(renderCommand),
  ]);
  const global = ["## Options of every command", table("option", program.options.filter(isShown).map(toOptionRow))];
  return `${[...global, ...sections.flat()].join("\n\n")}\n`;
}

/** The commands that help shows, with the commands below them. */
function commandsOf(program: Command): readonly Command[] {
  const { commands } = program;
  return commands.flatMap((command) => [...(isHidden(command) ? [] : [command]), ...commandsOf(command)]);
}

/** The line that is typed: `hostside config show`. */
function lineOf(command: Command): string {
  return command.parent === null ? command.name() : `${lineOf(command.parent)} ${command.name()}`;
}

function renderCommand(command: Command): readonly string[] {
  const page = pages.get(command);
  const shown = command.options.filter(isShown);
  const exits = Object.entries(page?.exits ?? {});
  return [
    `### \`${[lineOf(command), ...command.registeredArguments.map(usageOf)].join(" ")}\``,
    sentence(command.description()),
    ...(page?.about ?? []).map(prose),
    ...(command.registeredArguments.length === 0
      ? []
      : [table("argument", command.registeredArguments.map(toArgumentRow))]),
    ...(shown.length === 0 ? [] : [table("option", shown.map(toOptionRow))]),
    ...(page === undefined
      ? []
      : [
          codeBlock(
            "sh",
            Object.entries(page.examples)
              .map(([line, does]) => `# ${does}\n${line}`)
              .join("\n"),
          ),
        ]),
    ...(page?.json === undefined ? [] : ["`--json` prints:", codeBlock("text", page.json)]),
    ...(exits.length === 0
      ? []
      : [`Exit codes: ${exits.map(([code, meaning]) => `${code}: ${prose(meaning)}`).join("; ")}.`]),
  ];
}

function usageOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? name.toUpperCase() : `[${name}]`;
}

function toArgumentRow(argument: Argument): readonly [string, string] {
  return [argument.name(), [argument.description, choicesOf(argument.argChoices)].filter(Boolean).join("; ")];
}

function toOptionRow({ flags, description, argChoices, defaultValue }: Option): readonly [string, string] {
  const byDefault =
    defaultValue === undefined || typeof defaultValue === "boolean" ? "" : `default ${JSON.stringify(defaultValue)}`;
  return [flags, [description, choicesOf(argChoices), byDefault].filter(Boolean).join("; ")];
}

function choicesOf(choices: readonly string[] | undefined): string {
  return choices === undefined ? "" : `one of ${choices.join(", ")}`;
}

function isShown({ hidden }: Option): boolean {
  return !hidden;
}

function isHidden(command: Command): boolean {
  return (
    command.name().startsWith("_") ||
    !(command.parent?.createHelp().visibleCommands(command.parent).includes(command) ?? true)
  );
}

function table(head: string, rows: readonly (readonly [string, string])[]): string {
  const lines = rows.map(
    ([name, text]) => `| \`${name.replaceAll("|", "\\|")}\` | ${prose(text).replaceAll("|", "\\|")} |`,
  );
  return [`| ${head} | |`, "|---|---|", ...lines].join("\n");
}

function codeBlock(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}

function sentence(text: string): string {
  return `${prose(text.slice(0, 1).toUpperCase() + text.slice(1))}${/[.!?]$/.test(text) ? "" : "."}`;
}

// What looks like Markdown in a text for terminals is none.
function prose(text: string): string {
  return text.replaceAll(/[<>*_]/g, String.raw`\$&`);
}
