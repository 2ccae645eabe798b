import type { LanguageModel } from "ai";
import assert from "node:assert/strict";
import { scripted } from "../../../../packages/adapters/test/mock-model.ts";

interface Page {
  readonly ask: (model: LanguageModel, prompt: string) => Promise<string>;
  readonly close: () => Promise<void>;
}

export async function drive({ ask, close }: Page): Promise<void> {
  const calls = [
    ["mcp_files_list_directory", { path: "." }],
    ["mcp_docs_add", { a: 2, b: 3 }],
  ] as const;
  const model = scripted([calls, "five"]);
  assert.equal(await ask(model, "What is here, and what is 2 + 3?"), "five");
  const answers = JSON.stringify(model.doGenerateCalls[1]?.prompt);
  assert.match(answers, /\[DIR\] home/);
  assert.match(answers, /"value":"5"/);
  await close();
}
