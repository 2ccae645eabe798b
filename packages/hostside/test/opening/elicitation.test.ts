import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { runInTerminal } from "../terminal/run-in-terminal.ts";
import { createWorkFolder } from "../terminal/work-folder.ts";

// Its package exports nothing, so that it is found by where it lies.
const everything = fileURLToPath(
  new URL("../../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
);

it("answers what a server asks during a call, field by field, with the keys of a terminal", async () => {
  await using work = await createWorkFolder();
  const entry = { command: process.execPath, args: [everything] };
  const config = await work.write({ "mcp.json": { mcpServers: { everything: entry } } });
  const args = ["call", "everything/trigger-elicitation-request", "--yes", "--config", config];
  await using run = runInTerminal(work, args, { rows: 60 });
  await run.waitForScreen(/Server everything asks: Please provide inputs[^]*Answer the server\?/);
  run.press("enter");
  await run.waitForScreen(/◆ {2}String:/);
  run.type("Ada");
  for (const title of ["Boolean", "String with default", "String with email", "String with uri", "String with date"]) {
    run.press("enter");
    await run.waitForScreen(new RegExp(`◆ {2}${title}`));
  }
  run.press("enter");
  await run.waitForScreen(/◆ {2}Integer/);
  run.press("backspace", "enter");
  await run.waitForScreen(/◆ {2}Number/);
  for (const title of ["Untitled Single", "Untitled Multiple", "Titled Single", "Titled Multiple", "Legacy"]) {
    run.press("enter");
    await run.waitForScreen(new RegExp(`◆ {2}${title}`));
  }
  run.press("down", "enter");
  expect(await run.exit).toBe(0);
  const result = /Raw result: (\{[^]*\})/.exec(run.screen())?.[1] ?? "";
  expect(JSON.parse(result)).toEqual({
    action: "accept",
    content: {
      name: "Ada",
      check: false,
      firstLine: "It was a dark and stormy night.",
      integer: 4,
      number: 3.14,
      untitledSingleSelectEnum: "Monica",
      untitledMultipleSelectEnum: ["Guitar"],
      titledSingleSelectEnum: "hero-1",
      titledMultipleSelectEnum: ["fish-1"],
      legacyTitledEnum: "pet-2",
    },
  });
});
