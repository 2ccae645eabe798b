import { fixtureServer } from "@hostside/fixtures";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runInTerminal } from "./run-in-terminal.ts";
import { runPiped } from "./run-piped.ts";
import { createWorkFolder, type WorkFolder } from "./work-folder.ts";

// Reads everything and answers nothing, until its input ends.
const silent = { command: process.execPath, args: ["-e", "process.stdin.resume()"] };
const broken = { command: process.execPath, args: ["-e", 'console.error("MISSING is not set"); process.exit(7)'] };

describe("hostside list", () => {
  let work: WorkFolder;
  beforeAll(async () => {
    work = await createWorkFolder();
    const mcpServers = { modern: fixtureServer("modern-stdio"), broken };
    await work.write({
      "mcp.json": { mcpServers },
      "silent.json": { mcpServers: { modern: mcpServers.modern, silent } },
    });
  });
  afterAll(() => work[Symbol.asyncDispose]());

  it("replaces its lines on a terminal, and ends as one clean page that leaves no process", async () => {
    await using run = runInTerminal(work, ["list", "--config", "mcp.json"]);
    expect(await run.exit).toBe(1);
    const lines = run.lines();
    expect(lines.filter((line) => line.includes("modern  ready"))).toHaveLength(1);
    expect(lines.filter((line) => line.includes("broken  failed"))).toHaveLength(1);
    expect(lines).toContain("    | MISSING is not set");
    expect(run.raw()).toContain("\u001B[32m");
    // What was said while a server came up has gone.
    expect(run.raw()).toMatch(/2 of 2 servers: \w+ (?:ready|failed)/);
    expect(run.screen()).not.toContain("2 of 2 servers");
    expect(await work.processes()).toEqual([]);
  });

  it("has no colours with NO_COLOR, and no line wider than the terminal", async () => {
    await using run = runInTerminal(work, ["list", "--config", "mcp.json"], { columns: 40, env: { NO_COLOR: "1" } });
    expect(await run.exit).toBe(1);
    expect(run.raw()).not.toMatch(/\u001B\[[\d;]*m/);
    const headings = run.lines().filter((line) => /^. {2}(modern|broken) /.test(line));
    expect(headings.map((line) => line.split(/\s+/)[1])).toEqual(["broken", "modern"]);
    expect(run.lines().every((line) => line.length <= 40)).toBe(true);
  });

  it("is text in a pipe, and one JSON document with --json, by exit codes of a script's", async () => {
    const [text, json] = await Promise.all([
      runPiped(work, ["list", "--config", "mcp.json"]),
      runPiped(work, ["list", "--config", "mcp.json", "--json"]),
    ]);
    expect([text.exitCode, json.exitCode]).toEqual([1, 1]);
    expect(text.stdout + text.stderr).not.toContain("\u001B");
    expect(text.stdout).toContain("modern  ready");
    const { servers } = JSON.parse(json.stdout) as { servers: readonly { id: string; state: string }[] };
    expect(servers.map(({ id, state }) => `${id} ${state}`)).toEqual(["broken failed", "modern ready"]);
  });

  it("ends on Ctrl-C with what is known, after a change of the window's size, and leaves no process", async () => {
    await using run = runInTerminal(work, ["list", "--config", "silent.json"]);
    await run.waitForScreen(/modern +ready/);
    run.resize(60, 20);
    run.press("ctrl-c");
    expect(await run.exit).toBe(3);
    expect(run.lines().filter((line) => /modern +ready/.test(line))).toHaveLength(1);
    expect(await work.processes()).toEqual([]);
  });
});
