import type { AiSdkTools } from "@hostside/adapters/ai-sdk";
import { isJsonObject } from "@hostside/core/implement";
import { simulateReadableStream } from "ai";
import { MockLanguageModelV4 } from "ai/test";

/** What a model says in one turn: a text, or calls of tools by name and arguments. */
export type Turn = string | readonly (readonly [name: string, args: unknown])[];

type Reply = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;
type Chunk = Awaited<ReturnType<MockLanguageModelV4["doStream"]>>["stream"] extends ReadableStream<infer T> ? T : never;

/** A model of the AI SDK that says what a test wants it to say, one turn after the other. */
export function scripted(turns: readonly Turn[], provider = "mock"): MockLanguageModelV4 {
  let at = 0;
  const next = (): Reply => {
    at += 1;
    return toReply(turns[at - 1] ?? "out of turns", at - 1);
  };
  return new MockLanguageModelV4({
    provider,
    doGenerate: () => Promise.resolve(next()),
    doStream: () => {
      const { content, finishReason, usage } = next();
      const end: Chunk = { type: "finish", finishReason, usage };
      const chunks: Chunk[] = [{ type: "stream-start", warnings: [] }, ...content.flatMap(toChunks), end];
      return Promise.resolve({ stream: simulateReadableStream({ chunks }) });
    },
  });
}

function toReply(turn: Turn, at: number): Reply {
  const content: Reply["content"] =
    typeof turn === "string"
      ? [{ type: "text", text: turn }]
      : turn.map(([toolName, args], index) => ({
          type: "tool-call",
          toolCallId: `call-${at}-${index}`,
          toolName,
          input: JSON.stringify(args),
        }));
  return {
    content,
    finishReason: { unified: typeof turn === "string" ? "stop" : "tool-calls", raw: undefined },
    usage: {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    },
    warnings: [],
  };
}

function toChunks(part: Reply["content"][number]): Chunk[] {
  if (part.type === "tool-call") return [part];
  if (part.type !== "text") return [];
  return [
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: part.text },
    { type: "text-end", id: "1" },
  ];
}

/** The results of tools in a prompt of any of the SDK's versions, in order. */
export function resultsIn(prompt: readonly { readonly content: unknown }[] | undefined): readonly unknown[] {
  return (prompt ?? []).flatMap(({ content }) => (Array.isArray(content) ? content : [])).flatMap(outputOf);
}

function outputOf(part: unknown): unknown[] {
  return isJsonObject(part) && part["type"] === "tool-result" ? [part["output"]] : [];
}

/** The settings of a generation that the adapter gives. */
export function settingsOf({
  tools,
  prepareStep,
  toolApproval,
}: AiSdkTools): Pick<AiSdkTools, "tools" | "prepareStep" | "toolApproval"> {
  return { tools, prepareStep, toolApproval };
}
