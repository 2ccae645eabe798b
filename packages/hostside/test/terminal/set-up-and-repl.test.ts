import { fixtureServer } from "@hostside/fixtures";
import { describe, expect, it } from "vitest";
import { runInTerminal } from "./run-in-terminal.ts";
import { runPiped } from "./run-piped.ts";
import { createWorkFolder } from "./work-folder.ts";

const mcpServers = { modern: fixtureServer("modern-stdio") };

describe("hostside init", () => {
  it("shows what there is, asks which of it is meant, and writes a file that works from then on", async () => {
    await using work = await createWorkFolder();
    await work.write({ "../home/.cursor/mcp.json": { mcpServers } });
    {
      await using run = runInTerminal(work, ["init"]);
      expect(await run.waitForScreen(/◆ {2}Which/)).toContain("Cursor  ~/.cursor/mcp.json");
      run.press("enter");
      expect(await run.exit).toBe(0);
    }
    expect(JSON.parse(await work.read("../home/.config/hostside/hostside.json"))).toMatchObject({
      imports: ["auto"],
    });
    const { exitCode, stdout } = await runPiped(work, ["list", "--no-tools"]);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/modern +ready/)]);
  });
});

describe("hostside repl", () => {
  it("completes a name, calls on the connection that is open, survives Ctrl-C, and leaves no process", async () => {
    await using work = await createWorkFolder();
    await work.write({ "mcp.json": { mcpServers } });
    await using run = runInTerminal(work, ["repl", "--config", "mcp.json"]);
    await run.waitForScreen(/^hostside>$/m);
    run.type("call mcp_modern_ec");
    run.press("tab");
    await run.waitForScreen("call mcp_modern_echo");
    run.type(" --text berth --yes");
    run.press("enter");
    await run.waitForScreen(/^berth\nhostside>$/m);
    run.type("call ");
    await run.waitForScreen(/^hostside> call$/m);
    run.press("ctrl-c");
    await run.waitForScreen(/\^C\nhostside>$/);
    run.press("ctrl-d");
    expect(await run.exit).toBe(0);
    expect(await work.processes()).toEqual([]);
  });
});
