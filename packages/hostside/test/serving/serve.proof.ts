import { ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it } from "vitest";
import { createWorkFolder, type WorkFolder } from "../terminal/work-folder.ts";
import { runPiped } from "../terminal/run-piped.ts";
import { startServed, untilNoneRuns } from "./served-process.ts";
import { smallEntry, smallServer } from "./small-server.ts";

async function workWith(config: object, more: Readonly<Record<string, unknown>> = {}): Promise<WorkFolder> {
  const work = await createWorkFolder();
  await work.write({
    "small.mjs": smallServer,
    "hostside.json": { settings: { watch: { quietMs: 10 } }, ...config },
    ...more,
  });
  return work;
}

const args = (...more: readonly string[]): readonly string[] => ["--config", "hostside.json", "serve", ...more];
const finders = ["tools_groups", "tools_select", "tools_search", "tools_read", "tools_call"];
const textOf = (result: unknown): string => (result as { content: { text: string }[] }).content[0]?.text ?? "";
const elicitation = { capabilities: { elicitation: {} } };

describe("hostside serve", () => {
  it("is four tools in front of all servers, which find the others and call them", async () => {
    await using work = await workWith({ servers: { one: smallEntry("get_a", "set_a"), two: smallEntry("get_b") } });
    await using served = await startServed(work, args("--expose", "search", "--call-log", "calls.log"));
    const { client } = served;
    expect(client.getServerVersion()).toMatchObject({ name: "hostside" });
    expect(await served.tools()).toEqual(finders);
    // The very first search waits for servers that are still starting.
    const found = await client.callTool({ name: "tools_search", arguments: { query: "tool get b" } });
    expect(textOf(found)).toContain("mcp_two_get_b");
    expect(await served.untilTools((names) => names.includes("mcp_two_get_b"))).toEqual(
      expect.arrayContaining([...finders, "mcp_two_get_b"]),
    );
    const direct = await client.callTool({ name: "mcp_two_get_b", arguments: { text: "hello" } });
    const through = await client.callTool({
      name: "tools_call",
      arguments: { name: "mcp_one_set_a", arguments: { text: "hello" } },
    });
    // What it starts knows that it is served.
    expect([textOf(direct), textOf(through)]).toEqual(["get_b hello 1", "set_a hello 1"]);
    await client.close();
    await untilNoneRuns(work);
    const lines = (await work.read("calls.log")).trim().split("\n");
    expect(lines.filter((line) => /"tool":"(?:get_b|set_a)"/.test(line))).toHaveLength(2);
  });

  it("offers what the configuration names, and with --read-only what changes nothing, listed or not", async () => {
    const one = { ...smallEntry("get_a", "set_a", "other"), trustAnnotations: true };
    const config = { servers: { one, two: smallEntry("get_b") }, serve: { tools: ["one/*_a"] } };
    await using work = await workWith(config);
    await using served = await startServed(work, args());
    // As does the first list of all tools.
    expect(await served.tools()).toEqual(["mcp_one_get_a", "mcp_one_set_a"]);
    await using reading = await startServed(work, args("--read-only"));
    expect(await reading.untilTools(({ length }) => length > 0)).toEqual(["mcp_one_get_a"]);
    for (const name of ["mcp_one_set_a", "mcp_two_get_b"]) {
      await expect(reading.client.callTool({ name })).rejects.toThrow(/mcp_/);
    }
  });

  it("starts no server of which nothing is offered, and does not name it", async () => {
    const servers = { one: smallEntry("get_a"), two: smallEntry("get_b", "late") };
    await using work = await workWith({ servers, serve: { expose: "search", tools: ["one/get_a"] } });
    await using served = await startServed(work, args());
    const found = async (): Promise<string> =>
      textOf(
        await served.client.callTool({ name: "tools_select", arguments: { tools: ["mcp_one_get_a", "nothing"] } }),
      );
    while (!(await found()).includes('"total_tools":1')) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await found()).not.toContain("two");
    expect((await work.processes()).filter((line) => /small\.mjs .*late/.test(line))).toEqual([]);
  });

  it("takes edits of servers over, while what is offered stays", async () => {
    const one = { ...smallEntry("get_a", "set_a"), trustAnnotations: true };
    await using work = await workWith({ servers: { one }, serve: { expose: "all" } });
    const edit = (servers: object, serve: object): Promise<string> =>
      work.write({ "hostside.json": { servers, settings: { watch: { quietMs: 10 } }, serve } });
    await using served = await startServed(work, args());
    expect(await served.tools()).toEqual(["mcp_one_get_a", "mcp_one_set_a"]);
    await edit({ one, two: smallEntry("get_b") }, { expose: "search", readOnly: true });
    await served.untilSaid("serve of hostside.json has changed, and counts from the next start");
    expect(await served.untilTools(({ length }) => length > 2)).toEqual([
      "mcp_one_get_a",
      "mcp_one_set_a",
      "mcp_two_get_b",
    ]);
    await using next = await startServed(work, args("--expose", "all"));
    expect(await next.untilTools(({ length }) => length > 0)).toEqual(["mcp_one_get_a"]);
  });

  it("leaves out the entry by which a host starts it", async () => {
    const own = { command: "npx", args: ["-y", "hostside", "serve", "--expose", "search"] };
    const one = { command: process.execPath, args: ["small.mjs", "get_a"] };
    await using work = await workWith({}, { "mcp.json": { mcpServers: { hostside: own, one } } });
    await using served = await startServed(work, ["--config", "mcp.json", "serve", "--expose", "all"]);
    expect(await served.untilTools(({ length }) => length > 0)).toEqual(["mcp_one_get_a"]);
    expect(served.stderr()).toContain("server hostside is hostside serve itself, and left out");
    const list = await runPiped(work, ["--config", "mcp.json", "--json", "list"]);
    expect(JSON.parse(list.stdout).servers).toMatchObject([
      { id: "hostside", state: "disabled" },
      { id: "one", state: "ready" },
    ]);
  });

  it("has what servers offered last on offer before they are there", async () => {
    await using work = await workWith({ servers: { one: smallEntry("get_a", "late") } }, { go: "" });
    {
      await using first = await startServed(work, args("--expose", "all"));
      await first.untilTools(({ length }) => length > 0);
    }
    await untilNoneRuns(work);
    await work.write({ "hostside.json": { servers: { one: smallEntry("get_a", "late"), two: smallEntry("late") } } });
    const { rm } = await import("node:fs/promises");
    await rm(`${work.folder}/go`);
    await using second = await startServed(work, args("--expose", "all"));
    expect(await second.tools()).toEqual(["mcp_one_get_a", "mcp_one_late"]);
    await work.write({ go: "" });
    await second.untilTools((names) => names.includes("mcp_two_late"));
  });

  it("has questions of servers, and approvals, answered by the user of its client", async () => {
    const approved = { ...smallEntry("ask", "set_a"), tools: { set_a: { requireApproval: true } } };
    await using work = await workWith({ servers: { one: approved }, serve: { expose: "all" } });
    const questions: string[] = [];
    let answer: string = "once";
    await using served = await startServed(work, args(), {
      ...elicitation,
      prepare: (client) =>
        client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
          questions.push(params.message);
          const isServers = params.message.includes("Which one?");
          return { action: "accept", content: isServers ? { which: "blue" } : { answer } };
        }),
    });
    await served.untilTools(({ length }) => length > 0);
    const { client } = served;
    expect(textOf(await client.callTool({ name: "mcp_one_ask" }))).toBe("answered accept blue");
    expect(textOf(await client.callTool({ name: "mcp_one_set_a", arguments: { text: "x" } }))).toBe("set_a x 1");
    answer = "no";
    expect(textOf(await client.callTool({ name: "mcp_one_set_a" }))).toContain("[error approval_denied, policy]");
    expect(questions).toEqual([
      "[one] Which one?",
      expect.stringMatching(
        /^A call waits for you: .*\nserver: one\ntool: set_a\neffect: external\narguments:\n {2}"text": "x"$/,
      ),
      expect.stringContaining("tool: set_a"),
    ]);
    answer = "always";
    await client.callTool({ name: "mcp_one_set_a" });
    // A client that cannot be asked is said what its user may do, and what they allowed once counts
    // there, too.
    await using other = await startServed(work, args("--require-approval"));
    await other.untilTools(({ length }) => length > 0);
    expect(textOf(await other.client.callTool({ name: "mcp_one_set_a" }))).toBe("set_a  1");
    const refused = textOf(await other.client.callTool({ name: "mcp_one_ask" }));
    expect(refused).toContain("[error approval_required, policy]");
    expect(refused).toContain("nobody can be asked: this client cannot ask its user. They may approve");
    expect(refused).toContain("hostside call one/ask");
  });
});
