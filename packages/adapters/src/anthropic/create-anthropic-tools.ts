import type { ToolDefinition } from "@hostside/core";
import type { Fields } from "@hostside/core/implement";
import type {
  ContentBlock,
  ContentBlockParam,
  StopReason,
  Tool,
  ToolUseBlock,
} from "@anthropic-ai/sdk/resources/messages";
import { adapterFields, assertAdapterOptions, type AdapterOptions } from "../adapter-options.ts";
import type { CallToApprove } from "../answer/approvals.ts";
import { assertAnswerable, type Answerable } from "../answer/assert-answerable.ts";
import { assertAnswerOptions, type AnswerOptions } from "../answer/answer-options.ts";
import { captureOutcome } from "../answer/capture-outcome.ts";
import type { ModelCall } from "../answer/answer-call.ts";
import { createAnswerer } from "../answer/create-answerer.ts";
import { cutOffReason, refused } from "../answer/refused.ts";
import { runAll } from "../answer/run-all.ts";
import { readOwnFunctions, type OwnFunctionsOptions } from "../declare/own-functions.ts";
import type { DeclaredTool, Declaration, LeftOutTool } from "../declared-tool.ts";
import { anthropic } from "../schema/profiles/anthropic.ts";
import type { ToolSource } from "../tool-source.ts";
import { createDeferredTools } from "./deferred-tools.ts";
import { toReferences, toToolResult, type ToolResultParts } from "./tool-result.ts";

/** How tools are declared to Anthropic's API, and their calls answered. */
export interface AnthropicOptions extends AdapterOptions, OwnFunctionsOptions {
  /**
   * How long the API keeps the tools of a request in its prompt cache, from a breakpoint on the
   * last tool that is not deferred. Default `"5m"`: the next request of a loop comes within seconds
   * and renews it, at a quarter more for what is written once. `"1h"` costs twice for that, and is
   * needed where the product's own breakpoints behind the tools say `1h`, because the API wants the
   * longer ones first. `"off"` for a product that has used the four breakpoints of a request.
   */
  readonly cache?: "5m" | "1h" | "off" | undefined;
  /**
   * Tools that the model does not see until a search names them, such as
   * `() => toolbox.tools(view.undeclared())` for a view with a limit: they are declared with
   * `defer_loading`, outside of what the cache covers, and the answer of `tools_search` or
   * `tools_select` is a `tool_reference` for each of them that was found. Where there would be no
   * other tool the first is not kept back: the API refuses a request with deferred tools alone.
   * Called for each request. Default none.
   */
  readonly deferred?: (() => readonly ToolDefinition[]) | undefined;
}

/**
 * A message of a model, as far as its calls go: what `messages.create` gives, or `finalMessage()`
 * of a stream.
 */
export interface AnthropicMessage {
  readonly content: readonly ContentBlock[];
  readonly stop_reason?: StopReason | null | undefined;
}

/**
 * The one message that answers all calls of a message: results first, then what cannot stand inside
 * of them.
 */
export interface AnthropicAnswer {
  role: "user";
  content: ContentBlockParam[];
}

/** The tools of one conversation through the Messages API. */
export interface AnthropicTools {
  /** What to declare as `tools` of the next request: what the source offers now, in its order. */
  tools(): Tool[];
  /**
   * Runs the calls of a message, all at once, and gives the user message to put after it;
   * `undefined` when there is nothing to answer. Whatever goes wrong with a call is its answer,
   * with `is_error`. A call that the end of the output may have cut off (`max_tokens` and the like)
   * is not run. Rejects with `aborted` when the signal aborts, after all calls have ended.
   * Answering one message twice runs its calls twice.
   */
  answer(message: AnthropicMessage, options?: AnswerOptions): Promise<AnthropicAnswer | undefined>;
  /**
   * The calls to approve; their ids are for `approved` of `answer()`. None where the policy has a
   * handler.
   */
  toApprove(message: AnthropicMessage, options?: AnswerOptions): Promise<readonly CallToApprove[]>;
  /** What is not declared now, and why. */
  leftOut(): readonly LeftOutTool[];
}

const fields: Fields<AnthropicOptions> = { ...adapterFields, cache: true, deferred: true, ownFunctions: true };

