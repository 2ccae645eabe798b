import type { MastraModelConfig } from "@mastra/core/llm";
import assert from "node:assert/strict";
import { scriptedMastra } from "../../../../packages/adapters/test/mock-mastra-model.ts";

interface Page {
  readonly ask: (model: MastraModelConfig, question: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

export async function drive({ ask, close }: Page): Promise<void> {
  const calls = [
    ["mcp_files_list_directory", { path: "." }],
    ["mcp_docs_add", { a: 2, b: 3 }],
  ] as const;
  const { model, mock } = scriptedMastra([calls, "five"]);
  assert.equal(await ask(model, "What is here, and what is 2 + 3?"), "five");
  const answers = JSON.stringify(mock.doGenerateCalls[1]?.prompt);
  assert.match(answers, /\[DIR\] home/);
  assert.match(answers, /"5"/);
  await close();
}
