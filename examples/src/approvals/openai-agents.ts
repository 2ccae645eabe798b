// A chat with an agent of the OpenAI Agents SDK. A turn that has to ask ends with questions and the
// state of its run, as text: answer in any process.
import { Agent, run, RunState, type Model, type RunToolApprovalItem } from "@openai/agents";
import type { Conversation } from "hostside";
import { createAgentsTools } from "hostside/openai-agents";

export interface Turn {
  readonly text: string | undefined;
  readonly questions: readonly { readonly id: string; readonly tool: string; readonly args: string }[];
  readonly state: string;
}

export interface AgentChat {
  ask(question: string): Promise<Turn>;
  /** Goes on with the ids of the questions that the user approved. All others are rejected. */
  answer(state: string, approved: readonly string[]): Promise<Turn>;
}

export function createAgentChat(model: string | Model, conversation: Conversation): AgentChat {
  const { tools } = createAgentsTools(conversation);
  const agent = new Agent({ name: "helper", instructions: "Answer in one sentence.", model, tools });
  const go = async (from: string | RunState<unknown, typeof agent>): Promise<Turn> => {
    const result = await run(agent, from);
    const questions = result.interruptions.map((item) => ({
      id: idOf(item),
      tool: item.name ?? "",
      args: item.arguments ?? "",
    }));
    const text = questions.length === 0 ? result.finalOutput : undefined;
    return { text, questions, state: result.state.toString() };
  };
  return {
    ask: go,
    async answer(kept, approved) {
      const state = await RunState.fromString(agent, kept);
      for (const item of state.getInterruptions()) {
        if (approved.includes(idOf(item))) state.approve(item);
        else state.reject(item);
      }
      return go(state);
    },
  };
}

function idOf({ rawItem }: RunToolApprovalItem): string {
  return "callId" in rawItem ? rawItem.callId : "";
}
