import { describe, expect, it } from "vitest";
import { createAnthropicTools } from "../anthropic/create-anthropic-tools.ts";
import { createGoogleTools } from "../google/create-google-tools.ts";
import { createLangChainTools } from "../langchain/create-langchain-tools.ts";
import { createChatTools } from "../openai/create-chat-tools.ts";
import { createResponsesTools } from "../openai/create-responses-tools.ts";
import type { ToolSource } from "../tool-source.ts";

const source: ToolSource = {
  tools: () => [],
  call: async () => {
    throw new Error("nothing is to be called");
  },
};
const entries = {
  anthropic: [
    (given: never) => createAnthropicTools(source).answer(given),
    "a message of the model",
    { content: "text" },
  ],
  google: [(given: never) => createGoogleTools(source).answer(given), "a response of the model", { candidates: [] }],
  langchain: [
    (given: never) => createLangChainTools(source).answer(given),
    "a message of the model",
    { tool_calls: "x" },
  ],
  chat: [
    (given: never) => createChatTools(source).answer(given),
    "a message of the model or a choice of a completion",
    { message: {} },
  ],
  responses: [
    (given: never) => createResponsesTools(source).answer(given),
    "a response of the model",
    { output: null },
  ],
} as const;

describe.each(Object.entries(entries))("answer() of %s", (_entry, [answer, takes, wrong]) => {
  it.each([[undefined], [null], ["text"], [[]], [{}], [{ choices: [] }], [wrong]])("refuses %j", async (given) => {
    const answering: Promise<unknown> = Reflect.apply(answer, undefined, [given]);
    await expect(answering).rejects.toThrow(TypeError);
    await expect(answering).rejects.toThrow(`answer() takes ${takes}`);
  });
});
