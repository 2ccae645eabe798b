import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createWorkFolder } from "../terminal/work-folder.ts";
import { startServed, untilNoneRuns } from "./served-process.ts";

const { resolve } = createRequire(import.meta.url);
const entry = (name: string, ...args: readonly string[]) => ({
  command: process.execPath,
  args: [resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
});

it("has the official servers behind it, with their tools, resources, prompts, completions and progress", async () => {
  await using work = await createWorkFolder();
  const shared = join(work.folder, "shared");
  await mkdir(shared);
  await writeFile(join(shared, "note.txt"), "from a file");
  await work.write({ "mcp.json": { mcpServers: { all: entry("everything"), files: entry("filesystem", shared) } } });
  await using served = await startServed(work, ["--config", "mcp.json", "serve", "--expose", "all"]);
  const { client } = served;
  const has = (names: readonly string[], name: string): boolean => names.includes(name);
  await served.untilTools((names) => has(names, "mcp_files_read_text_file") && has(names, "mcp_all_echo"));

  const path = join(shared, "note.txt");
  const { content } = await client.callTool({ name: "mcp_files_read_text_file", arguments: { path } });
  expect(content).toEqual([{ type: "text", text: "from a file" }]);
  const structured = await client.callTool({
    name: "mcp_all_get_structured_content",
    arguments: { location: "Chicago" },
  });
  expect(structured.structuredContent).toMatchObject({ temperature: expect.any(Number) });
  const heard: number[] = [];
  await client.callTool(
    { name: "mcp_all_trigger_long_running_operation", arguments: { duration: 0.1, steps: 3 } },
    undefined,
    { onprogress: ({ progress }) => heard.push(progress) },
  );
  // The last one comes right before the answer: in one read with it, this client takes the answer
  // first and drops that.
  expect([
    [1, 2, 3],
    [1, 2],
  ]).toContainEqual(heard);

  const { resources } = await client.listResources();
  const [first] = resources;
  const read = await client.readResource({ uri: first?.uri ?? "" });
  expect(read.contents[0]?.uri).toBe(first?.uri);
  const { prompts } = await client.listPrompts();
  expect(prompts.map(({ name }) => name)).toContain("all_simple-prompt");
  expect((await client.getPrompt({ name: "all_simple-prompt" })).messages).toHaveLength(1);
  await client.close();
  await untilNoneRuns(work);
});
