import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fakeTerminal, runIn, type FakeTerminalOptions } from "../fake-terminal.ts";
import { smallEntry } from "./small-server.ts";

const servers = { one: smallEntry("get_a") };

async function run(
  config: object,
  args: readonly string[],
  options: FakeTerminalOptions = {},
): ReturnType<typeof runIn> {
  using terminal = fakeTerminal(options);
  terminal.file("hostside.json", { servers, ...config });
  return await runIn(terminal, ["--config", "hostside.json", "serve", ...args]);
}

describe("hostside serve", () => {
  it.each([
    ["nobody has said what is offered", {}, [], /nothing is offered.*\n.*--expose search offers .* behind five tools/],
    ["an empty list", { serve: { tools: [] } }, ["--expose", "all"], /nothing is offered/],
    [
      "a list that cannot be read",
      { serve: { tool: ["one"] } },
      ["--expose", "all"],
      /nothing is offered: .*hostside\.json:\d+:\d+: serve\.tool: serve has no "tool".*; write tools/,
    ],
    [
      "a word that there is not",
      { serve: { expose: "al" } },
      [],
      /nothing is offered: .*hostside\.json:\d+:\d+: serve\.expose: must be "all", "groups" or "search", and is "al"/,
    ],
    ["a member misspelt", { serve: { expose: "all", readonly: true } }, [], /serve\.readonly: .*; write readOnly/],
    ["a server that there is not", { serve: { tools: ["one", "tow/x"] } }, [], /"tow\/x", and there is no such server/],
    [
      "a server misspelt",
      { serve: { tools: ["on-e/x"] } },
      [],
      /"on-e\/x", and there is no such server\n.*Did you mean "one"\?/,
    ],
    ["an address that others reach", {}, ["--http", "0.0.0.0:0"], /other machines.*\n.*--any-address/],
    ["no address at all", {}, ["--http", "here"], /"here" is no address/],
    ["a proxy that is no URL", {}, ["--http", "--public-url", "here"], /--public-url is a URL/],
    ["what is for HTTP, over stdio", {}, ["--token-file", "x"], /--token-file is for HTTP/],
    ["a lock that is not there", {}, ["--expose", "all", "--lock", "gone.json"], /gone\.json is not there/],
    ["a way of showing that there is not", {}, ["--expose", "some"], /--expose/],
    ["a host that is not known", {}, ["--print-config", "emacs"], /--print-config/],
  ])("does not start with %s, and says so", async (...[, config, args, wrong]) => {
    const { code, out, err } = await run(config, args);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toMatch(wrong);
  });

  it("does not start with a broken hostside.json of the user's own, whatever a project says, and says so", async () => {
    using terminal = fakeTerminal();
    terminal.file("../home/.config/hostside/hostside.json", '{ "serve": { "readOnly": true }, "settings": {');
    terminal.file("hostside.json", { servers, serve: { expose: "all" } });
    const { code, err } = await runIn(terminal, ["serve", "--expose", "all"]);
    expect(code).toBe(2);
    expect(err).toMatch(/nothing is offered: .*\.config\/hostside\/hostside\.json:1:\d+: .*\n.*mend that file/);
    const list = await runIn(terminal, ["list"]);
    expect(list.err).toMatch(
      /hostside\.json:1:\d+: the servers of .*work\/hostside\.json are left out, .*; mend this file/,
    );
    expect(list.out).not.toMatch(/one/);
  });

  it("does not start where it was started by what it has started", async () => {
    const { code, err } = await run({}, ["--expose", "all"], { env: { HOSTSIDE_SERVED: "1" } });
    expect([code, err]).toEqual([2, expect.stringMatching(/start itself without end/)]);
  });

  it("prints the entry of a host for the same command line, with whole paths, and where it belongs", async () => {
    using terminal = fakeTerminal();
    terminal.file("a.json", { servers });
    const args = ["--config", "a.json", "serve", "--read-only", "--lock", "l.json", "--print-config", "cursor"];
    const { code, out, err } = await runIn(terminal, args);
    const { cwd, home } = terminal;
    const own = ["serve", "--expose", "search", "--read-only", "--lock", `${cwd}/l.json`, "--config", `${cwd}/a.json`];
    expect([code, JSON.parse(out)]).toEqual([
      0,
      { mcpServers: { hostside: { command: "npx", args: ["-y", "hostside", ...own] } } },
    ]);
    expect(err).toBe(`For Cursor, this is all of ${home}/.cursor/mcp.json\n`);
  });

  it("prints no entry for a file that is not there", async () => {
    using terminal = fakeTerminal();
    const { code, out, err } = await runIn(terminal, ["--config", "missing.json", "serve", "--print-config", "cursor"]);
    expect({ code, out, err }).toEqual({
      code: 2,
      out: "",
      err: expect.stringMatching(/missing\.json.* is not there/),
    });
  });

  it("says which servers a host would not find where it starts it", async () => {
    using terminal = fakeTerminal();
    terminal.file("hostside.json", { servers });
    const { err } = await runIn(terminal, ["serve", "--print-config", "cursor"]);
    expect(err).toContain(`only where the host starts it in that folder, here ${terminal.cwd}: one`);
    const named = await runIn(terminal, ["--config", "hostside.json", "serve", "--print-config", "cursor"]);
    expect(named.err).not.toContain("only where");
  });

  it("leaves to the user's own file what is offered, where that says so", async () => {
    using terminal = fakeTerminal();
    terminal.file("a.json", { servers, serve: { tools: ["one"] } });
    const { out } = await runIn(terminal, ["--config", "a.json", "serve", "--print-config", "gemini"]);
    expect(JSON.parse(out).mcpServers.hostside.args).toEqual([
      "-y",
      "hostside",
      "serve",
      "--config",
      `${terminal.cwd}/a.json`,
    ]);
  });

  it("prints the entry that reaches it over HTTP, never with the token, which is printed by itself", async () => {
    using terminal = fakeTerminal();
    const http = ["serve", "--http", "7171", "--token-file", "token"];
    const tokenOf = async () => (await runIn(terminal, [...http, "--print-token"])).out.trim();
    const token = await tokenOf();
    const file = `${terminal.cwd}/token`;
    expect([readFileSync(file, "utf8").trim(), statSync(file).mode & 0o777]).toEqual([token, 0o600]);
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(await tokenOf()).toBe(token);
    const { out } = await runIn(terminal, ["--json", ...http, "--print-config", "claude-code"]);
    const { text, notes } = JSON.parse(out);
    expect(JSON.parse(text).mcpServers.hostside.url).toBe("http://127.0.0.1:7171/mcp");
    expect(notes.join()).toContain(file);
    expect(out).not.toContain(token);
  });

  it("makes a token without the user's state folder, and the same one for several at once", async () => {
    using terminal = fakeTerminal();
    // Nothing can be written below it.
    writeFileSync(`${terminal.home}/.local`, "");
    const made = await Promise.all(
      Array.from({ length: 4 }, () =>
        runIn(terminal, ["serve", "--http", "--token-file", "keys/token", "--print-token"]),
      ),
    );
    const token = readFileSync(`${terminal.cwd}/keys/token`, "utf8");
    expect(token).toMatch(/^[\w-]{43}\n$/);
    expect(made.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
    expect(terminal.written.out).toBe(token.repeat(4));
    expect(readdirSync(`${terminal.cwd}/keys`)).toEqual(["token"]);
  });

  it("says that a token cannot be written", async () => {
    using terminal = fakeTerminal();
    terminal.file("keys", "");
    const words = ["serve", "--http", "--token-file", "keys/token", "--print-token"];
    expect(await runIn(terminal, words)).toMatchObject({ code: 2, err: expect.stringContaining("cannot write") });
  });

  it("takes no token that others can read, or that is none", async () => {
    using terminal = fakeTerminal();
    const refused = () => runIn(terminal, ["serve", "--http", "--token-file", "token", "--print-token"]);
    writeFileSync(`${terminal.cwd}/token`, "a".repeat(20), { mode: 0o644 });
    expect(await refused()).toEqual({ code: 2, out: "", err: expect.stringContaining("chmod 600") });
    terminal.file("token", "short");
    chmodSync(`${terminal.cwd}/token`, 0o600);
    expect(await refused()).toEqual({ code: 2, out: "", err: expect.stringContaining("holds no token") });
  });

  it("takes a token that its group can read from root alone, as secrets of containers are mounted", async () => {
    using terminal = fakeTerminal();
    writeFileSync(`${terminal.cwd}/token`, "a".repeat(20));
    chmodSync(`${terminal.cwd}/token`, 0o440);
    const { code } = await runIn(terminal, ["serve", "--http", "--token-file", "token", "--print-token"]);
    expect(code).toBe(process.getuid?.() === 0 ? 0 : 2);
  });
});
