// One request of a chat: the messages of `useChat` come in, and the stream for it goes out. The
// user is asked about calls that the policy wants approved, and the answer comes with the next
// request.
import { convertToModelMessages, isStepCount, streamText, type LanguageModel, type UIMessage } from "ai";
import type { Host } from "hostside";
import { createAiSdkTools } from "hostside/ai-sdk";

export interface ChatRequest {
  readonly id: string;
  readonly user: string;
  readonly messages: UIMessage[];
}

export async function chat(host: Host, model: LanguageModel, { id, user, messages }: ChatRequest): Promise<Response> {
  // The id and the user, whom your product knows, are what an approval is bound to.
  const conversation = await host.conversation({ id, principal: user });
  const { tools, prepareStep, toolApproval } = createAiSdkTools(conversation);
  const settings = { model, tools, prepareStep, toolApproval, stopWhen: isStepCount(20) };
  const stream = streamText({ ...settings, messages: await convertToModelMessages(messages, { tools }) });
  return stream.toUIMessageStreamResponse({ originalMessages: messages });
}
