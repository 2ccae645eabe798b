// For products: tools for agents of the OpenAI Agents SDK.
import type { CallContext } from "@hostside/core";
import { kindOf, type Fields } from "@hostside/core/implement";
import type { Presented, PresentedBlock } from "@hostside/results";
import * as agents from "@openai/agents";
import {
  tool,
  type RunContext,
  type Tool,
  type ToolOutputFileContent,
  type ToolOutputImage,
  type ToolOutputText,
} from "@openai/agents";
import { answerCall } from "./answer/answer-call.ts";
import { createAnswerer } from "./answer/answerer.ts";
import { noteQuestion, requiresApproval } from "./answer/approvals.ts";
import type { DeclaredTool, LeftOutTool } from "./declare/declare-tools.ts";
import {
  assertPeer,
  adapterFields,
  assertAdapterOptions,
  type AdapterOptions,
  type ToolSource,
} from "./declare/tool-source.ts";
import { joinTexts, openaiBlocks, pdf, pdfName } from "./media.ts";
import { openaiAgents } from "./schema/profiles.ts";

/** How tools are given to the OpenAI Agents SDK. */
interface AgentsOptions<Context = unknown> extends AdapterOptions {
  /**
   * On whose behalf a run calls, from its own context; goes before `context`, member by member.
   * Default: `context` alone.
   */
  readonly contextOf?: ((runContext: RunContext<Context>) => CallContext) | undefined;
}

const fields: Fields<AgentsOptions> = { ...adapterFields, contextOf: true };

/** The tools of one conversation for agents of the OpenAI Agents SDK. */
export interface AgentsTools<Context = unknown> {
  /**
   * For the option `tools` of an agent, or of several. The array itself: it is read anew whenever
   * the framework goes through it, which is before each turn, so that what the model searched and
   * selected is there; a copy (`[...tools]`) stays as it is. Tools of your own go onto its end, by
   * `push`; where one has the name of a tool of the source, it is the one.
   */
  readonly tools: Tool<Context>[];
  /** Tools that are not declared now, and why. */
  leftOut(): readonly LeftOutTool[];
}

/**
 * Function tools of the OpenAI Agents SDK from a view, a toolbox or a provider. Whatever goes wrong
 * with a call is its output, for the model to read; an aborted run ends with the reason of its
 * signal. Throws a `TypeError` that names the option it cannot use.
 *
 * @example
 * const { tools } = createAgentsTools(view);
 * const agent = new Agent({ name: "helper", instructions, tools });
 * await run(agent, question, { toolNotFoundBehavior: "return_error_to_model" });
 */
export function createAgentsTools<Context = unknown>(
  source: ToolSource,
  options: AgentsOptions<Context> = {},
): AgentsTools<Context> {
  assertPeer("createAgentsTools()", "@openai/agents@0.20", agents.invokeFunctionTool);
  assertAdapterOptions("createAgentsTools()", options, fields);
  const { contextOf, ...shared } = options;
  if (contextOf !== undefined && typeof contextOf !== "function") {
    throw new TypeError(`contextOf must be a function, not ${kindOf(contextOf)}`);
  }
  const answerer = createAnswerer(source, openaiAgents, shared);
  const kept = new WeakMap<DeclaredTool, Tool<Context>>();
  let own: ReadonlySet<string> = new Set();
  const tools = liveTools<Tool<Context>>((taken) => {
    own = taken;
    return answerer.declare(own).tools.map((one) => {
      const made = kept.get(one) ?? toFunctionTool(one, { ...shared, contextOf, source });
      kept.set(one, made);
      return made;
    });
  });
  return { tools, leftOut: () => answerer.declare(own).leftOut };
}

interface ToolMeans<Context> extends AgentsOptions<Context> {
  readonly source: ToolSource;
}

function toFunctionTool<Context>(declared: DeclaredTool, means: ToolMeans<Context>): Tool<Context> {
  const { name, description, inputSchema } = declared;
  const { contextOf, source } = means;
  const needsApproval = async (runContext: RunContext, args: unknown, id?: string): Promise<boolean> => {
    if (!requiresApproval(source, declared)) return false;
    // The framework may ask again about a call that the run has approved, with arguments that
    // nobody was shown.
    const isApproved = id !== undefined && runContext.isToolApproved({ toolName: name, callId: id }) === true;
    if (!isApproved)
      await noteQuestion(declared, { id, args, context: contextOf?.(runContext as RunContext<Context>) }, means);
    return true;
  };
  const execute = async (
    args: unknown,
    runContext?: RunContext<Context>,
    details?: { readonly signal?: AbortSignal; readonly toolCall?: { readonly callId: string } },
  ): Promise<AgentsOutput> => {
    const { signal, toolCall } = details ?? {};
    const context = runContext === undefined ? undefined : contextOf?.(runContext);
    // The framework executes no call before it is approved.
    const call = { name, args, signal, context, id: toolCall?.callId, approved: true };
    try {
      return agentsOutput((await answerCall(() => declared, call, means)).presented);
    } catch (error) {
      // The framework knows the end of a run by the reason of its own signal.
      signal?.throwIfAborted();
      throw error;
    }
  };
  // What the schema does not have is written out as what its absence means, because the framework's
  // types ask for it.
  const required: string[] = [];
  const parameters = { properties: {}, required, additionalProperties: true, ...inputSchema, type: "object" } as const;
  return tool({ name, description, execute, needsApproval, errorFunction: null, strict: false, parameters });
}

/** The result of a tool of the framework. */
type AgentsOutput = string | (ToolOutputText | ToolOutputImage | ToolOutputFileContent)[];

/**
 * The output of a tool: the texts as one, a line each, or parts where there are media. (Through
 * Chat Completions the framework sends the texts of parts without anything between them, and no
 * media.) There is no flag for a failure, so that the first text says it.
 */
function agentsOutput(presented: Presented): AgentsOutput {
  const blocks = openaiBlocks(presented);
  return blocks.every(({ type }) => type === "text") ? joinTexts(blocks) : blocks.map(toPart);
}

function toPart(block: PresentedBlock): ToolOutputText | ToolOutputImage | ToolOutputFileContent {
  if (block.type === "text") return { type: "text", text: block.text };
  const { data, mimeType: mediaType } = block;
  if (mediaType !== pdf) return { type: "image", image: { data, mediaType } };
  return { type: "file", file: { data, mediaType, filename: pdfName(block) } };
}

/**
 * An array that is read anew whenever somebody goes through it (`[...tools]`, `for of`), which the
 * framework does before each turn: first what `read` gives now, then whatever others have pushed
 * onto it. `read` gets the names of those.
 */
function liveTools<T extends { readonly name: string }>(read: (taken: ReadonlySet<string>) => readonly T[]): T[] {
  const tools: T[] = [];
  let given: ReadonlySet<T> = new Set();
  const walk = tools[Symbol.iterator].bind(tools);
  const update = (): void => {
    // Not by the iterator, which would come back here.
    const others = tools.filter((tool) => !given.has(tool));
    const fresh = read(new Set(others.map(({ name }) => name)));
    given = new Set(fresh);
    tools.length = 0;
    for (const list of [fresh, others]) for (const tool of list) tools.push(tool);
  };
  Object.defineProperty(tools, Symbol.iterator, {
    value: () => {
      update();
      return walk();
    },
  });
  update();
  return tools;
}
