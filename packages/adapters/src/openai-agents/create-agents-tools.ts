import * as agents from "@openai/agents";
import {
  tool,
  type RunContext,
  type Tool,
  type ToolOutputFileContent,
  type ToolOutputImage,
  type ToolOutputText,
} from "@openai/agents";
import { answerCall } from "../answer/answer-call.ts";
import { noteQuestion, requiresApproval } from "../answer/approvals.ts";
import { createAnswerer } from "../answer/create-answerer.ts";
import { assertPeer } from "../assert-peer.ts";
import type { DeclaredTool, Declaration, LeftOutTool } from "../declared-tool.ts";
import { openaiAgents } from "../schema/profiles/openai.ts";
import type { ToolSource } from "../tool-source.ts";
import { readAgentsOptions, type AgentsOptions, type ReadAgentsOptions } from "./agents-options.ts";
import type { Presented, PresentedBlock } from "@hostside/results";
import { openaiBlocks, pdf, pdfName } from "../openai-blocks.ts";

/** The tools of one conversation for agents of the OpenAI Agents SDK. */
export interface AgentsTools<Context = unknown> {
  /**
   * For the option `tools` of an agent, or of several. The array itself: it is read anew whenever
   * the framework goes through it, which is before each turn, so that what the model searched and
   * selected is there; a copy (`[...tools]`) stays as it is. Tools of your own go onto its end, by
   * `push`; where one has the name of a tool of the source, it is the one.
   */
  readonly tools: Tool<Context>[];
  /** What is not declared now, and why. */
  leftOut(): readonly LeftOutTool[];
}

/**
 * Function tools of the OpenAI Agents SDK from a view, a toolbox or a provider. Whatever goes wrong
 * with a call is its output, for the model to read; an aborted run ends with the reason of its
 * signal. Throws a `TypeError` that names the option it cannot use.
 */
export function createAgentsTools<Context = unknown>(
  source: ToolSource,
  options: AgentsOptions<Context> = {},
): AgentsTools<Context> {
  assertPeer({ where: "createAgentsTools()", peer: "@openai/agents@0.20", has: agents.invokeFunctionTool });
  const read = readAgentsOptions(options);
  const answerer = createAnswerer(source, openaiAgents, read.shared);
  const kept = new WeakMap<DeclaredTool, Tool<Context>>();
  let own: ReadonlySet<string> = new Set();

  const toTool = (declared: DeclaredTool, declaration: Declaration): Tool<Context> => {
    const known = kept.get(declared);
    if (known !== undefined) return known;
    const made = toFunctionTool(declared, { ...read, declaration, source });
    kept.set(declared, made);
    return made;
  };
  const tools = liveTools<Tool<Context>>((taken) => {
    own = taken;
    const declaration = answerer.declare(own);
    return declaration.tools.map((one) => toTool(one, declaration));
  });
  return { tools, leftOut: () => answerer.declare(own).leftOut };
}

interface ToolMeans<Context> extends ReadAgentsOptions<Context> {
  readonly source: ToolSource;
  /** The one that the model was shown the tool by. */
  readonly declaration: Declaration;
}

function toFunctionTool<Context>(declared: DeclaredTool, means: ToolMeans<Context>): Tool<Context> {
  const { name, description, inputSchema, strict } = declared;
  const { contextOf, declaration, shared } = means;
  const answering = { ...shared, source: means.source };
  const needsApproval = async (runContext: RunContext, args: unknown, id?: string): Promise<boolean> => {
    if (!requiresApproval(means.source, declared)) return false;
    // The framework may ask again about a call that the run has approved, with arguments that
    // nobody was shown.
    const isApproved = id !== undefined && runContext.isToolApproved({ toolName: name, callId: id }) === true;
    if (!isApproved)
      await noteQuestion(declared, { id, args, context: contextOf?.(runContext as RunContext<Context>) }, answering);
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
      return agentsOutput(await answerCall(declaration, call, answering));
    } catch (error) {
      // The framework knows the end of a run by the reason of its own signal.
      signal?.throwIfAborted();
      throw error;
    }
  };
  const common = { name, description, execute, needsApproval, errorFunction: null };
  // What the schema does not have is written out as what its absence means, because the framework's
  // types ask for it.
  const required: string[] = [];
  const { type: _type, ...schema } = inputSchema;
  return strict
    ? tool({
        ...common,
        strict,
        parameters: { properties: {}, required, ...schema, type: "object", additionalProperties: false },
      })
    : tool({
        ...common,
        strict,
        parameters: { properties: {}, required, additionalProperties: true, ...schema, type: "object" },
      });
}

/** What a tool of the framework gives back. */
export type AgentsOutput = string | (ToolOutputText | ToolOutputImage | ToolOutputFileContent)[];

/**
 * The output of a tool: the texts as one, a line each, or parts where there are media. (Through
 * Chat Completions the framework sends the texts of parts without anything between them, and no
 * media.) There is no flag for a failure, so that the first text says it.
 */
function agentsOutput(presented: Presented): AgentsOutput {
  const blocks = openaiBlocks(presented);
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return texts.length === blocks.length ? texts.join("\n") : blocks.map(toPart);
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
