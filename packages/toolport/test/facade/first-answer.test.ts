import { fixtureServer } from "@toolport/fixtures";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createToolport } from "toolport";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "toolport-facade-"));
  const silent = { command: process.execPath, args: ["-e", "process.stdin.on('end', () => process.exit()).resume()"] };
  const mcpServers = { good: fixtureServer("modern-stdio"), silent };
  await writeFile(join(folder, "mcp.json"), JSON.stringify({ mcpServers }));
  await writeFile(join(folder, "half.json"), '{ "mcpServers": {\n  "a": {');
});
afterAll(() => rm(folder, { recursive: true }));

describe("createToolport()", () => {
  it("EV-31: answers in ten lines with an mcp.json, beside a server that says nothing", async () => {
    await using toolport = await createToolport({ config: join(folder, "mcp.json"), timeoutMs: 1000 });
    const conversation = toolport.conversation({ budget: 8000 });
    const { content } = await conversation.call("mcp_good_add", { a: 2, b: 3 });
    expect(content).toEqual([{ type: "text", text: "5" }]);
    expect(toolport.statuses().map(({ id, state }) => [id, state])).toEqual([
      ["good", "ready"],
      ["silent", "connecting"],
    ]);
  });
});
