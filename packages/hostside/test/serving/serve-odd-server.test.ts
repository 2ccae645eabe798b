import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, it } from "vitest";
import { createWorkFolder, program } from "../terminal/work-folder.ts";
import { startServed } from "./served-process.ts";
import { smallEntry, smallServer } from "./small-server.ts";

// What servers were seen to list and to answer, and what clients refuse a whole list or result for.
const oddServer = String.raw`
  import { createInterface } from "node:readline";
  const schema = '{"properties":{"raw":true,"half\\ud83d":{"enum":["\\udc00"]}},"required":null}';
  const tools = '[{"name":"odd","title":null,"annotations":{"readOnlyHint":null},"icons":[{"src":"data:,","sizes":"48x48"}],' +
    '"inputSchema":' + schema + ',"outputSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/none"}}}}]';
  const result = '{"content":[{"type":"text","text":"a\\ud83d b","annotations":null,"_meta":null},{"type":"text"}],"structuredContent":null,"isError":null}';
  const hello = '{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"}}';
  const answers = { initialize: hello, "tools/list": '{"tools":' + tools + '}', "tools/call": result };
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method } = JSON.parse(line);
    if (answers[method]) process.stdout.write('{"jsonrpc":"2.0","id":' + id + ',"result":' + answers[method] + '}\n');
  }
`;

it("serves an odd server beside another one to official clients, which lose nothing", async () => {
  await using work = await createWorkFolder();
  await work.write({
    "odd.mjs": oddServer,
    "small.mjs": smallServer,
    "hostside.json": {
      servers: { odd: { type: "stdio", command: process.execPath, args: ["odd.mjs"] }, one: smallEntry("get_a") },
    },
  });
  const args = ["--config", "hostside.json", "serve", "--expose", "all"];
  await using served = await startServed(work, args);
  expect(await served.untilTools(({ length }) => length > 1)).toEqual(["mcp_odd_odd", "mcp_one_get_a"]);
  const texts = [
    { type: "text", text: "a\uFFFD b" },
    { type: "text", text: expect.stringContaining("malformed:text") },
  ];
  expect(await served.client.callTool({ name: "mcp_odd_odd" })).toMatchObject({ content: texts });

  const client = new Client({ name: "editor", version: "1" }, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [program, ...args],
      cwd: work.folder,
      env: { ...work.env },
    }),
  );
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["mcp_odd_odd", "mcp_one_get_a"]);
  expect(await client.callTool({ name: "mcp_odd_odd" })).toMatchObject({ content: texts });
  await client.close();
});
