import {
  defaultTimeouts,
  isToolportError,
  ToolportError,
  type CallOptions,
  type Clock,
  type ContentBlock,
  type InitOptions,
  type JsonObject,
  type JsonValue,
  type ToolDefinition,
  type ToolGroup,
  type ToolOrigin,
  type ToolOutcome,
} from "@toolport/core";
import { isToolEffect, quoteText, withErrorContext, withoutApproval } from "@toolport/core/implement";
import { runWithDeadline } from "./run-with-deadline.ts";

/** A bundle of static tools in the directory of groups: a group without members, because tools join by declaring it. */
export type ToolBundle = Omit<ToolGroup, "members">;

/** What a static tool gives back: a text, or the parts of an outcome. */
export type StaticResult =
  | string
  | {
      /** For a kind that the specification does not have, pass what `readContent` of `@toolport/core` makes of the blocks. */
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
   * What a model sees. The name starts with a letter, goes on with letters, digits, `_` and `-`, and is at most 64 characters long;
   * names that differ in ASCII case only are the same. `annotations` are the product's own word and are trusted when a
   * fallback is decided.
   */
  readonly definition: Omit<ToolDefinition, "origin" | "groupIds" | "flags">;
  /** The bundle it belongs to. Tools that declare the same id, ASCII-case-insensitively, are one group. */
  readonly bundle?: ToolBundle;
  /** Called by the toolbox's `init()`, before any provider's; nobody waits for it before he starts. What it throws is wrapped as `internal_error`. */
  init?(options: { readonly signal?: AbortSignal }): Promise<void> | void;
  /**
   * Does the work. `options.signal` aborts when the caller gives up or the time is up; the toolbox does not wait any longer then.
   * Throws what it likes: a `ToolportError` passes, anything else is wrapped as `internal_error`.
   */
  run(args: JsonObject, options: CallOptions): Promise<StaticResult> | StaticResult;
}

/** What of a static tool a call needs. */
export type RunnableTool = Pick<StaticTool, "run"> & { readonly definition: Pick<ToolDefinition, "name"> };

const legalName = /^[a-z][a-z0-9_-]{0,63}$/i;

/** Throws `TypeError` when a static tool or helper has a name that model APIs refuse. */
export function assertToolName(name: unknown): asserts name is string {
  if (typeof name === "string" && legalName.test(name)) return;
  const shown = typeof name === "string" ? quoteText(name) : JSON.stringify(name);
  throw new TypeError(
    `tool name ${shown} must be a letter, then letters, digits, _ or -, at most 64 characters in all`,
  );
}

/** Throws `TypeError` when what a static tool says for policies is nothing that they know: with a letter wrong, they would go by a default. */
export function assertPolicyWords({
  name,
  effect,
  requiresConfirmation,
}: Pick<ToolDefinition, "name" | "effect" | "requiresConfirmation">): void {
  if (effect !== undefined && !isToolEffect(effect)) {
    throw new TypeError(`the effect of tool "${name}" must be one of those of a ToolEffect`);
  }
  if (requiresConfirmation !== undefined && typeof requiresConfirmation !== "boolean") {
    throw new TypeError(`requiresConfirmation of tool "${name}" must be true or false`);
  }
}

/** The origin of a tool that comes from no server: a blank server id, which no server can have. */
export function localOrigin(toolName: string): ToolOrigin {
  return { serverId: "", toolName, qualifiedName: `local::${toolName}` };
}

/** A static tool's result as an outcome. */
export function toOutcome(result: StaticResult, origin: ToolOrigin): ToolOutcome {
  const parts: Exclude<StaticResult, string> = typeof result === "string" ? { content: [textBlock(result)] } : result;
  const { structuredContent, isError = false, meta } = parts;
  const content =
    parts.content ?? (structuredContent === undefined ? [] : [textBlock(JSON.stringify(structuredContent))]);
  const structured = structuredContent === undefined ? {} : { structuredContent };
  return { content, ...structured, isError, origin, ...(meta && { meta }), raw: { content, ...structured, isError } };
}

function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

/**
 * Gets a static tool ready, within `timeoutMs`, by default 10 seconds. Throws `call_timeout`, `aborted`, or what the tool throws, wrapped
 * unless it is a `ToolportError`.
 */
export async function startStaticTool(
  tool: StaticTool,
  { clock, timeoutMs = 10_000, signal }: InitOptions & { readonly clock: Clock },
): Promise<void> {
  if (tool.init === undefined) return;
  const { name } = tool.definition;
  try {
    await runWithDeadline({ what: `the start of tool "${name}"`, timeoutMs, signal, clock }, ({ signal: ending }) =>
      tool.init?.({ signal: ending }),
    );
  } catch (error) {
    throw wrapped(error, tool, "could not be started");
  }
}

function wrapped(error: unknown, { definition: { name } }: RunnableTool, what: string): ToolportError {
  if (isToolportError(error)) return withErrorContext(error, { toolName: name });
  return new ToolportError(`tool "${name}" ${what}`, { code: "internal_error", toolName: name, cause: error });
}

/**
 * Runs a static tool by a deadline: `options.timeoutMs`, by default 10 minutes. Throws `call_timeout`, `aborted`, or what the tool
 * throws.
 */
export async function runStaticTool(
  tool: RunnableTool,
  args: JsonObject,
  { clock, ...options }: CallOptions & { readonly clock: Clock },
): Promise<ToolOutcome> {
  const { name } = tool.definition;
  const { signal, timeoutMs = defaultTimeouts.callMs, deadline: outer } = options;
  const given =
    options.context?.approval === undefined ? options : { ...options, context: withoutApproval(options.context) };
  try {
    const result = await runWithDeadline({ what: `tool "${name}"`, timeoutMs, signal, outer, clock }, (deadline) =>
      tool.run(args, { ...given, signal: deadline.signal, deadline }),
    );
    return toOutcome(result, localOrigin(name));
  } catch (error) {
    throw wrapped(error, tool, "threw");
  }
}
