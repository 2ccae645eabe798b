import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { join } from "node:path";
import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as AiSdkStdio } from "@ai-sdk/mcp/mcp-stdio";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { checkServer, type ServerAddress } from "@hostside/conformance";
import { execa } from "execa";
import { describe, expect, it } from "vitest";
import { createWorkFolder, program, type WorkFolder } from "../terminal/work-folder.ts";
import { untilNoneRuns } from "./served-process.ts";
import { smallEntry, smallServer } from "./small-server.ts";

// Needs Node 22; npm brings one, as for the official suite.
const inspector = ["-y", "-p", "node@24", "-p", "@modelcontextprotocol/inspector@2.12.0", "mcp-inspector", "--cli"];

async function workWith(): Promise<WorkFolder> {
  const work = await createWorkFolder();
  const one = { ...smallEntry("get_a", "set_a"), trustAnnotations: true };
  await work.write({ "small.mjs": smallServer, "hostside.json": { servers: { one, two: smallEntry("get_b") } } });
  return work;
}

const serve = (expose: string): readonly string[] => [
  program,
  "--config",
  "hostside.json",
  "serve",
  "--expose",
  expose,
];

async function listen({ folder, env, home }: WorkFolder, expose: string) {
  const child = spawn(process.execPath, [...serve(expose), "--http", "0"], { cwd: folder, env });
  const lines = createInterface({ input: child.stderr })[Symbol.asyncIterator]();
  const { value: url = "" } = await lines.next();
  // Where the token is.
  await lines.next();
  const token = (await readFile(join(home, ".local/state/hostside/serve-token"), "utf8")).trim();
  const end = async (): Promise<void> => {
    const exit = once(child, "exit");
    child.kill("SIGTERM");
    expect((await exit)[0]).toBe(0);
  };
  return { url, headers: { Authorization: `Bearer ${token}` }, [Symbol.asyncDispose]: end };
}

/** Advice counts as much as what has to be. */
async function findings(address: ServerAddress): Promise<readonly string[]> {
  const report = await checkServer({ address, answerMs: 8000, concurrency: 3 });
  return report.results.flatMap(({ check, finding }) => {
    if (finding.status === "fail") return [`${check.id}: ${finding.observed}`];
    return finding.status === "could-not-run" ? [`${check.id}: ${finding.reason}`] : [];
  });
}

describe("the kit finds nothing in hostside serve", () => {
  it.each(["search", "groups", "all"])("over stdio, exposing %s", { timeout: 240_000 }, async (expose) => {
    await using work = await workWith();
    const { folder, env } = work;
    const server = { command: process.execPath, args: serve(expose), cwd: folder, env };
    expect(await findings({ type: "stdio", server })).toEqual([]);
    await untilNoneRuns(work);
  });

  it("over HTTP", { timeout: 240_000 }, async () => {
    await using work = await workWith();
    {
      await using listening = await listen(work, "search");
      expect(await findings({ type: "http", url: new URL(listening.url), headers: listening.headers })).toEqual([]);
    }
    await untilNoneRuns(work);
  });
});

describe("hosts of others drive hostside serve", () => {
  const call = { name: "tools_call", arguments: { name: "mcp_one_get_a", arguments: { text: "x" } } };
  const answer = [{ type: "text", text: "get_a x 1" }];

  it("the inspector's command line, over stdio and HTTP", { timeout: 240_000 }, async () => {
    await using work = await workWith();
    const { folder: cwd, env } = work;
    const inspect = async (...args: readonly string[]): Promise<unknown> => {
      const { stdout } = await execa("npx", [...inspector, "--format", "json", ...args], { cwd, env });
      return JSON.parse(stdout);
    };
    const method = ["--method", "tools/call", "--tool-name", "tools_call"];
    const input = ["--tool-args-json", JSON.stringify(call.arguments)];
    expect(await inspect(...method, ...input, "--", process.execPath, ...serve("search"))).toMatchObject({
      result: { content: answer },
    });
    {
      await using listening = await listen(work, "search");
      const headers = Object.entries(listening.headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]);
      const over = [listening.url, "--transport", "http", ...headers];
      expect(await inspect(...over, ...method, ...input)).toMatchObject({ result: { content: answer } });
    }
    await untilNoneRuns(work);
  });

  it("the AI SDK's client", { timeout: 60_000 }, async () => {
    await using work = await workWith();
    const { folder: cwd, env } = work;
    const transport = new AiSdkStdio({ command: process.execPath, args: [...serve("search")], cwd, env: { ...env } });
    const client = await createMCPClient({ transport });
    const tools = await client.tools();
    expect(Object.keys(tools)).toEqual(["tools_groups", "tools_select", "tools_search", "tools_read", "tools_call"]);
    const options = { toolCallId: "1", messages: [], context: {} };
    expect(await tools["tools_call"]?.execute(call.arguments, options)).toMatchObject({ content: answer });
    await client.close();
    await untilNoneRuns(work);
  });

  it.each(["legacy", "modern"] as const)("version 2 of the official client, in the %s era", async (era) => {
    await using work = await workWith();
    const { folder: cwd, env } = work;
    const versionNegotiation = era === "legacy" ? ({ mode: "legacy" } as const) : { mode: { pin: "2026-07-28" } };
    const client = new Client({ name: "editor", version: "1" }, { versionNegotiation });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [...serve("search")], cwd, env: { ...env } }),
    );
    expect((await client.callTool(call)).content).toEqual(answer);
    await client.close();
    await untilNoneRuns(work);
  });
});
