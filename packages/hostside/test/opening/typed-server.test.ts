import { fixtureServer, startHttpFixture, type RunningServer } from "@hostside/fixtures";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { takeTypedServer } from "../../src/cli/opening/typed-server.ts";
import { createProgram } from "../../src/cli/commands/create-program.ts";
import { fakeTerminal, runIn } from "../fake-terminal.ts";

let server: RunningServer;
beforeAll(async () => {
  server = await startHttpFixture("modern-http");
});
afterAll(() => server.close());

const { command, args } = fixtureServer("modern-stdio");
const program = [command, ...(args ?? [])];

describe("a server that is typed in place of a configured one", () => {
  it("is listed and called by its URL, beside no other", async () => {
    using terminal = fakeTerminal();
    terminal.file("mcp.json", { mcpServers: { other: { command: "must-not-start" } } });
    const { host } = new URL(server.url);
    const listed = await runIn(terminal, ["list", "--json", server.url]);
    expect(listed.code).toBe(0);
    expect(JSON.parse(listed.out)).toMatchObject({ servers: [{ id: host, state: "ready", scope: "command-line" }] });
    expect(await runIn(terminal, ["call", server.url, "echo", "--text", "x"])).toMatchObject({ code: 0, out: "x\n" });
    const help = await runIn(terminal, ["call", server.url, "add", "--help"]);
    expect(help.out).toContain(`  hostside call ${server.url} add --a 1.5 --b 1.5\n`);
  });

  it("is started by its command line behind --, which another -- ends", async () => {
    using terminal = fakeTerminal();
    expect(await runIn(terminal, ["list", "--no-tools", "--", ...program])).toMatchObject({ code: 0 });
    expect(terminal.written.out).toMatch(/^✓ {2}node +ready/m);
    const called = await runIn(terminal, ["call", "--json", "--", ...program, "--", "echo", "--text", "x"]);
    expect(JSON.parse(called.out)).toMatchObject({ tool: { server: "node", tool: "echo" }, isError: false });
    expect(await runIn(terminal, ["search", "--", ...program, "--", "add"])).toMatchObject({ code: 0 });
    expect(terminal.written.out).toContain("mcp_node_add");
  });

  it("is named in commands that mend it as it was typed", async () => {
    using terminal = fakeTerminal();
    const dead = await runIn(terminal, ["list", "--", process.execPath, "-e", "process.exit(3)"]);
    expect(dead).toMatchObject({ code: 4 });
    expect(dead.out).toContain(`hostside doctor -- ${process.execPath} -e 'process.exit(3)'\n`);
    const called = await runIn(terminal, ["call", "http://127.0.0.1:1/mcp", "echo"]);
    expect(called).toMatchObject({ code: 4 });
    expect(called.err).toContain("hostside doctor http://127.0.0.1:1/mcp looks into it");
  });

  it("is a usage error where it makes no sense", async () => {
    using terminal = fakeTerminal();
    expect(await runIn(terminal, ["list", "http://"])).toMatchObject({ code: 2 });
    expect(await runIn(terminal, ["list", "--", "npx some-server"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("the command and its arguments are one word"),
    });
  });
});

describe("takeTypedServer()", () => {
  using terminal = fakeTerminal();
  const commands = createProgram(terminal, async () => undefined);
  it.for([
    { argv: ["list", "files"], line: ["list", "files"] },
    {
      argv: ["--config", "list", "list", "https://x.test/mcp"],
      line: ["--config", "list", "list", "x.test"],
      id: "x.test",
    },
    { argv: ["doctor", "--", "npx", "-y", "@a/server-b@1.2"], line: ["doctor", "server-b"], id: "server-b" },
    {
      argv: ["serve", "--expose", "all", "--", "./bin/run.js", "--", "x"],
      line: ["serve", "--expose", "all"],
      id: "run",
    },
    {
      argv: ["call", "-y", "--", "uvx", "b", "--", "t", "--", "--json"],
      line: ["call", "-y", "t", "--", "--json"],
      id: "b",
    },
    // A word behind -- that a script put there is no program.
    { argv: ["search", "--", "rm -rf ."], line: ["search", "--", "rm -rf ."] },
    { argv: ["call", "export", "--", "--json"], line: ["call", "export", "--", "--json"] },
    { argv: ["add", "x", "https://x.test/mcp"], line: ["add", "x", "https://x.test/mcp"] },
    { argv: ["record", "f", "--", "node"], line: ["record", "f", "--", "node"] },
  ])("takes it out of $argv", ({ argv, line, id }) => {
    const taken = takeTypedServer(argv, commands);
    expect([taken.line, taken.server?.id]).toEqual([line, id]);
  });
});
