import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage } from "@langchain/core/messages";
import { fakeModel } from "@langchain/core/testing";
import assert from "node:assert/strict";

interface Page {
  readonly ask: (model: Pick<Required<BaseChatModel>, "bindTools">, question: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

export async function drive({ ask, close }: Page): Promise<void> {
  const model = fakeModel()
    .respondWithTools([
      { id: "1", name: "mcp_files_list_directory", args: { path: "." } },
      { id: "2", name: "mcp_docs_add", args: { a: 2, b: 3 } },
    ])
    .respond(new AIMessage("five"));
  assert.equal(await ask(model, "What is here, and what is 2 + 3?"), "five");
  const answers = model.calls[1]?.messages.map(({ content }) => JSON.stringify(content)).join("\n") ?? "";
  assert.match(answers, /\[DIR\] home/);
  assert.match(answers, /"5"/);
  await close();
}
