import {
  HostsideError,
  isHostsideError,
  type CallOutcome,
  type JsonObject,
  type JsonValue,
  type Progress,
  type ToolDefinition,
} from "@hostside/core";
import { findMeant, isJsonObject, quoteText } from "@hostside/core/implement";
import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import type { CommandContext, CommandWork, OpenedHost } from "../command-context.ts";
import { didYouMean, exitCodeOf, exitCodes, usageError } from "../exit-codes.ts";
import { canAsk } from "../opening/asking/terminal-asker.ts";
import { findServerAndTool, pathOf } from "../opening/find-tool.ts";
import { findCommand } from "../program/find-option.ts";
import { renderError } from "../program/render-error.ts";
import { jsonText, printResult } from "../render/print.ts";
import { terminalLine } from "../render/render-text.ts";
import { createStatusLine } from "../render/status-line.ts";
import { readStdin, type Terminal } from "../terminal.ts";
import { coerceText, entrySchemaOf, parseJson } from "../values/coerce-text.ts";
import {
  alternativesOf,
  findParameter,
  memberOf,
  readParameters,
  type Parameter,
  type Parameters,
} from "../values/parameters.ts";
import { exampleOf, signatureOf } from "./describe-parameters.ts";
import { showOutcome } from "./show-outcome.ts";
import { showDefinition } from "./show-tool.ts";

const effects: Readonly<Record<CallOutcome, string>> = {
  "not-sent": "Nothing was sent.",
  unknown: "It was sent, and may have run.",
  failed: "It was sent, and the server says that it failed.",
};

/**
 * Says why a call brought no result, and what is known of its effect. Returns what the command
 * exits with.
 */
function reportCallFailure(error: HostsideError, definition: ToolDefinition, context: CommandContext): number {
  const { terminal, options } = context;
  renderError(restate(error, definition, canAsk(context)), context);
  if (options.json !== true) terminal.err(`${effects[error.outcome]}\n`);
  return exitCodeOfCall(error);
}

/** A call that was sent has failed, whatever broke; else the failure says it. */
export function exitCodeOfCall(error: HostsideError): number {
  const code = exitCodeOf(error);
  const isCertain = code === exitCodes.incomplete || code === exitCodes.authRequired || error.outcome === "not-sent";
  return isCertain ? code : exitCodes.fail;
}

// A policy speaks to products of rules and handlers; here a person has typed a call.
function restate(error: HostsideError, definition: ToolDefinition, isAsked: boolean): HostsideError {
  const { code, serverId, toolName, outcome } = error;
  if (code !== "approval_required" && code !== "approval_denied") return error;
  const { effect = "external" } = definition;
  const path = terminalLine(pathOf(definition), 300);
  const message = isAsked
    ? `the call of ${path} was not approved`
    : `${path} may change things (effect: ${effect}), and nobody can be asked here`;
  return new HostsideError(message, {
    code: isAsked ? "approval_denied" : "approval_required",
    serverId,
    toolName,
    outcome,
    cause: error,
  });
}

/**
 * A report as one line: `40 %  copying files`, or `12  copying files` where it is not known how
 * much there is.
 */
export function describeProgress({ progress, total, message = "" }: Progress): string {
  const isKnown = total !== undefined && total > 0 && Number.isFinite(progress / total);
  const share = isKnown ? `${Math.min(100, Math.max(0, Math.floor((progress / total) * 100)))} %` : String(progress);
  return `${share}  ${terminalLine(message, 200)}`.trimEnd();
}

/** The typed call. */
export interface CallArguments {
  readonly tool: string | undefined;
  /** Words after the tool that are no options of the command itself. */
  readonly arguments: readonly string[];
  /** JSON, `-` for stdin, `@file`. */
  readonly args?: string | undefined;
  /** The tool's page, and no call. */
  readonly help?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  /** Folder for files, relative to the working folder. */
  readonly output?: string | undefined;
  /** How long the call may take, in seconds. */
  readonly callTimeout?: number | undefined;
}

/**
 * Calls a tool: finds it, completes and checks its arguments, asks where it may change something,
 * and shows what came of it.
 */
export const runCallCommand: CommandWork<CallArguments> = async (given, context) => {
  const { tool, help = false, yes: isYes = false } = given;
  if (tool === undefined || tool.startsWith("-")) {
    if (!help) throw usageError("name the tool that is to be called", "hostside list shows them");
    if (context.program !== undefined) findCommand(context.program, "call")?.outputHelp();
    return exitCodes.pass;
  }
  const { opened, definition } = await findServerAndTool(tool, context, { calls: { isYes } });
  await using _ = opened;
  if (help) return showDefinition(definition, opened, context);
  const args = await readCall(given, definition, context);
  if (given.dryRun === true) return showDryRun(definition, args, context);
  // Awaited here, because the host closes when this function is left.
  return await runCall({ definition, args, given }, opened, context);
};

