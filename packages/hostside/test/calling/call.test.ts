import { existsSync, mkdirSync, readFileSync, readdirSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { createRequire } from "node:module";
import { startHttpFixture, type RunningServer } from "@hostside/fixtures";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { fakeTerminal, runIn, type FakeTerminal, type FakeTerminalOptions } from "../fake-terminal.ts";

let server: RunningServer;
beforeAll(async () => {
  server = await startHttpFixture("modern-http");
});
afterAll(() => server.close());

interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

interface Stage {
  readonly terminal: FakeTerminal;
  /** Runs `hostside call …` with a configuration of one server, `good`. */
  readonly call: (...tokens: string[]) => Promise<Ran>;
}

function stage(options?: FakeTerminalOptions): Stage {
  const terminal = fakeTerminal(options);
  onTestFinished(() => terminal[Symbol.dispose]());
  // Its tools say that they read, which is not to count here.
  const good = { type: "http", url: server.url, trustAnnotations: false };
  const config = terminal.file("servers.json", { servers: { good } });
  return {
    terminal,
    call: (...tokens) => runIn(terminal, ["call", "--config", config, ...tokens]),
  };
}

/** Presses keys, each when the text before it is on the screen. */
async function answer(
  terminal: FakeTerminal,
  steps: readonly (readonly [shown: string, keys: string])[],
): Promise<void> {
  let from = 0;
  for (const [shown, keys] of steps) {
    await expect.poll(() => terminal.written.err.indexOf(shown, from), { interval: 5, timeout: 60_000 }).not.toBe(-1);
    from = terminal.written.err.length;
    terminal.type(keys);
  }
}

const enter = "\r";
const up = "\u001B[A";

/** A server that refuses its first calls with 429, as each of these says. */
async function startLimited(retryAfter: readonly string[]): Promise<string> {
  const left = [...retryAfter];
  const limited = createServer((request, response) => {
    void textOf(request).then((body) => {
      if (request.method !== "POST") return response.writeHead(405).end();
      const { id, method } = JSON.parse(body) as { readonly id?: number; readonly method: string };
      if (id === undefined) return response.writeHead(202).end();
      const wait = method === "tools/call" ? left.shift() : undefined;
      if (wait !== undefined) return response.writeHead(429, { "retry-after": wait }).end();
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "s", version: "1" },
        },
        "tools/list": { tools: [{ name: "say", inputSchema: { type: "object" } }] },
        "tools/call": { content: [{ type: "text", text: "hello" }] },
      };
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(JSON.stringify({ jsonrpc: "2.0", id, result: results[method] }));
    });
  });
  await once(limited.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void limited.close());
  return `http://127.0.0.1:${(limited.address() as AddressInfo).port}/mcp`;
}

describe("hostside call of a server that limits its rate", () => {
  async function callLimited(retryAfter: readonly string[]): Promise<Ran> {
    const terminal = fakeTerminal();
    onTestFinished(() => terminal[Symbol.dispose]());
    const servers = { s: { type: "http", url: await startLimited(retryAfter), era: "legacy" } };
    const config = terminal.file("servers.json", { mcpServers: servers });
    return runIn(terminal, ["call", "--config", config, "s/say", "--yes"]);
  }

  it("says when to come back, and that it was not done, when that is long", async () => {
    const { code, err } = await callLimited(["3600"]);
    expect(code).toBe(3);
    expect(err).toContain("hint: it may be tried again in 3600 s");
  });
});