const answerable: Answerable = {
  takes: "a message of the model",
  members: ["content"],
  lists: ["content"],
  optional: false,
};

/**
 * Tools for the Messages API from a view, a toolbox or a provider; one for each conversation.
 * Throws a `TypeError` that names the option it cannot use.
 */
export function createAnthropicTools(source: ToolSource, options: AnthropicOptions = {}): AnthropicTools {
  assertAnthropicOptions(options);
  const { cache = "5m", deferred: listDeferred = () => [], ownFunctions, ...shared } = options;
  const own = readOwnFunctions(ownFunctions);
  const deferred = createDeferredTools(source, listDeferred);
  const answerer = createAnswerer(deferred, anthropic, shared);
  const means = { ...shared, source: deferred };
  let latest: Declaration | undefined;
  const declare = (): Declaration => (latest = answerer.declare(own));
  const read = (message: AnthropicMessage): ToolUseBlock[] => {
    assertAnswerable(message, answerable);
    return message.content.filter(isCall).filter(({ name }) => !own.has(name));
  };

  const run = async (call: ToolUseBlock, declaration: Declaration, how: AnswerOptions): Promise<ToolResultParts> => {
    const answered = await captureOutcome(declaration, toModelCall(call, how), means);
    const found = deferred.found(declaration.find(call.name)?.definition, answered.outcome);
    const names = found.flatMap((name) => declaration.tools.find((tool) => tool.definition.name === name)?.name ?? []);
    return names.length > 0 ? toReferences(call.id, names) : toToolResult(call.id, answered.presented);
  };
  return {
    tools() {
      const declared = declare().tools;
      if (own.size === 0) deferred.showOne(declared.map(({ definition }) => definition.name));
      const tools = declared.map((tool) => toTool(tool, deferred.has(tool.definition.name)));
      const last = tools.findLast(({ defer_loading }) => defer_loading !== true);
      if (last !== undefined && cache !== "off") last.cache_control = { type: "ephemeral", ttl: cache };
      return tools;
    },
    async toApprove(message, how = {}) {
      assertAnswerOptions("toApprove()", how);
      const cut = cutOff(message);
      const whole = read(message).filter((call) => call !== cut);
      return await answerer.toApprove(whole.map((call) => toModelCall(call, how)));
    },
    async answer(message, how = {}) {
      assertAnswerOptions("answer()", how);
      const calls = read(message);
      if (calls.length === 0) return undefined;
      const declaration = latest ?? declare();
      const cut = cutOff(message);
      const parts = await runAll(calls, async (call) =>
        call === cut ? toToolResult(call.id, refused(cutOffReason)) : await run(call, declaration, how),
      );
      return {
        role: "user",
        content: [...parts.map(({ result }) => result), ...parts.flatMap(({ beside }) => beside)],
      };
    },
    leftOut: () => answerer.declare(own).leftOut,
  };
}

function toTool({ name, description, inputSchema, strict }: DeclaredTool, isDeferred: boolean): Tool {
  return {
    name,
    description,
    input_schema: { ...inputSchema, type: "object" },
    ...(strict && { strict }),
    ...(isDeferred && { defer_loading: true }),
  };
}

function toModelCall({ id, name, input: args }: ToolUseBlock, how: AnswerOptions): ModelCall {
  return { ...how, id, name, args };
}

// A member of a toolset of Anthropic's own is answered by who runs that toolset.
function isCall(block: ContentBlock): block is ToolUseBlock {
  return block.type === "tool_use" && (block.toolset_name ?? null) === null;
}

/**
 * The call that the end of the output may have cut off: its arguments look whole and may be not
 * what the model meant.
 */
function cutOff({ content, stop_reason: reason }: AnthropicMessage): ContentBlock | undefined {
  const ended = reason === "max_tokens" || reason === "model_context_window_exceeded" || reason === "refusal";
  return ended ? content.at(-1) : undefined;
}

function assertAnthropicOptions(options: AnthropicOptions): void {
  assertAdapterOptions("createAnthropicTools()", options, fields);
  const { cache, deferred } = options;
  if (cache !== undefined && cache !== "5m" && cache !== "1h" && cache !== "off") {
    throw new TypeError('cache must be "5m", "1h" or "off"');
  }
  if (deferred !== undefined && typeof deferred !== "function") throw new TypeError("deferred must be a function");
}