async function readCall(
  given: CallArguments,
  definition: ToolDefinition,
  { terminal, options }: CommandContext,
): Promise<JsonObject> {
  const parameters = readParameters(definition.inputSchema);
  const example = exampleOf(definition, options.typed);
  const readSource = sourceReader(terminal);
  const readBase = async (): Promise<JsonObject> => {
    const { args: source = "{}" } = given;
    const isElsewhere = source === "-" || source.startsWith("@");
    const text = isElsewhere ? Buffer.from(await readSource(source.replace(/^@/, ""))).toString("utf8") : source;
    const parsed = parseJson(text.replace(/^\uFEFF/, ""));
    if (isJsonObject(parsed)) return parsed;
    throw usageError("--args must be an object as JSON", `Example: ${example}`);
  };
  const args = await readArguments(given.arguments, { parameters, readBase, readSource });
  assertComplete(args, definition, example);
  return args;
}

/** Throws a usage error that names the required arguments that are not there. */
export function assertComplete(args: JsonObject, definition: ToolDefinition, example: string): void {
  const missing = [...readParameters(definition.inputSchema).byName.values()].filter(
    ({ name, isRequired }) => isRequired && memberOf(args, name) === undefined,
  );
  if (missing.length === 0) return;
  const names = missing.slice(0, mostNamed).map(({ name }) => `--${terminalLine(name, 100)}`);
  const more = missing.length > mostNamed ? ` and ${missing.length - mostNamed} more` : "";
  throw usageError(`missing: ${names.join(", ")}${more}`, `${signatureOf(definition)}; for example: ${example}`);
}

const mostNamed = 30;
interface TypedCall {
  readonly definition: ToolDefinition;
  readonly args: JsonObject;
  readonly given: CallArguments;
}

async function runCall(
  { definition, args, given }: TypedCall,
  opened: OpenedHost,
  context: CommandContext,
): Promise<number> {
  // A question that is asked meanwhile has the terminal for itself.
  const line = createStatusLine(context.terminal, context.options);
  const started = performance.now();
  try {
    const outcome = await opened.host.call(definition.name, args, {
      selected: definition,
      signal: context.terminal.signal,
      onProgress(progress) {
        if (opened.asker?.isAsking === true) line.end();
        else line.show(describeProgress(progress));
      },
      ...(given.callTimeout !== undefined && { timeoutMs: given.callTimeout * 1000 }),
    });
    line.end();
    const ms = Math.round(performance.now() - started);
    return await showOutcome({ outcome, definition, ms, output: given.output }, context);
  } catch (error) {
    line.end();
    if (!isHostsideError(error)) throw error;
    return reportCallFailure(error, definition, context);
  }
}

function showDryRun(definition: ToolDefinition, args: JsonObject, context: CommandContext): number {
  const { name, origin, effect = "external" } = definition;
  const call = { name, server: origin?.serverId ?? null, tool: origin?.toolName ?? name, effect, arguments: args };
  return printResult(context, { dryRun: call }, () => {
    context.terminal.err(`Would call ${terminalLine(pathOf(definition), 300)} (effect: ${effect}) with:\n`);
    return [jsonText(args)];
  });
}

const mostMiB = 64;

/** Reads files relative to the working folder, and stdin (`-`) once. */
function sourceReader(terminal: Terminal): ArgumentSources["readSource"] {
  let isStdinRead = false;
  return async (source) => {
    if (source !== "-") return readSmallFile(source, resolve(terminal.cwd, source));
    if (isStdinRead) throw usageError("stdin is read once, and is asked for twice");
    isStdinRead = true;
    return readStdin(terminal, mostMiB);
  };
}

async function readSmallFile(source: string, file: string): Promise<Uint8Array> {
  const hint = `For the text itself write @@${quoteText(source, 100).slice(1, -1)}`;
  try {
    const { size } = await stat(file);
    if (size > mostMiB * 1024 * 1024) throw usageError(`${quoteText(source, 200)} has more than ${mostMiB} MiB`);
    return await readFile(file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    throw usageError(`cannot read ${quoteText(source, 200)} (${String(error.code)})`, hint);
  }
}

/** Sources of the arguments of a call. */
interface ArgumentSources {
  readonly parameters: Parameters;
  /** JSON that single arguments are put into, and win over. */
  readonly readBase: () => Promise<JsonObject>;
  /** Reads a file for `@file`, and stdin for `@-`. Rejects with a usage error. */
  readonly readSource: (source: string) => Promise<Uint8Array>;
}

interface TypedArgument {
  readonly parameter: Parameter;
  readonly given: string | boolean;
}

/**
 * Reads what was typed after the name of a tool: `--name value`, `--name=value`, and `--flag` and
 * `--no-flag` for a boolean. Members are defined, never assigned, so
 * that an argument called `__proto__` is one like any other. Throws a usage error for a name that
 * the tool has not, naming near ones, and for a text that is no value of its schema.
 */
export async function readArguments(tokens: readonly string[], sources: ArgumentSources): Promise<JsonObject> {
  const { parameters, readBase, readSource } = sources;
  const groups = new Map<string, TypedArgument[]>();
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at] ?? "";
    if (token === "--") continue;
    const { tookNext, ...argument } = readOption(token, tokens[at + 1], parameters);
    if (tookNext === true) at += 1;
    const { name } = argument.parameter;
    groups.set(name, [...(groups.get(name) ?? []), argument]);
  }
  let args = await readBase();
  for (const [name, group] of groups) {
    const values = await Promise.all(group.map((one) => readGiven(one, readSource)));
    args = withMember(args, name, toValue(group[0]?.parameter, values));
  }
  return args;
}

