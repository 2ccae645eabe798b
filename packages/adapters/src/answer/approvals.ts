import { HostsideError, type CallContext, type ToolDefinition } from "@hostside/core";
import { describeCall, findLostNumber, lostDigitsError, quoteText } from "@hostside/core/implement";
import type { DeclaredTool } from "../declared-tool.ts";
import type { ToolSource } from "../tool-source.ts";
import { decodeTexts } from "./decode-texts.ts";
import { locateJsonError } from "./locate-json-error.ts";

/** A call that a person has to approve before it runs. */
export interface CallToApprove {
  /** The id that the model gave the call, for the option `approved` of `answer()`. */
  readonly id: string;
  /** The name that the model called. */
  readonly name: string;
  /** The arguments as they will be sent. */
  readonly args: unknown;
  readonly definition: ToolDefinition;
  /**
   * The call in lines that any display can show, quoted, with unseen characters escaped: whole, or
   * with what is left out counted.
   */
  readonly shown: readonly string[];
}

/**
 * Whether a person has to approve calls of a tool: by the policy of the source, else by the
 * definition.
 */
export function requiresApproval({ approval }: ToolSource, { definition }: DeclaredTool): boolean {
  return approval === undefined ? definition.requireApproval === true : approval.requires(definition);
}

interface CallToAsk {
  readonly id?: string | undefined;
  readonly args?: unknown;
  readonly context?: CallContext | undefined;
}

interface Means {
  readonly source: ToolSource;
  readonly context?: CallContext | undefined;
}

/**
 * Notes that a person is asked about a call now, and gives the question. `undefined` for arguments
 * that cannot be read: the call itself says what is wrong with them.
 */
export async function noteQuestion(
  tool: DeclaredTool,
  { id = "", args: given, context: own }: CallToAsk,
  { source, context }: Means,
): Promise<CallToApprove | undefined> {
  const { name, definition } = tool;
  const read = argumentsOf(tool, given, source);
  if (read === undefined) return undefined;
  const { args } = read;
  const asked = { id, definition, args, context: { ...context, ...own } };
  const shown = (await source.approval?.note(asked)) ?? describeCall({ definition, args, effect: definition.effect });
  return { id, name, args, definition, shown };
}

/**
 * The arguments as they are sent. Of a call that a framework asks about, texts are not decoded: it
 * may show the arguments as the model wrote them. Throws `invalid_arguments` for those that cannot
 * be read.
 */
export function restoreArguments(tool: DeclaredTool, given: unknown, source: ToolSource): unknown {
  const args = tool.restore(readArguments(given, tool.name));
  return requiresApproval(source, tool) ? args : decodeTexts(args, tool.definition.inputSchema);
}

/** The same; `undefined` for those that cannot be read. */
export function argumentsOf(
  tool: DeclaredTool,
  given: unknown,
  source: ToolSource,
): { readonly args: unknown } | undefined {
  try {
    return { args: restoreArguments(tool, given, source) };
  } catch {
    return undefined;
  }
}

/**
 * The context of a call with a person's answer. Throws `approval_denied` for a no without a policy.
 */
export function withAnswer(
  tool: DeclaredTool,
  { id = "", args, context, approved }: CallToAsk & { readonly approved?: boolean | readonly string[] | undefined },
  source: ToolSource,
): CallContext | undefined {
  if (approved === undefined || !requiresApproval(source, tool)) return context;
  const { definition } = tool;
  const isApproved = typeof approved === "boolean" ? approved : approved.includes(id);
  if (source.approval !== undefined) {
    const asked = { id, definition, args, context };
    return { ...context, approval: source.approval.answer(asked, isApproved ? "once" : "no") };
  }
  if (isApproved) return context;
  throw new HostsideError(`call of ${quoteText(tool.name)} was rejected by the user`, {
    code: "approval_denied",
    serverId: definition.origin?.serverId || undefined,
    toolName: definition.origin?.toolName ?? definition.name,
    outcome: "not-sent",
    details: { denied: "rejected" },
  });
}

/**
 * The arguments of a model's call: JSON text is parsed, no text at all is no arguments, and what is
 * no text is taken as it is. Throws `invalid_arguments` for a text that is no JSON, with the place
 * where it stops being JSON, for one that is a text inside a text, and for a number that would lose
 * digits.
 */
function readArguments(args: unknown, toolName: string): unknown {
  if (typeof args !== "string") return args;
  if (args.trim() === "") return {};
  let parsed: unknown;
  try {
    parsed = JSON.parse(args);
  } catch {
    throw noJson(`the arguments are no JSON${placeOf(args)}`, toolName);
  }
  if (typeof parsed === "string")
    throw noJson("the arguments must be a JSON object, not a JSON text inside a text", toolName);
  const lost = findLostNumber(args);
  if (lost !== undefined) throw lostDigitsError(lost, { serverId: "", toolName });
  return parsed;
}

function placeOf(text: string): string {
  const place = locateJsonError(text);
  // Nested too deep for the runtime to read.
  if (place === undefined) return " that can be read";
  return `: at line ${place.line}, column ${place.column}, there should be ${place.expected}`;
}

function noJson(message: string, toolName: string): HostsideError {
  const violations = [{ path: "", message }];
  return new HostsideError(message, { code: "invalid_arguments", toolName, details: { violations } });
}
