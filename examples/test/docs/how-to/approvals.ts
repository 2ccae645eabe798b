import type { LanguageModel, UIMessage } from "ai";
import assert from "node:assert/strict";
import { createHost, type Conversation } from "hostside";
import { scripted } from "../../../../packages/adapters/test/mock-model.ts";

interface Page {
  readonly chat: (conversation: Conversation, model: LanguageModel, messages: UIMessage[]) => Promise<Response>;
}

export async function drive({ chat }: Page): Promise<void> {
  const args = ["node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", "."];
  await using host = await createHost({
    servers: { files: { command: process.execPath, args, required: true } },
    policy: { requireApproval: ["files/write_*"], defaultDecision: "allow" },
    timeoutMs: 60_000,
  });
  const model = scripted([[["mcp_files_write_file", { path: "a.txt", content: "a" }]], "written"]);
  const conversation = await host.conversation({ id: "42", principal: "ada" });
  const response = await chat(conversation, model, [
    { id: "1", role: "user", parts: [{ type: "text", text: "Write" }] },
  ]);
  assert.match(await response.text(), /"type":"tool-approval-request"/);
}
