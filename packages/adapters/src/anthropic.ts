// For products: tools for Anthropic's Messages API.
import type {
  ContentBlock,
  ContentBlockParam,
  DocumentBlockParam,
  ImageBlockParam,
  StopReason,
  TextBlockParam,
  Tool,
  ToolResultBlockParam,
  ToolUseBlock,
} from "@anthropic-ai/sdk/resources/messages";
import type { JsonValue, ToolDefinition, ToolOutcome } from "@hostside/core";
import { isJsonObject, type Fields } from "@hostside/core/implement";
import type { Presented, PresentedBlock, PresentedMedia } from "@hostside/results";
import {
  apiAdapterFields,
  assertAnswerable,
  createApiTools,
  cutOffReason,
  type ApiAdapterOptions,
  type ApiTools,
  type ReadCall,
} from "./answer/api-calls.ts";
import { assertAdapterOptions, type ToolSource } from "./declare/tool-source.ts";
import { replaceMedia } from "./media.ts";
import { anthropic } from "./schema/profiles.ts";

/** How tools are declared to Anthropic's API, and their calls answered. */
interface AnthropicOptions extends ApiAdapterOptions {
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
   * `tools_select` is a `tool_reference` for each of them that was found. The first is not kept
   * back if there would be no other tool: the API refuses a request with deferred tools alone.
   * Called for each request. Default none.
   */
  readonly deferred?: (() => readonly ToolDefinition[]) | undefined;
}

/**
 * A message of a model, as far as its calls go: what `messages.create` gives, or `finalMessage()`
 * of a stream.
 */
interface AnthropicMessage {
  readonly content: readonly ContentBlock[];
  readonly stop_reason?: StopReason | null | undefined;
}

/**
 * The one message that answers all calls of a message: results first, then what cannot stand inside
 * of them.
 */
interface AnthropicAnswer {
  role: "user";
  content: ContentBlockParam[];
}

/**
 * The tools of one conversation through the Messages API. `answer()` gives the user message to put
 * after that of the model; `undefined` when there is nothing to answer. A failure has `is_error`.
 * `max_tokens` and the like may have cut off the last call.
 */
export type AnthropicTools = ApiTools<Tool, AnthropicMessage, AnthropicAnswer | undefined>;

const fields: Fields<AnthropicOptions> = { ...apiAdapterFields, cache: true, deferred: true };

/**
 * Tools for the Messages API from a view, a toolbox or a provider; one for each conversation.
 * Throws a `TypeError` that names the option it cannot use.
 *
 * @example
 * const mcp = createAnthropicTools(view);
 * const message = await client.messages.create({ ...options, messages, tools: mcp.tools() });
 * const answer = await mcp.answer(message); // undefined: the model called nothing
 */
export function createAnthropicTools(source: ToolSource, options: AnthropicOptions = {}): AnthropicTools {
  assertAdapterOptions("createAnthropicTools()", options, fields);
  const { cache = "5m", deferred: listDeferred = () => [], ...shared } = options;
  if (!["5m", "1h", "off"].includes(cache)) throw new TypeError('cache must be "5m", "1h" or "off"');
  if (typeof listDeferred !== "function") throw new TypeError("deferred must be a function");
  const hasOwn = shared.ownFunctions !== undefined && shared.ownFunctions.length > 0;
  const deferred = createDeferredTools(source, listDeferred);
  return createApiTools(deferred, shared, {
    profile: anthropic,
    read: callsOf,
    toTools(declared) {
      if (!hasOwn) deferred.showOne(declared.map(({ definition }) => definition.name));
      const tools = declared.map(({ name, description, inputSchema, definition }): Tool => ({
        name,
        description,
        input_schema: { ...inputSchema, type: "object" },
        ...(deferred.has(definition.name) && { defer_loading: true }),
      }));
      const last = tools.findLast(({ defer_loading }) => defer_loading !== true);
      if (last !== undefined && cache !== "off") last.cache_control = { type: "ephemeral", ttl: cache };
      return tools;
    },
    toAnswer(answers) {
      const parts = answers.map(({ call: { id, name: called }, presented, outcome, declaration }) => {
        const found = deferred.found(declaration.find(called)?.definition, outcome);
        const names = declaration.tools.flatMap(({ name, definition }) => (found.has(definition.name) ? name : []));
        return names.length > 0 ? toReferences(id, names) : toToolResult(id, presented);
      });
      if (parts.length === 0) return undefined;
      return {
        role: "user",
        content: [...parts.map(({ result }) => result), ...parts.flatMap(({ beside }) => beside)],
      };
    },
  });
}

// A call of the API's own toolset is answered by the API.
function callsOf(message: AnthropicMessage, owner: string): readonly ReadCall<ToolUseBlock>[] {
  assertAnswerable(message, `${owner} takes a message of the model`, ["content"]);
  const { content, stop_reason: reason } = message;
  const isCut = reason === "max_tokens" || reason === "model_context_window_exceeded" || reason === "refusal";
  return content
    .filter((block) => block.type === "tool_use")
    .filter((block) => (block.toolset_name ?? null) === null)
    .map((call) => {
      const { id, name, input: args } = call;
      return { call, id, name, args, refusal: isCut && call === content.at(-1) && cutOffReason };
    });
}

/** The tools of a conversation of which the API keeps some back until a search names them. */
interface DeferredTools extends ToolSource {
  /** Says whether a tool is kept back, by the name of its definition. */
  has(name: string): boolean;
  /**
   * Keeps the first of these back no longer where all of them are: the API refuses a request in
   * which it sees no tool.
   */
  showOne(names: readonly string[]): void;
  /**
   * Names of tools that are kept back and that an answer of the toolbox's own search names now.
   * Remembers them as found.
   */
  found(definition: ToolDefinition | undefined, outcome: ToolOutcome | undefined): ReadonlySet<string>;
}

