import type { MastraModelConfig } from "@mastra/core/llm";
import { MastraLanguageModelV2Mock } from "@mastra/core/test-utils/llm-mock";
import type { Turn } from "./mock-model.ts";

type Reply = Awaited<ReturnType<MastraLanguageModelV2Mock["doGenerate"]>>;
type Chunk =
  Awaited<ReturnType<MastraLanguageModelV2Mock["doStream"]>>["stream"] extends ReadableStream<infer T> ? T : never;

/** A model of Mastra that says what a test wants it to say, one turn after the other. */
export function scriptedMastra(
  turns: readonly Turn[],
  provider = "mock",
): { readonly mock: MastraLanguageModelV2Mock; readonly model: MastraModelConfig } {
  let at = 0;
  const next = (): ReturnType<typeof toReply> => {
    at += 1;
    return toReply(turns[at - 1] ?? "out of turns", at - 1);
  };
  const mock = new MastraLanguageModelV2Mock({
    provider,
    modelId: "mock",
    doGenerate: () => Promise.resolve(next()),
    doStream: () => {
      const { content, finishReason, usage } = next();
      const chunks: Chunk[] = [
        { type: "stream-start", warnings: [] },
        ...content.flatMap(toChunks),
        { type: "finish", finishReason, usage },
      ];
      return Promise.resolve({ stream: ReadableStream.from(chunks) });
    },
  });
  // What its type says of `response` is nothing that Mastra takes under
  // `exactOptionalPropertyTypes`.
  return { mock, model: mock as unknown as MastraModelConfig };
}

type Content = Reply["content"];

function toReply(turn: Turn, at: number): Pick<Reply, "content" | "finishReason" | "usage" | "warnings"> {
  const content: Content =
    typeof turn === "string"
      ? [{ type: "text", text: turn }]
      : turn.map(([toolName, args], index) => ({
          type: "tool-call",
          toolCallId: `call-${at}-${index}`,
          toolName,
          input: JSON.stringify(args),
        }));
  const finishReason = typeof turn === "string" ? "stop" : "tool-calls";
  return { content, finishReason, usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 }, warnings: [] };
}

function toChunks(part: Content[number]): Chunk[] {
  if (part.type === "tool-call") return [part];
  if (part.type !== "text") return [];
  return [
    { type: "text-start", id: "1" },
    { type: "text-delta", id: "1", delta: part.text },
    { type: "text-end", id: "1" },
  ];
}
