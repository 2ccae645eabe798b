import { describeCall, isJsonObject } from "@hostside/core/implement";
import type { AnswerMeans } from "../answer/answer-call.ts";
import { argumentsOf, noteQuestion, requiresApproval } from "../answer/approvals.ts";
import type { DeclaredTool } from "../declared-tool.ts";
import type { ToolCalled } from "./structured-tool.ts";

/**
 * Asks about a call by `interrupt()` of LangGraph, in the shape of LangChain's human in the loop:
 * the graph stops with `{ actionRequests, reviewConfigs }`, and goes on with
 * `{ decisions: [{ type: "approve" }] }`. Any other answer is a no. `undefined` where nobody has to
 * be asked, and outside of a graph that can be resumed: there the policy refuses the call.
 */
export async function askByInterrupt(
  tool: DeclaredTool,
  call: ToolCalled,
  means: Pick<AnswerMeans, "source" | "context">,
): Promise<boolean | undefined> {
  if (!requiresApproval(means.source, tool)) return undefined;
  const langgraph = await import("@langchain/langgraph").catch(() => undefined);
  if (langgraph === undefined) return undefined;
  const { name, definition } = tool;
  const read = argumentsOf(tool, call.args, means.source);
  // The call itself says what is wrong with them.
  if (read === undefined) return undefined;
  const { args } = read;
  const description = describeCall({ definition, args, effect: definition.effect }).join("\n");
  const question = {
    actionRequests: [{ name, args, description }],
    reviewConfigs: [{ actionName: name, allowedDecisions: ["approve", "reject"] }],
  };
  try {
    return isApproval(langgraph.interrupt<object, unknown>(question));
  } catch (error) {
    if (!langgraph.isGraphInterrupt(error)) return undefined;
    // The graph runs the tool anew when it goes on, and then `interrupt()` gives the answer.
    await noteQuestion(tool, call, means);
    throw error;
  }
}

function isApproval(answer: unknown): boolean {
  if (!isJsonObject(answer) || !Array.isArray(answer["decisions"])) return false;
  const [decision, ...others]: unknown[] = answer["decisions"];
  return others.length === 0 && isJsonObject(decision) && decision["type"] === "approve";
}
