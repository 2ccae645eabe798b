import type { ToolDefinition } from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import { pathOf } from "../opening/find-tool.ts";
import { serverWords, cleanLines, terminalLine, shellLine } from "../render/render-text.ts";
import { padToWidth, widthOf, wrapText } from "../render/text-width.ts";
import type { TypedServer } from "../command-context.ts";
import { describeKinds } from "../values/coerce-text.ts";
import { alternativesOf, memberOf, readParameters, type Parameter, type Parameters } from "../values/parameters.ts";

/** Describes the parameters of a tool, those that are required first. Texts are cleaned. */
function describeParameters({ byName }: Parameters) {
  const rows = Array.from(byName.values(), ({ name, schema, isRequired }) => {
    const description = memberOf(schema, "description") ?? memberOf(schema, "title");
    const initial = memberOf(schema, "default");
    const notes = [
      ...(isRequired ? ["required"] : []),
      ...(initial === undefined ? [] : [`default ${terminalLine(JSON.stringify(initial), 100)}`]),
    ];
    const said = [
      ...(typeof description === "string" ? [terminalLine(description, 400)] : []),
      ...(notes.length === 0 ? [] : [`(${notes.join(", ")})`]),
    ];
    const kinds = describeKinds(schema);
    return { name, option: optionOf(name), kinds, isRequired, text: said.join(" ").trim() };
  });
  return rows.toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired));
}

/** A call of a tool as one line: `mcp_files_read(path: string, limit?: integer)`. Bounded. */
export function signatureOf(definition: ToolDefinition): string {
  const rows = describeParameters(readParameters(definition.inputSchema));
  const shown = rows
    .slice(0, mostShown)
    .map(({ name, kinds, isRequired }) => `${labelOf(name)}${isRequired ? "" : "?"}: ${kinds}`);
  const rest = rows.length > mostShown ? [`… ${rows.length - mostShown} more`] : [];
  return `${definition.name}(${[...shown, ...rest].join(", ")})`;
}

/** A command line that calls a tool, with something in the place of each required argument. */
export function exampleOf(definition: ToolDefinition, typed?: TypedServer): string {
  const parameters = readParameters(definition.inputSchema);
  const required = [...parameters.byName.values()].filter(({ isRequired }) => isRequired).slice(0, mostShown);
  const options = required.map(optionLine);
  const { origin } = definition;
  const isTyped = typed !== undefined && origin?.serverId === typed.id;
  const own = isTyped ? serverWords(typed.id, typed) : [];
  const tool = isTyped ? [...(own[0] === "--" ? ["--"] : []), origin.toolName] : [pathOf(definition)];
  return [shellLine(["hostside", "call", ...own, ...tool]), ...options].join(" ");
}

/** The page of a tool: its title, its description, its arguments as options, and an example. */
export function toolPage(
  definition: ToolDefinition,
  { columns, typed }: { readonly columns: number; readonly typed?: TypedServer | undefined },
): readonly string[] {
  const { inputSchema, title, annotations } = definition;
  const shown = terminalLine(title ?? annotations?.title ?? "", 200);
  const parameters = readParameters(inputSchema);
  const lines = parameterLines(describeParameters(parameters), columns);
  return [
    `${definition.name}  ${pathOf(definition) === definition.name ? "" : terminalLine(pathOf(definition), 200)}`.trimEnd(),
    ...(shown === "" ? [] : wrapText(shown, { width: columns })),
    ...cleanLines(definition.description, 4000).flatMap((line) => wrapText(line, { width: columns })),
    "",
    ...argumentLines(lines, parameters),
    "",
    "Example:",
    `  ${exampleOf(definition, typed)}`,
  ];
}

// A name that is too wide for its column has a line of its own.
function parameterLines(rows: ReturnType<typeof describeParameters>, columns: number): readonly string[] {
  const heads = rows.map(({ option, kinds }) => `${option} <${kinds}>`);
  const width = Math.min(36, Math.floor(columns / 2), Math.max(0, ...heads.map(widthOf)));
  const hanging = " ".repeat(width + 4);
  return rows.flatMap(({ text }, at) => {
    const head = heads[at] ?? "";
    const wide = widthOf(head) <= width ? [] : wrapText(head, { width: columns, indent: "  ", hanging: "    " });
    if (text === "") return wide.length > 0 ? wide : [`  ${head}`];
    const indent = wide.length > 0 ? hanging : `  ${padToWidth(head, width)}  `;
    return [...wide, ...wrapText(text, { width: columns, indent, hanging })];
  });
}

function argumentLines(lines: readonly string[], { takesOthers }: Parameters): readonly string[] {
  if (lines.length === 0) return [takesOthers ? "It names no arguments, and takes any." : "It takes no arguments."];
  return ["Arguments:", ...lines, ...(takesOthers ? ["", "It takes arguments of other names, too."] : [])];
}

const mostShown = 20;

function optionLine({ name, schema }: Parameter): string {
  const [first] = alternativesOf(schema);
  const option = optionOf(name);
  if (first === undefined) return `${option} VALUE`;
  if (first.kind === "boolean") return option;
  if (first.kind !== "choice") return `${option} ${samples[first.kind]}`;
  const [choice = null] = first.choices;
  return `${option} ${shellLine([terminalLine(typeof choice === "string" ? choice : JSON.stringify(choice), 60)])}`;
}

const samples = { string: "TEXT", null: "null", integer: "1", number: "1.5", array: "ENTRY", object: "'{}'" } as const;

function optionOf(name: string): string {
  return shellLine([`--${terminalLine(name, 80)}`]);
}

function labelOf(name: string): string {
  return /^[\p{L}\p{N}_$]{1,80}$/u.test(name) ? name : quoteText(name, 80);
}
