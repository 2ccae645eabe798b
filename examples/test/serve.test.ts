import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { createRequire } from "node:module";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { serve } from "../src/serve.ts";

const everything = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");

it("serves every user what is theirs, and asks the one whose call it is", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hostside-serve-"));
  try {
    const config = join(folder, "mcp.json");
    writeFileSync(
      config,
      JSON.stringify({ mcpServers: { everything: { command: process.execPath, args: [everything] } } }),
    );
    await using served = await serve(
      config,
      new Map([
        ["token-of-ada", "ada"],
        ["token-of-bob", "bob"],
      ]),
    );
    const asked: string[] = [];
    const connect = async (token: string): Promise<Client> => {
      const client = new Client({ name: token, version: "1" }, { capabilities: { elicitation: {} } });
      client.setRequestHandler("elicitation/create", async ({ params }) => {
        asked.push(`${token}: ${params.message.split("\n")[2]}`);
        return { action: "accept", content: { answer: "once" } };
      });
      const requestInit = { headers: { Authorization: `Bearer ${token}` } };
      await client.connect(new StreamableHTTPClientTransport(new URL(served.url), { requestInit }));
      return client;
    };
    const [ada, bob] = [await connect("token-of-ada"), await connect("token-of-bob")];
    await expect(connect("token-of-eve")).rejects.toThrow(/401|Unauthorized/);
    const call = { name: "tools_call", arguments: { name: "mcp_everything_echo", arguments: { message: "hello" } } };
    expect((await ada.callTool(call)).content).toEqual([{ type: "text", text: "Echo: hello" }]);
    expect(asked).toEqual(['token-of-ada: tool: echo ("Echo Tool")']);
    await Promise.all([ada.close(), bob.close()]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
