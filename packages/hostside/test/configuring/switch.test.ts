import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTrust } from "@hostside/config";
import { loadConfig } from "@hostside/config/node";
import { describe, expect, it } from "vitest";
import { userState } from "../../src/state/user-state.ts";
import { fakeTerminal, runIn, type FakeTerminal } from "../fake-terminal.ts";
import { homeFile, mcpServers, ownFile, readOwn } from "./user-files.ts";

const own = `{
  // mine
  "servers": {
    "a": { "command": "a", "env": { "TOKEN": "secretsecret" } }, // of a
    "b": { "command": "b" },
  },
}
`;

describe("hostside disable and enable", () => {
  it("switch an entry of hostside.json, and leave the text as it was", async () => {
    using terminal = fakeTerminal();
    const file = homeFile(terminal, ".config/hostside/hostside.json", own);
    expect(await runIn(terminal, ["disable", "a", "b"])).toMatchObject({ code: 0 });
    expect(await statesOf(terminal)).toEqual({ a: "disabled", b: "disabled" });
    expect(readFileSync(file, "utf8")).toContain("// of a");
    expect(await runIn(terminal, ["enable", "b", "a", "--json"])).toMatchObject({ code: 0 });
    expect(readFileSync(file, "utf8")).toBe(own);
  });

  it("switch a server of another tool by a list of names, and leave its file and the other servers as they are", async () => {
    using terminal = fakeTerminal();
    const cursor = homeFile(terminal, ".cursor/mcp.json", mcpServers({ a: "a", b: "b" }));
    const before = readFileSync(cursor, "utf8");
    const { code, err } = await runIn(terminal, ["disable", "a"]);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining(`${cursor}:3 is left as it is`) });
    expect(readOwn(terminal)).toEqual({ imports: ["auto"], settings: { denyServers: ["a"] } });
    expect(await statesOf(terminal)).toEqual({ a: "not allowed", b: "on" });
    expect(await runIn(terminal, ["enable", "a"])).toMatchObject({ code: 0 });
    expect(await statesOf(terminal)).toEqual({ a: "on", b: "on" });
    expect(readFileSync(cursor, "utf8")).toBe(before);
  });

  it("switch off for a project alone", async () => {
    using terminal = fakeTerminal();
    homeFile(terminal, ".cursor/mcp.json", mcpServers({ a: "a" }));
    expect(await runIn(terminal, ["disable", "a", "--project"])).toMatchObject({ code: 0 });
    expect(await statesOf(terminal)).toEqual({ a: "not allowed" });
    expect(await statesOf(terminal, terminal.home)).toEqual({ a: "on" });
  });

  it("take no other settings of a project for the user's", async () => {
    using terminal = fakeTerminal();
    homeFile(terminal, ".cursor/mcp.json", mcpServers({ a: "a", b: "b" }));
    terminal.file("hostside.json", { settings: { denyServers: ["b"] } });
    expect(await runIn(terminal, ["disable", "a", "--project"])).toMatchObject({ code: 0 });
    expect(await statesOf(terminal)).toEqual({ a: "on", b: "on" });
  });

  it("say what is as it was to be already", async () => {
    using terminal = fakeTerminal();
    homeFile(terminal, ".config/hostside/hostside.json", own);
    const { out } = await runIn(terminal, ["enable", "a", "--json"]);
    expect(JSON.parse(out)).toMatchObject({ changes: [{ file: ownFile(terminal), name: "a", change: "unchanged" }] });
    expect(readFileSync(ownFile(terminal), "utf8")).toBe(own);
  });

  it("change nothing where one of several names is wrong, and list near ones", async () => {
    using terminal = fakeTerminal();
    homeFile(terminal, ".config/hostside/hostside.json", { servers: { github: stdio, files: stdio } });
    const { code, err } = await runIn(terminal, ["disable", "files", "githb"]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('Did you mean "github"?') });
    expect(await statesOf(terminal)).toEqual({ files: "on", github: "on" });
  });

  it("take a name in another case, where it can be one server alone", async () => {
    using terminal = fakeTerminal();
    homeFile(terminal, ".config/hostside/hostside.json", { servers: { GitHub: stdio } });
    expect(await runIn(terminal, ["disable", "github"])).toMatchObject({ code: 0 });
    expect(await statesOf(terminal)).toEqual({ GitHub: "disabled" });
  });

  it("say where a server of another tool is off", async () => {
    using terminal = fakeTerminal();
    homeFile(terminal, ".cline/mcp.json", { mcpServers: { a: { command: "a", disabled: true } } });
    const { code, err } = await runIn(terminal, ["enable", "a"]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(/a is off in .*\.cline\/mcp\.json:3/) });
  });

  it("change no file where one of them is broken", async () => {
    using terminal = fakeTerminal();
    const text = JSON.stringify({ servers: { a: stdio }, settings: { denyServers: ["a"] } });
    homeFile(terminal, ".config/hostside/hostside.json", text);
    terminal.file("hostside.json", "{");
    const { code, err } = await runIn(terminal, ["enable", "a"]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("nothing was changed") });
    expect(readFileSync(ownFile(terminal), "utf8")).toBe(text);
  });

  it("say that a server of a project that is on still has to be trusted", async () => {
    using terminal = fakeTerminal();
    terminal.file("hostside.json", { servers: { a: { ...stdio, disabled: true } } });
    const { code, err } = await runIn(terminal, ["enable", "a"]);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("hostside trust a") });
  });

  it("send who wants a server of a project to trust", async () => {
    using terminal = fakeTerminal();
    terminal.file(".mcp.json", mcpServers({ a: "a" }));
    const { code, err } = await runIn(terminal, ["enable", "a"]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining("hostside trust a") });
  });
});

