import {
  type CallOptions,
  type ContentBlock,
  HostsideError,
  type InitOptions,
  type JsonObject,
  type JsonValue,
  type ToolDefinition,
  type ToolGroup,
  type ToolOrigin,
  type ToolOutcome,
  defaultTimeouts,
  isHostsideError,
} from "@hostside/core";
import {
  type Deadline,
  assertKnownOptions,
  foldCase,
  isCallArguments,
  isJsonObject,
  isPlainObject,
  isToolEffect,
  kindOf,
  quoteText,
  withDefaults,
  withErrorContext,
  withoutApproval,
  runWithDeadline,
} from "@hostside/core/implement";
import { assertMembers, isFlag, isFunction, isListOf, isText, type Check } from "./checks.ts";

/**
 * A bundle of static tools in the directory of groups: a group without members, because tools join
 * by declaring it.
 */
export type ToolBundle = Omit<ToolGroup, "members">;

/** The result of a static tool: a text, or the parts of an outcome. */
export type StaticResult =
  | string
  | {
      /**
       * For a kind that the specification does not have, pass what `readContent` of
       * `@hostside/core` makes of the blocks.
       */
      readonly content?: readonly ContentBlock[];
      readonly structuredContent?: JsonValue;
      /** Default `false`. */
      readonly isError?: boolean;
      /** For the host; never shown to a model. */
      readonly meta?: JsonObject;
    };

/** A tool of the product itself, next to those of providers. */
export interface StaticTool {
  /**
   * The definition that a model sees. The name starts with a letter, goes on with letters, digits,
   * `_` and `-`, and is at most 64 characters long; names that differ in ASCII case only are the
   * same. `annotations` are the product's own word and are trusted when a fallback is decided.
   */
  readonly definition: Omit<ToolDefinition, "origin" | "groupIds" | "flags">;
  /**
   * The bundle it belongs to. Tools that declare the same id, ASCII-case-insensitively, are one
   * group.
   */
  readonly bundle?: ToolBundle;
  /**
   * Called by the toolbox's `init()`, before any provider's; nobody waits for it before he starts.
   * Its errors are wrapped as `internal_error`.
   */
  init?(options: { readonly signal?: AbortSignal }): Promise<void> | void;
  /**
   * Does the work. `options.signal` aborts when the caller gives up or the time is up; the toolbox
   * does not wait any longer then. Throws what it likes: a `HostsideError` passes, anything else is
   * wrapped as `internal_error`. To answer anything but a `StaticResult`, such as nothing
   * or a number, is an `internal_error`, too. A tool that calls other tools hands
   * `options.observer` on, so that what becomes of those is known of this one.
   */
  run(args: JsonObject, options: CallOptions): Promise<StaticResult> | StaticResult;
}

/** The parts of a static tool that a call needs. */
export type RunnableTool = Pick<StaticTool, "run"> & { readonly definition: Pick<ToolDefinition, "name"> };

/** The origin of a tool that comes from no server: a blank server id, which no server can have. */
export function localOrigin(toolName: string): ToolOrigin {
  return { serverId: "", toolName, qualifiedName: `local::${toolName}` };
}

/**
 * A static tool's result as an outcome. Throws `internal_error`, which says what it is instead, for
 * one that is none.
 */
function staticToolOutcome(result: unknown, origin: ToolOrigin): ToolOutcome {
  const parts: unknown = typeof result === "string" ? { content: [textBlock(result)] } : result;
  const fault = (what: string): HostsideError => {
    const advice = "a tool answers a text, or an object with content (an array of blocks) or structuredContent (JSON)";
    const message = `tool "${origin.toolName}" answered ${what}; ${advice}`;
    return new HostsideError(message, { code: "internal_error", toolName: origin.toolName });
  };
  if (!isCallArguments(parts)) throw fault(kindOf(parts));
  try {
    assertMembers(parts, resultChecks);
  } catch (error) {
    throw fault(`a result whose ${error instanceof Error ? error.message : ""}`);
  }
  const { content: blocks, structuredContent, isError = false, meta }: Exclude<StaticResult, string> = parts;
  // An object of other members is meant as structured content.
  const [other] = Object.keys(parts).filter((member) => !resultMembers.has(member));
  if (blocks === undefined && structuredContent === undefined && other !== undefined) {
    throw fault(`an object with ${quoteText(other, 40)} alone`);
  }
  const structured = structuredContent === undefined ? {} : { structuredContent };
  let written: string | undefined;
  try {
    written = JSON.stringify(structuredContent);
  } catch {
    throw fault("structuredContent that JSON cannot write");
  }
  if (structuredContent !== undefined && written === undefined) throw fault("structuredContent that JSON cannot write");
  const content = blocks ?? (written === undefined ? [] : [textBlock(written)]);
  return { content, ...structured, isError, origin, ...(meta && { meta }), raw: { content, ...structured, isError } };
}

const resultMembers: ReadonlySet<string> = new Set(["content", "structuredContent", "isError", "meta"]);

function isBlock(block: unknown): boolean {
  return isJsonObject(block) && typeof block["type"] === "string";
}