describe("hostside call", () => {
  it("calls a tool by any of its names, with texts as they were typed", async () => {
    const { call } = stage();
    expect(await call("good/echo", "--text", "000123", "--yes")).toEqual({ code: 0, out: "000123\n", err: "" });
    expect(await call("MCP_good_add", "--a=1", "--args", '{"a": 5, "b": 2}', "-y")).toMatchObject({ out: "3\n" });
  });

  it.each([
    ["--args", '{"a":1915883588174806058,"b":2}', 'at "/a" the number 1915883588174806058'],
    ["--args", '{"a":1000000000000000000000000000001,"b":2}', 'at "/a" the number 1000000000000000000000000000001'],
    ["--a=0.12345678901234567891", "--b=2", "--a must be a number of at most 15 digits"],
  ])("refuses arguments that lose digits: %s %s", async (first, second, said) => {
    const { call } = stage();
    const { code, out, err } = await call("add", first, second, "--yes");
    expect({ code, out, err }).toEqual({ code: 2, out: "", err: expect.stringContaining(said) as string });
  });

  it("prints one document with --json, before or after the tool, and leaves the tool's own --json to --", async () => {
    const { call } = stage();
    const { code, out, err } = await call("describe-number", "--value", "7", "--yes", "--json");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(out)).toMatchObject({
      tool: { name: "mcp_good_describe_number", server: "good", tool: "describe-number" },
      ms: expect.any(Number),
      isError: false,
      outcome: { structured_content: { value: 7, even: false, square: 49 } },
      files: [],
    });
    const own = await call("echo", "--yes", "--", "--json", "x");
    expect(own).toMatchObject({ code: 2, out: "", err: expect.stringContaining("no parameter --json") });
  });

  it("reads JSON from stdin", async () => {
    const { call } = stage({ input: '{"text": "from stdin"}' });
    expect(await call("echo", "--args", "-", "--yes")).toMatchObject({ code: 0, out: "from stdin\n" });
  });

  it("exits with 1 where the tool says that it failed, and shows its words", async () => {
    const { call } = stage();
    const ran = await call("fail", "--yes");
    expect(ran).toEqual({ code: 1, out: "This tool always fails.\n", err: "error: the tool says that it failed\n" });
  });

  it("sends nothing where nobody can be asked about a tool that may change things", async () => {
    const { call } = stage();
    const { code, out, err } = await call("echo", "--text", "x");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("good/echo may change things (effect: external), and nobody can be asked here");
    expect(err).toContain("--yes approves the call");
    expect(err).toContain("Nothing was sent.");
    const json = await call("echo", "--text", "x", "--json");
    expect(JSON.parse(json.out)).toMatchObject({ error: { code: "approval_required", outcome: "not-sent" } });
  });

  it("asks nobody about a tool that says that it reads, on a server that the user chose", async () => {
    using terminal = fakeTerminal();
    const callOf = async (entry: object, ...more: readonly string[]): Promise<number> => {
      const config = terminal.file("own.json", { servers: { s: { type: "http", url: server.url, ...entry } } });
      return (await runIn(terminal, ["call", "--config", config, "s/echo", "--text", "x", ...more])).code;
    };
    expect(await callOf({})).toBe(0);
    expect(await callOf({ tools: { echo: { effect: "external" } } })).toBe(2);
    expect(await callOf({ tools: { echo: { requireApproval: true } } })).toBe(2);
    expect(await callOf({ trustAnnotations: false })).toBe(2);

    const project = fakeTerminal({ canAsk: true });
    onTestFinished(() => project[Symbol.dispose]());
    mkdirSync(join(project.cwd, ".git"));
    project.file(".mcp.json", { mcpServers: { theirs: { type: "http", url: server.url } } });
    const deciding = runIn(project, ["trust", "theirs"]);
    await answer(project, [["Start it?", `${up}${up}${enter}`]]);
    expect(await deciding).toMatchObject({ code: 0 });
    const calling = runIn(project, ["call", "theirs/echo", "--text", "x"]);
    await answer(project, [["Call it?", enter]]);
    expect(await calling).toMatchObject({ code: 2, out: "" });
  });

  it("asks at a terminal, once, whether the call may be made", async () => {
    const { call, terminal } = stage({ canAsk: true });
    const calling = call("good/add", "--a", "40", "--b", "2");
    await answer(terminal, [["Call it?", `${up}${up}${enter}`]]);
    expect(await calling).toMatchObject({ code: 0, out: "42\n" });
    expect(terminal.written.err).toContain("it may change things");
    expect(terminal.written.err.match(/A call waits for you/g)).toHaveLength(1);
  });

  it("sends nothing when the answer is no", async () => {
    const { call, terminal } = stage({ canAsk: true });
    const calling = call("good/echo", "--text", "x");
    await answer(terminal, [["Call it?", enter]]);
    expect(await calling).toMatchObject({ code: 2, out: "", err: expect.stringContaining("was not approved") });
  });

  it("says what is wrong with the arguments before anything is sent, and how the tool is called", async () => {
    const { call } = stage();
    expect(await call("add", "--a", "1", "--yes")).toMatchObject({
      code: 2,
      err: "error: missing: --b\nhint: mcp_good_add(a: number, b: number); for example: hostside call good/add --a 1.5 --b 1.5\n",
    });
    const { code, err } = await call("slow", "--steps", "0", "--yes");
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("/steps: must be at least 1") as string });
    expect(await call("nothing", "--yes")).toMatchObject({
      code: 2,
      err: expect.stringContaining('tool "nothing" not found'),
    });
  });

  it("shows what would be sent with --dry-run, and the arguments of the tool with --help", async () => {
    const { call } = stage();
    const dry = await call("add", "--a", "1", "--b", "2", "--dry-run");
    expect(dry).toMatchObject({ code: 0, out: '{\n  "a": 1,\n  "b": 2\n}\n' });
    expect(dry.err).toContain("Would call good/add (effect: external)");
    const { out, code } = await call("add", "--help");
    expect(code).toBe(0);
    expect(out).toContain("--a <number>  (required)");
    expect(out).toContain("hostside call good/add --a 1.5 --b 1.5");
    expect(await call("--help")).toMatchObject({ code: 0, out: expect.stringContaining("Usage: hostside call TOOL") });
  });

  it("shows progress on stderr of a terminal, and takes it away", async () => {
    const { call } = stage({ canAsk: true });
    const { code, out, err } = await call("slow", "--steps", "2", "--stepMs", "1", "--yes");
    expect({ code, out }).toEqual({ code: 0, out: "2 steps done\n" });
    expect(err).toMatch(/\d+ % {2}step \d of 2/);
  });

  it("cancels on Ctrl-C, exits with 3, and says that the tool may have run", async () => {
    const { call, terminal } = stage({ canAsk: true });
    const calling = call("slow", "--steps", "1000", "--stepMs", "20", "--yes");
    await expect.poll(() => terminal.written.err, { interval: 5 }).toContain("step 1 of 1000");
    terminal.interrupt();
    expect(await calling).toMatchObject({ code: 3, out: "", err: expect.stringContaining("may have run") });
  });

  it("says on Ctrl-C before there is a call no more than that it was interrupted", async () => {
    using terminal = fakeTerminal();
    const config = terminal.file("servers.json", { mcpServers: { never: { command: "true" } } });
    terminal.interrupt();
    const { code, err } = await runIn(terminal, ["call", "echo", "--text", "a", "--yes", "--config", config]);
    expect({ code, err }).toEqual({ code: 3, err: "error: interrupted [aborted]\n" });
  });

  it("gives up after --call-timeout, and exits with 1, because it was sent", async () => {
    const { call } = stage();
    const { code, err } = await call("slow", "--steps", "1", "--stepMs", "5000", "--call-timeout", "2", "--yes");
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining("It was sent, and may have run.") });
    expect(err).toContain("--call-timeout SECONDS gives it longer");
  });

  it("exits with 4 where the server of the tool cannot be reached", async () => {
    const { terminal } = stage();
    const config = terminal.file("gone.json", {
      mcpServers: { gone: { type: "http", url: "http://127.0.0.1:9/mcp" } },
    });
    for (const tool of ["gone/echo", "mcp_gone_echo"]) {
      expect(await runIn(terminal, ["call", "--config", config, tool, "--yes"])).toMatchObject({ code: 4, out: "" });
    }
  });

  it("starts no other server than the one that a name says, and all of them where it says none", async () => {
    const { terminal, call } = stage();
    await call("good/echo", "--text", "x", "--yes");
    const mark = join(terminal.cwd, "started");
    const code = "require('node:fs').writeFileSync(process.argv[1], '')";
    const other = { command: process.execPath, args: ["-e", code, mark] };
    const good = { type: "http", url: server.url };
    const config = terminal.file("two.json", { mcpServers: { good, other } });
    for (const tool of ["good/echo", "mcp_good_echo"]) {
      const ran = await runIn(terminal, ["call", "--config", config, tool, "--text", "x", "--yes"]);
      expect(ran).toEqual({ code: 0, out: "x\n", err: "" });
    }
    expect(existsSync(mark)).toBe(false);
    await using library = await startHttpFixture("library-http");
    const moved = terminal.file("moved.json", {
      mcpServers: { good: { type: "http", url: library.url }, fresh: { type: "http", url: server.url } },
    });
    const ran = await runIn(terminal, ["call", "--config", moved, "echo", "--text", "x", "--yes", "--json"]);
    expect(JSON.parse(ran.out)).toMatchObject({ tool: { server: "fresh", tool: "echo" } });
  });

  it("saves pictures under names of its own, over no file", async () => {
    const { terminal } = stage();
    const main = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");
    const config = terminal.file("all.json", { mcpServers: { all: { command: process.execPath, args: [main] } } });
    terminal.file("hostside-output/mcp_all_get_tiny_image-1.png", "mine");
    const { code, err } = await runIn(terminal, ["call", "--config", config, "all/get-tiny-image", "--yes"]);
    const folder = join(terminal.cwd, "hostside-output");
    expect({ code, err }).toEqual({ code: 0, err: `saved ${join(folder, "mcp_all_get_tiny_image-2.png")}\n` });
    expect(readdirSync(folder)).toHaveLength(2);
    expect(readFileSync(join(folder, "mcp_all_get_tiny_image-1.png"), "utf8")).toBe("mine");
    expect(readFileSync(join(folder, "mcp_all_get_tiny_image-2.png")).subarray(1, 4).toString()).toBe("PNG");
  });
});
