import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runMeasurement } from "./run-measurement.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "run-measurement-"));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe("runMeasurement", () => {
  it("reads the last line as JSON, whatever was printed before", async () => {
    expect(await run(`console.log("hello"); console.log(JSON.stringify({ ms: 3 }));`)).toEqual({
      ok: true,
      value: { ms: 3 },
    });
  });

  it("says what an error said, not the line of source that Node shows above it", async () => {
    const program = "const tools = [];\nthrow new Error(`listed ${tools.length} of ${10} tools`);";
    expect(await run(program)).toEqual({ ok: false, reason: "listed 0 of 10 tools" });
  });

  it("names an error that is more than an Error, its code too, and says one line of it", async () => {
    expect(await run(`null.missing;`)).toEqual({
      ok: false,
      reason: expect.stringMatching(/^TypeError: Cannot read properties of null/),
    });
    expect(await run(`await import("not-installed-anywhere");`)).toEqual({
      ok: false,
      reason: expect.stringMatching(/^Error \[ERR_MODULE_NOT_FOUND\]: Cannot find package 'not-installed-anywhere'/),
    });
    expect(await run(`throw new Error("first line\\nError: second line");`)).toEqual({
      ok: false,
      reason: "first line",
    });
  });

  it("says the error that ended the program, not one that was logged before or that caused it", async () => {
    const program = `console.error(new Error("a warning of a peer"));
      throw new RangeError("too many", { cause: new Error("the cause") });`;
    expect(await run(program)).toEqual({ ok: false, reason: "RangeError: too many" });
  });

  it("says what was thrown that is no error", async () => {
    expect(await run(`throw "no error at all";`)).toEqual({ ok: false, reason: "no error at all" });
  });

  it("says the last line where nothing was thrown, and the code where nothing was said", async () => {
    expect(await run(`console.error("gave up\\nno server"); process.exitCode = 3;`)).toEqual({
      ok: false,
      reason: "no server",
    });
    expect(await run(`process.exitCode = 3;`)).toEqual({ ok: false, reason: "no output, exit code 3" });
  });

  it("tells a process that a signal ended from one that took too long", async () => {
    expect(await run(`process.kill(process.pid, "SIGSEGV"); setInterval(() => {}, 1000);`)).toEqual({
      ok: false,
      reason: "no output, ended by SIGSEGV",
    });
    expect(await run(`setInterval(() => {}, 1000);`, 300)).toEqual({ ok: false, reason: "no end within 0.3 s" });
  });

  it("says what was logged last where a program ends itself by its code", async () => {
    const program = `console.error(new Error("earlier")); console.error(new Error("could not connect")); process.exitCode = 1;`;
    expect(await run(program)).toEqual({ ok: false, reason: "could not connect" });
  });

  it("says that the memory was not enough", async () => {
    const program = `import { writeSync } from "node:fs";
      writeSync(2, "<--- Last few GCs --->\\n\\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\\n");
      process.abort();`;
    expect(await run(program)).toEqual({
      ok: false,
      reason: expect.stringMatching(/^FATAL ERROR: Reached heap limit/),
    });
  });
});

let programs = 0;

async function run(program: string, patienceMs = 20_000) {
  programs += 1;
  const file = join(folder, `program-${programs}.mjs`);
  await writeFile(file, program);
  return await runMeasurement({ node: process.execPath, file: pathToFileURL(file).href, args: [], patienceMs });
}
