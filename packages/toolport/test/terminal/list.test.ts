import { fixtureServer } from "@toolport/fixtures";
import { describe, expect, it } from "vitest";
import { runInTerminal } from "./run-in-terminal.ts";
import { createWorkFolder } from "./work-folder.ts";

describe("toolport list", () => {
  it("ends, and leaves no process", async () => {
    await using work = await createWorkFolder();
    await work.write({ "mcp.json": { mcpServers: { modern: fixtureServer("modern-stdio") } } });
    await using run = runInTerminal(work, ["list", "--config", "mcp.json"]);
    await run.waitForScreen("modern");
    expect(await run.exit).toBe(0);
    expect(await work.processes()).toEqual([]);
  });
});
