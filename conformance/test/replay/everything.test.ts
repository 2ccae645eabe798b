import { createProvider } from "@hostside/provider";
import { createRecorder, createReplay } from "@hostside/conformance/replay";
import { createConnector } from "@hostside/transports";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";

const program = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");
const calls = [
  ["mcp_demo_echo", { message: "hello" }],
  ["mcp_demo_get_sum", { a: 1, b: 2 }],
  ["mcp_demo_get_structured_content", { location: "Chicago" }],
  ["mcp_demo_get_tiny_image", {}],
] as const;

async function converse(provider: ReturnType<typeof createProvider>): Promise<unknown> {
  await provider.init();
  const outcomes = [];
  for (const [name, args] of calls) outcomes.push(await provider.call(name, args));
  return { tools: provider.tools(), outcomes };
}

it("plays back what the official server said, from a file, without the server", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hostside-replay-"));
  const file = join(folder, "everything.jsonl");
  try {
    const recorder = createRecorder({ to: file });
    const servers = [{ id: "demo", type: "stdio", command: process.execPath, args: [program] } as const];
    const live = createProvider({ connector: createConnector({ effects: recorder.effects }), servers });
    const said = await converse(live);
    await live.close();
    recorder.close();
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await readFile(file, "utf8")).toContain('"name":"get-sum"');

    const replay = await createReplay(file);
    await using provider = createProvider({ connector: replay.connector, servers: replay.servers });
    expect(await converse(provider)).toEqual(said);
    replay.check({ unused: true });
    expect(replay.recording.servers).toMatchObject([{ id: "demo", transport: { type: "stdio" } }]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
