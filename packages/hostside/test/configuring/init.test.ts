import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "@hostside/config/node";
import { describe, expect, it } from "vitest";
import { fakeTerminal, runIn, type FakeTerminal } from "../fake-terminal.ts";
import { homeFile, mcpServers, ownFile, readOwn } from "./user-files.ts";

describe("hostside init", () => {
  it("names the files that there are, and writes one that has everything used as before", async () => {
    using terminal = fakeTerminal();
    const cursor = homeFile(terminal, ".cursor/mcp.json", mcpServers({ a: "cursor", b: "b" }));
    homeFile(terminal, ".claude.json", mcpServers({ a: "claude" }));
    terminal.file(".vscode/mcp.json", { servers: { c: { type: "stdio", command: "c" } } });
    const before = [await sourcesOf(terminal), readFileSync(cursor, "utf8")];
    const { code, out } = await runIn(terminal, ["init"]);
    expect(code).toBe(0);
    expect(out).toContain("Cursor  ~/.cursor/mcp.json\n");
    expect(out).toContain("hostside doctor");
    expect(readOwn(terminal)).toEqual({ imports: ["auto"] });
    expect([await sourcesOf(terminal), readFileSync(cursor, "utf8")]).toEqual(before);
    homeFile(terminal, ".gemini/settings.json", mcpServers({ later: "x" }));
    expect((await sourcesOf(terminal)).map(({ serverId }) => serverId)).toContain("later");
  });

  it("is one document with --json", async () => {
    using terminal = fakeTerminal();
    const file = homeFile(terminal, ".cursor/mcp.json", mcpServers({ a: "a" }));
    const { code, out } = await runIn(terminal, ["init", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      file: ownFile(terminal),
      change: "created",
      imports: ["auto"],
      found: [{ tool: "Cursor", dialect: "cursor", file }],
    });
  });

  it("leaves a file that is there as it is", async () => {
    using terminal = fakeTerminal();
    const text = `{\n  // mine\n  "imports": ["codex"] // first\n}\n`;
    homeFile(terminal, ".config/hostside/hostside.json", text);
    expect(await runIn(terminal, ["init"])).toMatchObject({ code: 0, out: expect.stringContaining("already") });
    expect(readFileSync(ownFile(terminal), "utf8")).toBe(text);
  });

  it("says with --json what it wrote, and of a file that is there no imports", async () => {
    using terminal = fakeTerminal();
    homeFile(terminal, ".config/hostside/hostside.json", "{}");
    const { code, out } = await runIn(terminal, ["init", "--json"]);
    expect([code, JSON.parse(out)]).toEqual([0, { file: ownFile(terminal), change: "unchanged", found: [] }]);
  });

  it.each(["", " \n", "\uFEFF"])("writes to a file that is blank: %j", async (blank) => {
    using terminal = fakeTerminal();
    homeFile(terminal, ".config/hostside/hostside.json", blank);
    const { code, out } = await runIn(terminal, ["init", "--json"]);
    expect([code, JSON.parse(out)]).toMatchObject([0, { change: "created", imports: ["auto"] }]);
    expect(JSON.parse(readFileSync(ownFile(terminal), "utf8").replace("\uFEFF", ""))).toEqual({ imports: ["auto"] });
  });

  it("imports no file of a project where no tool says that it has it", async () => {
    using terminal = fakeTerminal();
    terminal.file(".mcp.json", mcpServers({ b: "b" }));
    terminal.file(".junie/mcp/mcp.json", mcpServers({ c: "c" }));
    const { code, out } = await runIn(terminal, ["init", "--project"]);
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(join(terminal.cwd, "hostside.json"), "utf8"))).toEqual({ imports: ["./.mcp.json"] });
    expect(out).toMatch(/^Junie .*\.junie\/mcp\/mcp\.json$/m);
    expect(out).toMatch(/^Claude Code .*\.mcp\.json$/m);
  });

  it("imports a project's own files by their paths", async () => {
    using terminal = fakeTerminal();
    homeFile(terminal, ".cursor/mcp.json", mcpServers({ a: "a" }));
    terminal.file(".mcp.json", mcpServers({ b: "b" }));
    terminal.file(".cursor/mcp.json", mcpServers({ c: "c" }));
    expect(await runIn(terminal, ["init", "--project"])).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(terminal.cwd, "hostside.json"), "utf8"))).toEqual({
      imports: ["./.mcp.json", "./.cursor/mcp.json"],
    });
    expect(existsSync(ownFile(terminal))).toBe(false);
  });
});

async function sourcesOf({ home, env, platform, cwd }: FakeTerminal) {
  const { sources } = await loadConfig({ home, env, platform, cwd });
  return sources.map(({ serverId, file, scope, off }) => ({ serverId, file, scope, off }));
}