const resultChecks: readonly Check[] = [
  ["content", isListOf(isBlock), "an array of blocks with a type"],
  ["isError", isFlag, "true or false"],
  ["meta", isCallArguments, "an object"],
];

function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

/**
 * Gets a static tool ready, within `timeoutMs`, by default 10 seconds. Throws `call_timeout`,
 * `aborted`, or what the tool throws, wrapped unless it is a `HostsideError`.
 */
export async function startStaticTool(tool: StaticTool, { timeoutMs = 10_000, signal }: InitOptions): Promise<void> {
  if (tool.init === undefined) return;
  const { name } = tool.definition;
  try {
    await runWithDeadline({ what: `the start of tool "${name}"`, timeoutMs, signal }, ({ signal: ending }) =>
      tool.init?.({ signal: ending }),
    );
  } catch (error) {
    throw wrapped(error, tool, "could not be started");
  }
}

function wrapped(error: unknown, { definition: { name } }: RunnableTool, what: string): HostsideError {
  if (isHostsideError(error)) return withErrorContext(error, { toolName: name });
  return new HostsideError(`tool "${name}" ${what}`, { code: "internal_error", toolName: name, cause: error });
}

/** A call at the end of its way. */
export interface RouteCall {
  readonly args: JsonObject;
  readonly options: CallOptions;
}

/**
 * Runs a static tool by a deadline: `options.timeoutMs`, by default 10 minutes. Throws
 * `call_timeout`, `aborted`, or what the tool throws.
 */
export async function runStaticTool(tool: RunnableTool, { args, options }: RouteCall): Promise<ToolOutcome> {
  const { name } = tool.definition;
  const { timeoutMs = defaultTimeouts.callMs, deadline: outer } = options;
  const signal = options.signal;
  let result: unknown;
  try {
    result = await runWithDeadline({ what: `tool "${name}"`, timeoutMs, signal, outer }, (deadline) =>
      tool.run(args, optionsForTool(options, deadline)),
    );
  } catch (error) {
    throw wrapped(error, tool, "threw");
  }
  return staticToolOutcome(result, localOrigin(name));
}

function optionsForTool(options: CallOptions, deadline: Deadline): CallOptions {
  return { ...options, signal: deadline.signal, deadline, context: withoutApproval(options.context) };
}

const legalName = /^[a-z][a-z0-9_-]{0,63}$/i;

/** Throws `TypeError` when a static tool or helper has a name that model APIs refuse. */
export function assertLegalName(name: unknown): asserts name is string {
  if (typeof name === "string" && legalName.test(name)) return;
  const shown = typeof name === "string" ? quoteText(name) : kindOf(name);
  throw new TypeError(
    `tool name ${shown} must be a letter, then letters, digits, _ or -, at most 64 characters in all`,
  );
}

/**
 * The names of tools with defaults filled in. Throws a `TypeError` when one is not legal or for no
 * tool, or two are the same.
 */
export function resolveToolNames<Names extends object>(
  option: string,
  defaults: Names,
  names: Partial<Names> = {},
): Names {
  assertKnownOptions(option, names, defaults);
  const resolved = withDefaults(defaults, names);
  const given: readonly unknown[] = Object.values(resolved);
  const known = new Set<string>();
  for (const name of given) {
    assertLegalName(name);
    known.add(foldCase(name));
  }
  if (known.size < given.length) throw new TypeError(`${option} must differ: ${given.join(", ")}`);
  return resolved;
}

/**
 * Throws a `TypeError` that names the member of a static tool that is absent or of a wrong type:
 * what is found when a model asks for the tool is found too late. `index` is its place among the
 * tools.
 */
export function assertStaticTool(tool: unknown, index: number): void {
  const place = `tools[${index}]`;
  if (!isJsonObject(tool))
    throw new TypeError(`${place} must be an object with a definition and a run, not ${kindOf(tool)}`);
  const { definition, bundle }: Readonly<Record<string, unknown>> = tool;
  if (!isPlainObject(definition)) {
    throw new TypeError(`${place}.definition must be an object, not ${kindOf(definition)}`);
  }
  assertLegalName(definition["name"]);
  const owner = `tool "${definition["name"]}"`;
  assertMembers(definition, definitionChecks, ` of ${owner}`);
  assertMembers(tool, toolChecks, ` of ${owner}`);
  if (isPlainObject(bundle)) assertMembers(bundle, bundleChecks, ` of the bundle of ${owner}`);
}

const definitionChecks: readonly Check[] = [
  ["description", isText, "a text", "needed"],
  ["inputSchema", isPlainObject, "an object", "needed"],
  ["title", isText, "a text"],
  ["outputSchema", isPlainObject, "an object"],
  ["annotations", isPlainObject, "an object"],
  ["effect", isToolEffect, "one of those of a ToolEffect"],
  ["requireApproval", isFlag, "true or false"],
];

const toolChecks: readonly Check[] = [
  ["run", isFunction, "a function", "needed"],
  ["init", isFunction, "a function"],
  ["bundle", isPlainObject, "an object"],
];

const bundleChecks: readonly Check[] = [
  ["id", isText, "a text", "needed"],
  ["title", isText, "a text", "needed"],
  ["description", isText, "a text", "needed"],
  ["instructions", isText, "a text"],
];
