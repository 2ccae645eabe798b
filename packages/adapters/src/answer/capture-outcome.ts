import type { ToolOutcome } from "@hostside/core";
import type { Presented } from "@hostside/results";
import type { Declaration } from "../declared-tool.ts";
import { callingBy } from "../tool-source.ts";
import { answerCall, type AnswerMeans, type ModelCall } from "./answer-call.ts";

/** What a model gets of a call, and what the host gets. */
export interface AnsweredCall {
  readonly presented: Presented;
  /** As the tool answered; absent when it did not. */
  readonly outcome?: ToolOutcome | undefined;
}

/** {@linkcode answerCall}, with the outcome whole for who can carry it past the model. */
export async function captureOutcome(
  declaration: Declaration,
  call: ModelCall,
  means: AnswerMeans,
): Promise<AnsweredCall> {
  let outcome: ToolOutcome | undefined;
  const source = callingBy(means.source, async (...args) => (outcome = await means.source.call(...args)));
  const presented = await answerCall(declaration, call, { ...means, source });
  return { presented, outcome };
}
