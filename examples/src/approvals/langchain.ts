// A chat with a graph of LangGraph. A turn that has to ask ends with questions, and its
// checkpointer keeps the state: answer in any process that shares it.
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { HumanMessage, isAIMessage, type BaseMessage, type ToolCall } from "@langchain/core/messages";
import {
  Command,
  END,
  isInterrupted,
  INTERRUPT,
  MessagesAnnotation,
  Send,
  START,
  StateGraph,
  type BaseCheckpointSaver,
} from "@langchain/langgraph";
import type { Conversation } from "hostside";
import { createLangChainTools } from "hostside/langchain";

type Model = Pick<Required<BaseChatModel>, "bindTools">;

export interface Turn {
  readonly text: string;
  /**
   * What the user is asked: `value` is `{ actionRequests, reviewConfigs }`, as LangChain's human in
   * the loop has it.
   */
  readonly questions: readonly { readonly id: string; readonly value: unknown }[];
}

export interface GraphChat {
  ask(question: string): Promise<Turn>;
  /** Goes on with an answer to each question, by its id. */
  answer(answers: Readonly<Record<string, "approve" | "reject">>): Promise<Turn>;
}

export function createGraphChat(
  model: Model,
  conversation: Conversation,
  checkpointer: BaseCheckpointSaver,
): GraphChat {
  const mcp = createLangChainTools(conversation);
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("model", async ({ messages }) => ({
      messages: [await model.bindTools(mcp.tools()).invoke(messages)],
    }))
    // One task for each call, so that each is asked about and runs by itself.
    .addNode("tool", async (call: ToolCall) => {
      const tool = mcp.tools().find(({ name }) => name === call.name);
      if (tool === undefined) return { messages: await mcp.answer({ tool_calls: [call] }) };
      return { messages: [await tool.invoke({ ...call, type: "tool_call" })] };
    })
    .addEdge(START, "model")
    .addConditionalEdges("model", ({ messages }) => {
      const calls = callsOf(messages.at(-1));
      return calls.length === 0 ? END : calls.map((call) => new Send("tool", call));
    })
    .addEdge("tool", "model")
    .compile({ checkpointer });
  const go = async (input: Parameters<typeof graph.invoke>[0]): Promise<Turn> => {
    const state = await graph.invoke(input, { configurable: { thread_id: conversation.id } });
    const asked = isInterrupted(state) ? state[INTERRUPT] : [];
    const questions = asked.map(({ id = "", value }) => ({ id, value }));
    return { text: state.messages.at(-1)?.text ?? "", questions };
  };
  return {
    ask: (question) => go({ messages: [new HumanMessage(question)] }),
    answer: (answers) => {
      const decided = Object.entries(answers).map(([id, type]) => [id, { decisions: [{ type }] }]);
      return go(new Command({ resume: Object.fromEntries(decided) }));
    },
  };
}

function callsOf(message: BaseMessage | undefined): readonly ToolCall[] {
  return message !== undefined && isAIMessage(message) ? (message.tool_calls ?? []) : [];
}
