import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { execa } from "execa";
import { parse } from "yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oddServer } from "./mutants/run-mutant.ts";

const path = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
const script = path("action/check-server.sh");
const kit = `${process.execPath} ${path("bin/hostside-conformance.js")}`;

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly [{ readonly env: Readonly<Record<string, string>> }] };
}

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hostside-action-"));
});
afterAll(() => rm(folder, { recursive: true }));

/**
 * Runs the step as a runner does: the inputs by the environment, the summary and the outputs as
 * files.
 */
async function runAction(inputs: Readonly<Record<string, string>>): Promise<{
  readonly code: number | undefined;
  readonly summary: string;
  readonly outputs: string;
  readonly stderr: string;
}> {
  const { inputs: declared, runs } = parse(await readFile(path("action.yml"), "utf8")) as Action;
  const values = Object.fromEntries(Object.entries(declared).map(([name, one]) => [name, inputs[name] ?? one.default]));
  const env = Object.fromEntries(
    Object.entries(runs.steps[0].env).map(([name, value]) => [
      name,
      value.replace(/\$\{\{ inputs\.([\w-]+) \}\}/, (_, input: string) => values[input] ?? "undeclared"),
    ]),
  );
  const files = { GITHUB_STEP_SUMMARY: join(folder, "summary"), GITHUB_OUTPUT: join(folder, "outputs") };
  await Promise.all(Object.values(files).map((file) => writeFile(file, "")));
  const ran = await execa("bash", [script], {
    cwd: folder,
    env: { ...env, ...files, MCP_KIT: kit },
    reject: false,
    stdin: "ignore",
  });
  const [summary = "", outputs = ""] = await Promise.all(Object.values(files).map((file) => readFile(file, "utf8")));
  return { code: ran.exitCode, summary, outputs, stderr: ran.stderr };
}

const few = "--only\nrequests/probe\n--no-preview";

describe("the GitHub Action", () => {
  it("checks a server, writes reports, the summary and the outputs, then only what is worse fails it", async () => {
    const command = `${process.execPath} ${oddServer}`;
    const good = await runAction({ command: `${command} none`, options: few, folder: "main run" });
    expect(good).toMatchObject({ code: 0, summary: expect.stringContaining("✅ PASS") });
    expect(good.outputs).toContain("report=main run/report.json\n");
    expect(good.outputs).toContain("exit-code=0\n");
    expect(JSON.parse(await readFile(join(folder, "main run/badge.json"), "utf8"))).toMatchObject({
      color: "brightgreen",
    });
    const compared = { command: `${command} none`, options: few, "compare-with": "main run/report.json" };
    expect(await runAction(compared)).toMatchObject({ code: 0, summary: expect.stringMatching(/✅ SAME[^]*✅ PASS/) });
    const gone = await runAction({ ...compared, command: "exit 7; true" });
    expect(gone).toMatchObject({ code: 1, summary: expect.stringContaining("❌ WORSE: nothing could be tested") });
    expect(gone.outputs).toContain("exit-code=4\n");
  });

  it("fails for new advice, too, where it is strict", { timeout: 60_000 }, async () => {
    const command = `${process.execPath} ${oddServer}`;
    const options = "--only\nstdio/survives-garbage\n--no-preview";
    expect(await runAction({ command: `${command} none`, options, folder: "before" })).toMatchObject({ code: 0 });
    const worse = { command: `${command} dies-of-garbage`, "compare-with": "before/report.json" };
    expect(await runAction({ ...worse, options })).toMatchObject({ code: 0 });
    expect(await runAction({ ...worse, options: `${options}\n--strict` })).toMatchObject({ code: 1 });
  });

  it("says what is wrong with its inputs, and compares nothing", async () => {
    const { code, stderr } = await runAction({ "compare-with": "none.json", options: few });
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("no server given") });
  });

  it("takes every input by the environment alone", async () => {
    const text = await readFile(path("action.yml"), "utf8");
    const { inputs, outputs, runs } = parse(text) as Action;
    const used = Object.values(runs.steps[0].env).map((value) => /inputs\.([\w-]+)/.exec(value)?.[1]);
    expect(new Set(used)).toEqual(new Set(Object.keys(inputs)));
    expect(text.split("run: ")[1]).not.toContain("inputs.");
    const written = await readFile(script, "utf8");
    for (const name of Object.keys(outputs)) expect(written).toContain(`echo "${name}=`);
  });
});
