import type { AiSdkTools } from "@hostside/adapters/ai-sdk";
import type { StaticTool } from "@hostside/discovery";
import { generateText, isStepCount, streamText, type ModelMessage } from "ai";
import { resultsIn, scripted, settingsOf } from "./mock-model.ts";

/** What is paid. */
export const payment = { amount: 5 };

/** Runs a generation to the question, answers it, and goes on in the next request. */
export async function askAndAnswer(
  hostside: AiSdkTools,
  approved: boolean,
  by: "generateText" | "streamText" = "generateText",
): Promise<{ readonly asked: readonly unknown[]; readonly results: readonly unknown[] }> {
  const model = scripted([[["pay", payment]], "done"]);
  const messages: ModelMessage[] = [{ role: "user", content: "pay" }];
  const settings = {
    model,
    ...settingsOf(hostside),
    stopWhen: isStepCount(8),
    experimental_toolApprovalSecret: "a secret of the product",
  };
  const first = await generateText({ ...settings, messages });
  const requests = first.content.filter((part) => part.type === "tool-approval-request");
  messages.push(...first.responseMessages);
  messages.push({
    role: "tool",
    content: requests.map(({ approvalId }) => ({ type: "tool-approval-response", approvalId, approved })),
  });
  const later = { ...settings, messages: structuredClone(messages) };
  const text = by === "streamText" ? await streamText(later).text : (await generateText(later)).text;
  if (text !== "done") throw new Error(`unexpected: ${text}`);
  const calls = by === "streamText" ? model.doStreamCalls : model.doGenerateCalls.slice(1);
  return {
    asked: requests.map(({ toolCall }) => toolCall.input),
    results: resultsIn(calls[0]?.prompt),
  };
}

/** A tool that pays, and what it paid. */
export function bank(options: { readonly requireApproval?: boolean } = {}): {
  readonly tool: StaticTool;
  readonly paid: unknown[];
} {
  const paid: unknown[] = [];
  const run = (given: unknown): string => `paid ${paid.push(given)}`;
  return {
    tool: { definition: { name: "pay", description: "Pays.", inputSchema: { type: "object" }, ...options }, run },
    paid,
  };
}
