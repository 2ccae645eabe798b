import { afterEach, describe, expect, it, vi } from "vitest";
import { createTemporaryTree } from "./temporary-tree.ts";

describe("proof", () => {
  afterEach(() => vi.unstubAllEnvs());

  it("repeats a step that failed with the count and the seed it had", async () => {
    vi.stubEnv("HOSTSIDE_SEED", "7");
    await using tree = await createTemporaryTree({ "scripts/soak.mjs": "process.exitCode = 1;" });
    const { output, exitCode } = await tree.run("proof", "schedules", "50");
    expect(output).toMatch(/^ +again: HOSTSIDE_SEED=7 pnpm proof schedules 50$/m);
    expect(exitCode).toBe(1);
  });

  it("repeats each test that failed with the variables of its step and the seed", async () => {
    vi.stubEnv("HOSTSIDE_SEED", "7");
    const failed = { status: "failed", fullName: "finds all (it's 3)" };
    const report = JSON.stringify({ testResults: [{ name: "a.proof.ts", assertionResults: [failed] }] });
    await using tree = await createTemporaryTree({ "node_modules/vitest/vitest.mjs": runnerThatWrites(report) });
    const { output } = await tree.run("proof", "sample");
    expect(output).toContain(
      "again: HOSTSIDE_SEED=7 HOSTSIDE_SAMPLE=1 pnpm vitest run -c vitest.proof.config.ts a.proof.ts -t 'finds all \\(it'\\''s 3\\)'",
    );
  });

  it("repeats the whole step when its report was cut short", async () => {
    vi.stubEnv("HOSTSIDE_SEED", undefined);
    await using tree = await createTemporaryTree({ "node_modules/vitest/vitest.mjs": runnerThatWrites("{") });
    const { output, exitCode } = await tree.run("proof", "good");
    expect(output).toMatch(/^ +again: pnpm proof good$/m);
    expect(exitCode).toBe(1);
  });
});

function runnerThatWrites(report: string): string {
  return `
    import { mkdirSync, writeFileSync } from "node:fs";
    mkdirSync(".ci", { recursive: true });
    const [, path] = process.argv.join(" ").match(/--outputFile\\.json=(\\S+)/);
    writeFileSync(path, ${JSON.stringify(report)});
    process.exitCode = 1;
  `;
}
