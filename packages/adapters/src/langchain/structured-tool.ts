import { ToolMessage } from "@langchain/core/messages";
import { DynamicStructuredTool } from "@langchain/core/tools";
import { dropUnseen } from "@hostside/core/implement";
import type { ModelCall } from "../answer/answer-call.ts";
import type { DeclaredTool } from "../declared-tool.ts";
import type { ToolOutput } from "./tool-output.ts";

/** A call of one tool. */
export type ToolCalled = Pick<ModelCall, "id" | "args" | "signal" | "approved">;

/** What becomes of the calls of one tool. */
export interface ToolMeans {
  readonly run: (call: ToolCalled) => Promise<ToolOutput>;
  /**
   * What a person answered about a call; `undefined` where nobody has to be asked, or nobody can
   * be. Rejects with the interrupt by which a graph asks.
   */
  readonly ask: (call: ToolCalled) => Promise<boolean | undefined>;
}

/**
 * A declared tool as LangChain takes it. With the id of a call it gives a `ToolMessage`, of a
 * failed tool with `status: "error"`; without one its content, and of a failed tool the content
 * that says so.
 *
 * LangChain checks arguments against a JSON Schema itself: it makes regular expressions of the
 * patterns of a server, which may take forever, and throws an error that does not say what is
 * wrong. Here it checks nothing: the tool's server does, and so does a policy, with the place in
 * the arguments.
 */
export function toStructuredTool(
  { name, description, inputSchema, definition }: DeclaredTool,
  { run, ask }: ToolMeans,
): DynamicStructuredTool {
  const { origin } = definition;
  const tool = new DynamicStructuredTool({
    name,
    description,
    schema: inputSchema,
    responseFormat: "content_and_artifact",
    ...(origin !== undefined && { metadata: { serverId: origin.serverId, toolName: dropUnseen(origin.toolName) } }),
    async func(args, _runManager, config) {
      const id = readCallId(config);
      const call = { id, args, signal: config?.signal };
      const output = await run({ ...call, approved: await ask(call) });
      return [output.isError && id !== undefined ? toMessage(name, id, output) : output.content, output.artifact];
    },
  });
  const unchecked: DynamicStructuredTool = Object.create(tool, { schema: { value: { type: "object" } } });
  return Object.defineProperty(tool, "invoke", {
    value: (...args: Parameters<DynamicStructuredTool["invoke"]>) =>
      DynamicStructuredTool.prototype.invoke.apply(unchecked, args),
  });
}

/** The message that answers a call. */
export function toMessage(name: string, id: string, { content, artifact, isError }: ToolOutput): ToolMessage {
  return new ToolMessage({ name, tool_call_id: id, content, artifact, status: isError ? "error" : "success" });
}

// LangChain hands the call over in the config, and does not say so in the type.
function readCallId(config: object | undefined): string | undefined {
  const call: unknown = config !== undefined && "toolCall" in config ? config.toolCall : undefined;
  if (typeof call !== "object" || call === null || !("id" in call)) return undefined;
  return typeof call.id === "string" ? call.id : undefined;
}
