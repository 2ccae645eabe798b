import * as agents from "@openai/agents";
import { tool, type RunContext, type Tool } from "@openai/agents";
import { answerCall } from "../answer/answer-call.ts";
import { createAnswerer } from "../answer/create-answerer.ts";
import { assertPeer } from "../assert-peer.ts";
import type { DeclaredTool, Declaration, LeftOutTool } from "../declared-tool.ts";
import { resumeOnceApproved } from "../resume-once-approved.ts";
import { openaiAgents } from "../schema/profiles/openai.ts";
import type { ToolSource } from "../tool-source.ts";
import { readAgentsOptions, type AgentsOptions, type ReadAgentsOptions } from "./agents-options.ts";
import { agentsOutput, type AgentsOutput } from "./agents-output.ts";
import { liveTools } from "./live-tools.ts";

/** The tools of one conversation for agents of the OpenAI Agents SDK. */
export interface AgentsTools<Context = unknown> {
  /**
   * For the option `tools` of an agent, or of several. The array itself: it is read anew whenever the framework goes through it, which is
   * before each turn, so that what the model searched and selected is there; a copy (`[...tools]`) stays as it is. Tools of your own go
   * onto its end, by `push`; where one has the name of a tool of the source, it is the one.
   */
  readonly tools: Tool<Context>[];
  /** What is not declared now, and why. */
  leftOut(): readonly LeftOutTool[];
}

/**
 * Function tools of the OpenAI Agents SDK from a view, a toolbox or a provider. Whatever goes wrong with a call is its output, for the model
 * to read; an aborted run ends with the reason of its signal. Throws a `TypeError` that names the option it cannot use.
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

function toFunctionTool<Context>(
  { name, description, inputSchema, strict, definition }: DeclaredTool,
  means: ToolMeans<Context>,
): Tool<Context> {
  const { needsApproval, approveCall, contextOf, declaration, source, shared } = means;
  const approval = needsApproval?.(definition) ?? definition.requireApproval === true;
  const execute = async (
    args: unknown,
    runContext?: RunContext<Context>,
    details?: { readonly signal?: AbortSignal; readonly toolCall?: { readonly callId: string } },
  ): Promise<AgentsOutput> => {
    const { signal, toolCall } = details ?? {};
    const context = runContext === undefined ? undefined : contextOf?.(runContext);
    const approved =
      toolCall !== undefined && runContext?.isToolApproved({ toolName: name, callId: toolCall.callId }) === true;
    const calls = approved && approveCall !== undefined ? resumeOnceApproved(source, approveCall) : source;
    try {
      return agentsOutput(await answerCall(declaration, { name, args, signal, context }, { ...shared, source: calls }));
    } catch (error) {
      // The framework knows the end of a run by the reason of its own signal.
      signal?.throwIfAborted();
      throw error;
    }
  };
  const common = { name, description, execute, needsApproval: approval, errorFunction: null };
  // What the schema does not have is written out as what its absence means, because the framework's types ask for it.
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
