import { consentTo, startAuthorizedServer } from "@hostside/fixtures";
import { expect, it } from "vitest";
import { runInTerminal, type TerminalRun } from "../terminal/run-in-terminal.ts";
import { createWorkFolder } from "../terminal/work-folder.ts";

async function pageOn(run: TerminalRun): Promise<URL> {
  const screen = await run.waitForScreen(/paste its address here/);
  return new URL(/https?:\S+\/auth\?\S+/.exec(screen)?.[0] ?? "");
}

it("signs in on a machine without a browser, by the address that is pasted, and anew when that is asked", async () => {
  await using server = await startAuthorizedServer();
  await using work = await createWorkFolder();
  const config = await work.write({ "mcp.json": { mcpServers: { notes: { type: "http", url: server.url } } } });
  const login = (...more: readonly string[]): TerminalRun =>
    // A page is one line, so that it can be copied.
    runInTerminal(work, ["login", "notes", "--no-browser", "--config", config, ...more], { columns: 1000 });

  await using first = login("--scope", "mcp:admin");
  const page = await pageOn(first);
  expect(first.screen()).toContain("open this page in a browser");
  expect(page.searchParams.get("scope")?.split(" ")).toContain("mcp:admin");
  first.type("https://example.com/?code=1");
  first.press("enter");
  await first.waitForScreen("That is not what a sign-in ends with.");
  const back = await consentTo(page);
  first.type(back.href);
  first.press("enter");
  expect([await first.exit, first.screen()]).toEqual([0, expect.stringMatching(/^notes: signed in at /m)]);

  await using again = login("--again");
  expect((await pageOn(again)).searchParams.get("state")).not.toBe(page.searchParams.get("state"));
  again.press("ctrl-c");
  expect([await again.exit, await work.processes()]).toEqual([5, []]);

  // Who cancels stays who they are.
  await using kept = login();
  expect([await kept.exit, kept.screen()]).toEqual([0, expect.stringContaining("notes: already signed in at")]);
});
