import type { LanguageModel } from "ai";
import assert from "node:assert/strict";
import { createHost, type Conversation, type Host } from "hostside";
import { scripted } from "../../../../packages/adapters/test/mock-model.ts";

interface Agent {
  readonly ask: (model: LanguageModel, prompt: string) => Promise<string>;
}

interface Product {
  readonly openChat: (host: Host, id: string, user: string) => Promise<Conversation>;
}

export async function drive({ ask }: Agent, { openChat }: Product): Promise<void> {
  const model = scripted([[["mcp_files_list_directory", { path: "." }]], "a home and some packages"]);
  assert.equal(await ask(model, "What is here?"), "a home and some packages");
  assert.match(JSON.stringify(model.doGenerateCalls[1]?.prompt), /\[DIR\] home/);
  await using host = await createHost();
  const { id, context } = await openChat(host, "42", "ada");
  assert.deepEqual([id, context.principal], ["42", "ada"]);
}