describe("hostside remove", () => {
  it("takes a server out, and keeps every other line", async () => {
    using terminal = fakeTerminal();
    const file = homeFile(terminal, ".config/hostside/hostside.json", own);
    const { code, out } = await runIn(terminal, ["remove", "b", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ changes: [{ file, name: "b", change: "removed" }] });
    expect(readFileSync(file, "utf8")).toBe(own.replace(/ *"b".*\n/, ""));
  });

  it("takes an entry out that cannot be used", async () => {
    using terminal = fakeTerminal();
    homeFile(terminal, ".config/hostside/hostside.json", { servers: { bad: { command: "x" } } });
    expect(await runIn(terminal, ["remove", "bad"])).toMatchObject({ code: 0 });
    expect(readOwn(terminal)).toEqual({ servers: {} });
  });

  it("takes out nothing whose name is written in another case", async () => {
    using terminal = fakeTerminal();
    homeFile(terminal, ".config/hostside/hostside.json", { servers: { GitHub: stdio } });
    expect(await runIn(terminal, ["remove", "github"])).toMatchObject({
      code: 2,
      err: expect.stringContaining('there is no server "github"\nhint: Did you mean "GitHub"?'),
    });
    expect(await statesOf(terminal)).toEqual({ GitHub: "on" });
  });

  it("says where one of another tool comes from, and what can be done", async () => {
    using terminal = fakeTerminal();
    const cursor = homeFile(terminal, ".cursor/mcp.json", mcpServers({ a: "a" }));
    const { code, err } = await runIn(terminal, ["remove", "a"]);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(`${cursor}:3`) });
    expect(err).toContain("hostside disable a");
  });

  it("says which one of the name is used now", async () => {
    using terminal = fakeTerminal();
    homeFile(terminal, ".config/hostside/hostside.json", { imports: ["auto"], servers: { a: stdio } });
    const cursor = homeFile(terminal, ".cursor/mcp.json", mcpServers({ a: "a" }));
    expect(await runIn(terminal, ["remove", "a"])).toMatchObject({
      code: 0,
      err: expect.stringContaining(`${cursor}:3 has a, too`),
    });
  });

  it("edits the file that --config names", async () => {
    using terminal = fakeTerminal();
    const file = terminal.file("my.json", { servers: { a: stdio } });
    expect(await runIn(terminal, ["remove", "a", "--config", file])).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(terminal.cwd, "my.json"), "utf8"))).toEqual({ servers: {} });
  });
});

const stdio = { type: "stdio", command: "x" };

async function statesOf({ home, env, platform, cwd }: FakeTerminal, folder: string = cwd): Promise<object> {
  const trust = createTrust({ store: userState({ home, env, platform }).store });
  const { sources } = await loadConfig({ home, env, platform, cwd: folder, trust });
  return Object.fromEntries(sources.map(({ serverId, state, off }) => [serverId, off ?? state]));
}
