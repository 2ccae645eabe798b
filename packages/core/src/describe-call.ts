import type { JsonObject } from "./json.ts";
import { redacted, createSecretFinder } from "./find-secrets.ts";
import type { ToolDefinition, ToolEffect } from "./tool.ts";
import { escapeUnseen, truncateText } from "./text.ts";

/** A call that a person is asked about. */
export interface DescribedCall {
  readonly definition: ToolDefinition;
  /** As they will be sent. */
  readonly args: unknown;
  readonly effect?: ToolEffect | undefined;
  /** Values that are not shown. Default none. */
  readonly secrets?: readonly string[] | undefined;
}

const mostLength = 10_000;
const mostArguments = 200;
// A value with a blank may be a command, and a short one is a word of many texts.
const hidden = /^\S{8,}$/;

/**
 * Describes a call for the person who approves it, line by line. Names and values are a model's or
 * a server's: each is one line, quoted, with unseen characters escaped. Arguments of more than
 * 10,000 characters are cut in the middle, and what is left out is counted.
 */
export function describeCall({ definition, args, effect, secrets = [] }: DescribedCall): readonly string[] {
  const { name, origin, title } = definition;
  const called = title === undefined ? "" : ` (${cutMiddle(quote(title), 300)})`;
  return [
    ...(origin === undefined || origin.serverId === "" ? [] : [`server: ${nameOf(origin.serverId)}`]),
    `tool: ${nameOf(origin?.toolName ?? name)}${called}`,
    ...(effect === undefined ? [] : [`effect: ${effect}`]),
    ...describeArguments(args, createHiding(secrets)),
  ];
}

function describeArguments(args: unknown, hide: (text: string) => string): readonly string[] {
  const entries = typeof args === "object" && args !== null ? Object.entries(args as JsonObject) : [];
  if (entries.length === 0) return ["without arguments"];
  const lines = entries
    .slice(0, mostArguments)
    .map(([name, value]) => escapeUnseen(hide(`${JSON.stringify(name)}: ${JSON.stringify(value) ?? "absent"}`)));
  const isWhole = lines.reduce((sum, { length }) => sum + length, 0) <= mostLength;
  const shown = isWhole ? lines : lines.map((line) => cutMiddle(line, Math.floor(mostLength / lines.length)));
  const more = entries.length - lines.length;
  return [
    "arguments:",
    ...shown.map((line) => `  ${line}`),
    ...(more > 0 ? [`  ${more} more that are NOT shown`] : []),
  ];
}

function createHiding(secrets: readonly string[]): (text: string) => string {
  const find = createSecretFinder(secrets.filter((secret) => hidden.test(secret)));
  return (text) =>
    find(text).reduceRight((rest, { start, end }) => rest.slice(0, start) + redacted + rest.slice(end), text);
}

function nameOf(name: string): string {
  return /^[\w./:@-]{1,128}$/.test(name) ? name : cutMiddle(quote(name), 300);
}

function quote(text: string): string {
  return escapeUnseen(JSON.stringify(text));
}

function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text;
  // The end matters as much as the beginning: a command may stand behind a long text.
  const half = Math.floor(length / 2);
  const [head, tail] = [truncateText(text, half).slice(0, -1), text.slice(-half).replace(/^[\uDC00-\uDFFF]/, "")];
  return `${head} … ${text.length - head.length - tail.length} characters that are NOT shown … ${tail}`;
}