/** An object with a member, which is last. */
function withMember(object: JsonObject, name: string, value: JsonValue): JsonObject {
  return Object.fromEntries([...Object.entries(object).filter(([key]) => key !== name), [name, value]]);
}

function readOption(
  token: string,
  next: string | undefined,
  parameters: Parameters,
): TypedArgument & { readonly tookNext?: boolean } {
  if (!token.startsWith("--")) throw notAnOption(token, parameters);
  const sign = token.indexOf("=");
  const name = token.slice(2, sign > 2 ? sign : undefined);
  const parameter = findParameter(name, parameters);
  if (parameter === undefined) {
    const negated = sign > 2 || !name.startsWith("no-") ? undefined : findParameter(name.slice(3), parameters);
    if (negated === undefined || !kindsOf(negated).includes("boolean")) throw unknownName(name, parameters);
    return { parameter: negated, given: false };
  }
  if (sign > 2) return { parameter, given: token.slice(sign + 1) };
  const kinds = kindsOf(parameter);
  if (kinds.includes("boolean") && !kinds.includes("string")) {
    if (next === "true" || next === "false") return { parameter, given: next === "true", tookNext: true };
    if (kinds.length === 1 || next === undefined || next.startsWith("--")) return { parameter, given: true };
  }
  if (next !== undefined && next !== "--" && !/^--[^\s-]/.test(next)) return { parameter, given: next, tookNext: true };
  const hint =
    next?.startsWith("--") === true && next !== "--"
      ? `A value that begins with -- is given as --${name}=${next}`
      : undefined;
  throw usageError(`${optionOf(name)} needs a value`, hint);
}

function kindsOf({ schema }: Parameter): readonly string[] {
  return alternativesOf(schema).map(({ kind }) => kind);
}

async function readGiven(
  { given, parameter }: TypedArgument,
  readSource: ArgumentSources["readSource"],
): Promise<string | boolean> {
  if (typeof given === "boolean" || !given.startsWith("@") || given === "@") return given;
  if (given.startsWith("@@")) return given.slice(1);
  const bytes = await readSource(given.slice(1));
  // A schema can ask for bytes as base64; everything else is text in UTF-8.
  const { contentEncoding, format } = parameter.schema;
  if (contentEncoding === "base64" || format === "byte") return Buffer.from(bytes).toString("base64");
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw usageError(`${optionOf(parameter.name)}: the file is not UTF-8 text`);
  }
}

function toValue(parameter: Parameter | undefined, given: readonly (string | boolean)[]): JsonValue {
  const { name = "", schema } = parameter ?? {};
  const isList = given.length > 1;
  const wanted = isList ? entrySchemaOf(schema) : schema;
  if (isList && wanted === undefined)
    throw usageError(`${optionOf(name)} is given ${given.length} times, and takes one value`);
  const values = given.map((one): JsonValue => {
    const coerced = typeof one === "boolean" ? ({ kind: "value", value: one } as const) : coerceText(one, wanted);
    if (coerced.kind === "problem") throw usageError(`${optionOf(name)} ${coerced.problem}`);
    return coerced.value;
  });
  return isList ? values : (values[0] ?? null);
}

function unknownName(name: string, { byName }: Parameters): Error {
  const names = [...byName.keys()];
  const meant = didYouMean(findMeant(name, names, (one) => [one]).map(optionOf));
  const all = names.slice(0, mostNamed).map(optionOf).join(", ");
  const rest = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : "";
  const list = names.length === 0 ? "The tool takes no arguments." : `The tool takes ${all}${rest}.`;
  return usageError(`the tool has no parameter ${optionOf(name)}`, meant === undefined ? list : `${meant} ${list}`);
}

function notAnOption(token: string, parameters: Parameters): Error {
  const [, name] = /^([^=]+)=/.exec(token) ?? [];
  const isMeant = name !== undefined && findParameter(name, parameters) !== undefined;
  const hint = isMeant
    ? `Did you mean ${optionOf(token)}?`
    : "Arguments are given as --name value, or as JSON by --args.";
  return usageError(`${quoteText(token, 100)} is no option`, hint);
}

function optionOf(name: string): string {
  return `--${quoteText(name, 100).slice(1, -1)}`;
}
