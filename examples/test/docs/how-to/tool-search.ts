import assert from "node:assert/strict";
import { createHost, type Conversation } from "hostside";

interface Page {
  readonly turns: (conversation: Conversation) => Promise<readonly string[]>;
}

export async function drive({ turns }: Page): Promise<void> {
  const args = ["node_modules/@modelcontextprotocol/server-filesystem/dist/index.js", "."];
  await using host = await createHost({
    servers: { files: { command: process.execPath, args, required: true } },
    timeoutMs: 60_000,
  });
  const conversation = await host.conversation({ maxToolTokens: 1500 });
  const before = conversation.tools().map(({ name }) => name);
  assert.ok(before.includes("tools_search") && !before.includes("mcp_files_read_text_file"));
  assert.ok((await turns(conversation)).includes("mcp_files_read_text_file"));
}
