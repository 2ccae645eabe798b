import assert from "node:assert/strict";
import { createHost, type Conversation, type StaticTool } from "hostside";

interface Page {
  readonly read: (conversation: Conversation) => Promise<string>;
}

export async function drive({ read }: Page): Promise<void> {
  const inputSchema = { type: "object", properties: { lines: { type: "integer" } } } as const;
  const tail: StaticTool = {
    definition: { name: "mcp_logs_tail", description: "The end of a log.", inputSchema },
    run: async () => ({ content: [{ type: "text", text: "a line\n".repeat(100_000) }] }),
  };
  await using host = await createHost({ tools: [tail] });
  assert.equal(await read(await host.conversation()), "1 blocks, 1 shown, 1 cut or left out");
}
