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
