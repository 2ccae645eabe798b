import * as agents from "@openai/agents";
import { tool, type RunContext, type Tool } from "@openai/agents";
import { answerCall } from "../answer/answer-call.ts";
import { noteQuestion, requiresApproval } from "../answer/approvals.ts";
import { createAnswerer } from "../answer/create-answerer.ts";
import { assertPeer } from "../assert-peer.ts";
import type { DeclaredTool, Declaration, LeftOutTool } from "../declared-tool.ts";
import { openaiAgents } from "../schema/profiles/openai.ts";
import type { ToolSource } from "../tool-source.ts";
import { readAgentsOptions, type AgentsOptions, type ReadAgentsOptions } from "./agents-options.ts";
import { agentsOutput, type AgentsOutput } from "./agents-output.ts";
import { liveTools } from "./live-tools.ts";

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
