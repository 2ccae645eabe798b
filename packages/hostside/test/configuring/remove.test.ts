import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createTrust } from "@hostside/config";
import { loadConfig } from "@hostside/config/node";
import { describe, expect, it } from "vitest";
import { userState } from "../../src/state/user-state.ts";
import { fakeTerminal, runIn, type FakeTerminal } from "../fake-terminal.ts";
import { homeFile, mcpServers, readOwn } from "./user-files.ts";

const own = `{
  // mine
  "servers": {
    "a": { "command": "a", "env": { "TOKEN": "secretsecret" } }, // of a
    "b": { "command": "b" },
  },
}
`;

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
    expect(err).toContain("denyServers");
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
