import { fixtureServer } from "@hostside/fixtures";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runInTerminal } from "./run-in-terminal.ts";
import { runPiped } from "./run-piped.ts";
import { createWorkFolder, type WorkFolder } from "./work-folder.ts";

describe("hostside call", () => {
  let work: WorkFolder;
  beforeAll(async () => {
    work = await createWorkFolder();
    // Its tools say that they read, which is not to count here.
    const modern = { ...fixtureServer("modern-stdio"), trustAnnotations: false };
    await work.write({ "mcp.json": { servers: { modern } } });
  });
  afterAll(() => work[Symbol.asyncDispose]());

  it("asks before an effect, and calls then", async () => {
    await using run = runInTerminal(work, ["call", "add", "--a", "40", "--b", "2", "--config", "mcp.json"]);
    expect(await run.waitForScreen("● No")).toMatch(/server: modern[^]*"a": 40[^]*"b": 2/);
    run.press("up", "up", "enter");
    expect(await run.exit).toBe(0);
    expect(run.lines()).toContain("42");
  });

  it("shows what is sent as it is, whatever it is called, and what nobody sees by its number", async () => {
    const args = ["call", "echo", "--args", JSON.stringify({ text: "a\u{E0041}\u202Eb" }), "--config", "mcp.json"];
    await using run = runInTerminal(work, args, { columns: 120 });
    expect(await run.waitForScreen("● No")).toContain(String.raw`"text": "a\u{e0041}\u{202e}b"`);
    run.press("enter");
    expect(await run.exit).toBe(2);
  });

  it("ends on Ctrl-C, and leaves no process", async () => {
    const args = ["call", "slow", "--steps", "100", "--stepMs", "1000", "--yes", "--config", "mcp.json"];
    await using run = runInTerminal(work, args);
    await run.waitForScreen(/1.*100/);
    run.press("ctrl-c");
    expect(await run.exit).toBe(3);
    expect(await work.processes()).toEqual([]);
  });

  it("in a pipe prints the result alone, sends nothing unasked, and says all in one document with --json", async () => {
    const call = (...args: readonly string[]) => runPiped(work, ["call", ...args, "--config", "mcp.json"]);
    const [plain, unasked, json, unknown] = await Promise.all([
      call("modern/add", "--a", "40", "--b", "2", "--yes"),
      call("modern/add", "--a", "40", "--b", "2"),
      call("mcp_modern_add", "--args", '{"a":40,"b":2}', "--yes", "--json"),
      call("modern/adder", "--json"),
    ]);
    expect([plain.exitCode, plain.stdout]).toEqual([0, "42"]);
    expect([unasked.exitCode, unasked.stdout]).toEqual([2, ""]);
    expect(unasked.stderr).toContain("--yes");
    expect(json.exitCode).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject({ tool: { server: "modern", tool: "add" }, isError: false });
    expect(unknown.exitCode).toBe(2);
    expect(JSON.parse(unknown.stdout)).toMatchObject({ error: { kind: "contract" } });
  });
});
