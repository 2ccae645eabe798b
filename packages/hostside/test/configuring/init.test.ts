import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "@hostside/config/node";
import { describe, expect, it } from "vitest";
import { fakeTerminal, runIn, type FakeTerminal } from "../fake-terminal.ts";
import { homeFile, mcpServers, ownFile, readOwn } from "./user-files.ts";

describe("hostside init", () => {
  it("shows what there is without a secret, and writes one file that imports it", async () => {
    using terminal = fakeTerminal();
    const cursor = homeFile(terminal, ".cursor/mcp.json", {
      mcpServers: {
        a: { command: "npx", args: ["x", "--token", "secretsecret"] },
        b: { url: "https://b.example.com/?key=secretsecret" },
      },
    });
    homeFile(terminal, ".claude.json", { ...mcpServers({ c: "c" }), other: 1 });
    homeFile(terminal, ".gemini/settings.json", {});
    homeFile(terminal, ".lmstudio/mcp.json", mcpServers({ unsure: "x" }));
    const before = readFileSync(cursor, "utf8");
    const { code, out } = await runIn(terminal, ["init", "--yes"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /Cursor {2}~\/\.cursor\/mcp\.json\n {2}a {2}npx x --token \[redacted\]\n {2}b {2}https:\/\/b\.example\.com/,
    );
    expect(out).toContain("hostside doctor");
    expect(out).not.toContain("secretsecret");
    // LM Studio's file is in the dialect of Cursor's, and nobody is sure of its place.
    const imports = ["claude-code", { from: "~/.cursor/mcp.json", dialect: "cursor" }];
    expect(readOwn(terminal)).toEqual({ imports });
    expect((await sourcesOf(terminal)).map(({ serverId }) => serverId)).toEqual(["a", "b", "c"]);
    expect(readFileSync(cursor, "utf8")).toBe(before);
  });

  it("has everything used as before where nothing is left out, and what is set up later, too", async () => {
    using terminal = fakeTerminal();
    homeFile(terminal, ".cursor/mcp.json", mcpServers({ a: "cursor", b: "b" }));
    homeFile(terminal, ".claude.json", mcpServers({ a: "claude" }));
    terminal.file(".vscode/mcp.json", { servers: { c: { type: "stdio", command: "c" } } });
    const before = await sourcesOf(terminal);
    expect(await runIn(terminal, ["init", "--yes"])).toMatchObject({ code: 0 });
    expect(await sourcesOf(terminal)).toEqual(before);
    homeFile(terminal, ".gemini/settings.json", mcpServers({ later: "x" }));
    expect((await sourcesOf(terminal)).map(({ serverId }) => serverId)).toContain("later");
  });

  it("writes nothing where nobody can be asked, and says what to do", async () => {
    // A pipeline may have a terminal, and nobody sits at it.
    using terminal = fakeTerminal({ canAsk: true, env: { CI: "true" } });
    homeFile(terminal, ".cursor/mcp.json", mcpServers({ a: "a" }));
    const { code, out, err } = await runIn(terminal, ["init"]);
    expect({ code, out, err }).toEqual({
      code: 2,
      out: expect.stringContaining("Cursor"),
      err: expect.stringContaining("--yes"),
    });
    expect(readdirSync(terminal.home)).toEqual([".cursor"]);
  });

  it("is one document with --json, and changes nothing with --dry-run", async () => {
    using terminal = fakeTerminal();
    const file = homeFile(terminal, ".cursor/mcp.json", mcpServers({ a: "a" }));
    const { code, out } = await runIn(terminal, ["init", "--dry-run", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toEqual({
      found: [
        {
          tool: "Cursor",
          dialect: "cursor",
          file,
          scope: "user",
          certain: true,
          servers: [{ name: "a", starts: "a", disabled: false }],
          errors: 0,
          warnings: 0,
        },
      ],
      file: ownFile(terminal),
      imports: ["auto"],
      change: "created",
      notes: [expect.stringContaining("later")],
      dryRun: true,
    });
    expect(readdirSync(terminal.home)).toEqual([".cursor"]);
  });

  it("adds imports that are missing to a file that is there, and nothing else", async () => {
    using terminal = fakeTerminal();
    const text = `{\n  // mine\n  "imports": ["codex"] // first\n}\n`;
    homeFile(terminal, ".config/hostside/hostside.json", text);
    homeFile(terminal, ".cursor/mcp.json", mcpServers({ a: "a" }));
    expect(await runIn(terminal, ["init", "--yes"])).toMatchObject({ code: 0 });
    const after = text.replace('["codex"]', '[\n    "codex",\n    "cursor"\n  ]');
    expect(readFileSync(ownFile(terminal), "utf8")).toBe(after);
    expect(await runIn(terminal, ["init", "--yes"])).toMatchObject({
      code: 0,
      out: expect.stringContaining("already"),
    });
    expect(readFileSync(ownFile(terminal), "utf8")).toBe(after);
  });

  it("leaves half a file as it is", async () => {
    using terminal = fakeTerminal();
    homeFile(terminal, ".config/hostside/hostside.json", `{ "imports": [`);
    homeFile(terminal, ".cursor/mcp.json", mcpServers({ a: "a" }));
    expect(await runIn(terminal, ["init", "--yes"])).toMatchObject({ code: 2, err: expect.stringContaining(":1:15") });
    expect(readFileSync(ownFile(terminal), "utf8")).toBe(`{ "imports": [`);
  });

  it("imports a project's own files by their paths", async () => {
    using terminal = fakeTerminal();
    homeFile(terminal, ".cursor/mcp.json", mcpServers({ a: "a" }));
    terminal.file(".mcp.json", mcpServers({ b: "b" }));
    terminal.file(".cursor/mcp.json", mcpServers({ c: "c" }));
    terminal.file("node_modules/@hostside/config/hostside.schema.json", "{}");
    expect(await runIn(terminal, ["init", "--yes", "--project"])).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(terminal.cwd, "hostside.json"), "utf8"))).toEqual({
      $schema: "./node_modules/@hostside/config/hostside.schema.json",
      imports: ["./.mcp.json", "./.cursor/mcp.json"],
    });
  });

  it("asks a person, with what is sure already chosen", async () => {
    using terminal = fakeTerminal({ canAsk: true });
    homeFile(terminal, ".cursor/mcp.json", mcpServers({ a: "a" }));
    homeFile(terminal, ".lmstudio/mcp.json", mcpServers({ b: "b" }));
    terminal.type("\r");
    const { code, err } = await runIn(terminal, ["init"]);
    expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining("Which of them shall hostside use?") });
    expect(readOwn(terminal)).toMatchObject({ imports: [{ from: "~/.cursor/mcp.json" }] });
  });

  it("writes nothing for a person who wants no more of it", async () => {
    using terminal = fakeTerminal({ canAsk: true });
    homeFile(terminal, ".cursor/mcp.json", mcpServers({ a: "a" }));
    terminal.type("\u0003");
    expect(await runIn(terminal, ["init"])).toMatchObject({
      code: 3,
      err: expect.stringContaining("Nothing was written."),
    });
    expect(existsSync(ownFile(terminal))).toBe(false);
  });
});

async function sourcesOf({ home, env, platform, cwd }: FakeTerminal) {
  const { sources } = await loadConfig({ home, env, platform, cwd });
  return sources.map(({ serverId, file, scope, off }) => ({ serverId, file, scope, off }));
}