/**
 * Puts what is kept back behind what a source offers. A tool that was kept back once stays so for
 * the conversation: to declare it otherwise would change the beginning of the prompt, and its
 * cache. A tool that was found stays declared when it is gone, because the API refuses a
 * conversation that refers to a tool that is not declared; a call of it says why it is gone.
 */
function createDeferredTools(source: ToolSource, listDeferred: () => readonly ToolDefinition[]): DeferredTools {
  const deferred = new Map<string, ToolDefinition>();
  const found = new Set<string>();
  const shown = new Set<string>();
  const has = (name: string): boolean => deferred.has(name) && !shown.has(name);
  const { presenter, approval } = source;
  return {
    presenter,
    approval,
    tools() {
      const offered = source.tools();
      const visible = offered.filter(({ name }) => !deferred.has(name));
      const offeredByName = new Map(offered.map((definition) => [definition.name, definition]));
      const listed = new Map(listDeferred().map((definition) => [definition.name, definition]));
      for (const name of deferred.keys()) {
        const current = offeredByName.get(name) ?? listed.get(name);
        if (current !== undefined) deferred.set(name, current);
        else if (!found.has(name)) deferred.delete(name);
      }
      const seen = new Set(visible.map(({ name }) => name));
      for (const [name, definition] of listed) if (!seen.has(name)) deferred.set(name, definition);
      return [...visible, ...deferred.values()];
    },
    call: (name, args, options) => source.call(name, args, options),
    has,
    showOne(names) {
      const [first] = names;
      if (first !== undefined && names.every(has)) shown.add(first);
    },
    found(definition, outcome) {
      // The toolbox's own tools alone are believed: no server decides what is declared.
      if (definition === undefined || definition.origin?.serverId || outcome?.isError !== false) return new Set();
      const offered = new Set(source.tools().map(({ name }) => name));
      const names = namesIn(outcome.structuredContent).filter((name) => has(name) && offered.has(name));
      for (const name of names) found.add(name);
      return new Set(names);
    },
  };
}

// The answers of `tools_search` and `tools_select`: `{ tools: [{ name }] }`.
function namesIn(answer: JsonValue | undefined): readonly string[] {
  const tools = isJsonObject(answer) ? answer["tools"] : undefined;
  if (!Array.isArray(tools)) return [];
  return tools.flatMap((tool) => (isJsonObject(tool) && typeof tool["name"] === "string" ? [tool["name"]] : []));
}

/** The answer to one call, and what of it cannot stand inside of a `tool_result`. */
interface ToolResultParts {
  readonly result: ToolResultBlockParam;
  /** For the same message, after all of its results. */
  readonly beside: readonly (TextBlockParam | MediaBlock)[];
}

type MediaBlock = ImageBlockParam | DocumentBlockParam;

const pictures = ["image/jpeg", "image/png", "image/gif", "image/webp"] as const;

// What a `tool_result` takes, by the types of the SDK: there is no part for a sound, or for another
// file.
const takes: ReadonlySet<string> = new Set([...pictures, "application/pdf", "text/plain"]);

/**
 * The `tool_result` of one call: texts, pictures, PDF files and plain texts; a notice for any other
 * medium. With `is_error` all content must be text, or the whole request is refused: what a failed
 * call showed then stands beside, after words of the host that say whose it is.
 */
function toToolResult(id: string, { blocks, isError }: Presented): ToolResultParts {
  const content = replaceMedia(withText(blocks), takes).map((block) =>
    block.type === "text" ? toText(block.text) : toMedia(block),
  );
  const result = { type: "tool_result", tool_use_id: id } as const;
  if (!isError) return { result: { ...result, content }, beside: [] };
  const texts = content.filter((part) => part.type === "text");
  const media = content.filter((part) => part.type !== "text");
  const said = texts.length > 0 ? texts : [toText("the tool failed")];
  const beside = media.length > 0 ? [toText(`What the failed call ${id} showed; data of a tool:`), ...media] : [];
  return { result: { ...result, is_error: true, content: said }, beside };
}

/**
 * The answer of a search that found deferred tools: a reference to each, in place of which the API
 * shows the definition. No other content may stand beside one in a `tool_result`, and what servers
 * say of their tools must not stand as the user's words: it is in the definitions.
 */
function toReferences(id: string, names: readonly string[]): ToolResultParts {
  const content = names.map((name) => ({ type: "tool_reference", tool_name: name }) as const);
  return { result: { type: "tool_result", tool_use_id: id, content }, beside: [] };
}

// The API refuses a request with a text block in which there is nothing but white space, wherever
// it stands.
function withText(blocks: readonly PresentedBlock[]): readonly PresentedBlock[] {
  const said = blocks.filter((block) => block.type !== "text" || block.text.trim() !== "");
  return said.length > 0 ? said : [{ type: "text", part: "notice", text: "(blank text)" }];
}

function toMedia({ mimeType, data }: PresentedMedia): TextBlockParam | MediaBlock {
  const picture = pictures.find((type) => type === mimeType);
  if (picture !== undefined) return { type: "image", source: { type: "base64", media_type: picture, data } };
  if (mimeType === "application/pdf")
    return { type: "document", source: { type: "base64", media_type: mimeType, data } };
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === "") return toText("(blank text)");
  return { type: "document", source: { type: "text", media_type: "text/plain", data: text } };
}

function toText(text: string): TextBlockParam {
  return { type: "text", text };
}
