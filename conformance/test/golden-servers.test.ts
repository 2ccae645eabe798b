import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixtureServer, startHttpFixture, type HttpFixtures } from "@toolport/fixtures";
import { describe, expect, it } from "vitest";
import type { RunReport } from "../src/engine/run-report.ts";
import { checkServer } from "../src/server/check-server.ts";
import type { ServerAddress } from "../src/server/server-address.ts";

const require = createRequire(import.meta.url);

// A machine that is busy with other tests is slow, which is not what these are about.
const patient = { answerMs: 8000, concurrency: 3 } as const;

function npmServer(name: string, ...args: readonly string[]): ServerAddress {
  const entry = require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
  return { kind: "stdio", server: { command: process.execPath, args: [entry, ...args] } };
}

/** The checks that found something, whatever their level. */
function found({ results }: RunReport): readonly string[] {
  return results.flatMap(({ check, finding }) =>
    finding.status === "fail"
      ? [`${check.id}: ${finding.observed}`]
      : finding.status === "could-not-run"
        ? [`${check.id}: ${finding.reason}`]
        : [],
  );
}

describe("good servers pass", () => {
  it.each(["legacy-stdio", "modern-stdio", "modern-only-stdio"] as const)("%s", { timeout: 120_000 }, async (name) => {
    const report = await checkServer({ address: { kind: "stdio", server: fixtureServer(name) }, ...patient });
    expect(found(report)).toEqual([]);
    expect(report).toMatchObject({ verdict: "pass", exitCode: 0 });
    expect(report.preview?.failure).toBeUndefined();
    expect(report.preview?.tools.length).toBeGreaterThan(5);
  });

  it.each<keyof HttpFixtures>(["legacy-http", "modern-http"])("%s", { timeout: 120_000 }, async (name) => {
    await using server = await startHttpFixture(name);
    const report = await checkServer({ address: { kind: "http", url: new URL(server.url) }, ...patient });
    expect(found(report)).toEqual([]);
    expect(report.verdict).toBe("pass");
  });

  it("the reference servers from npm", { timeout: 240_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "toolport-golden-"));
    const servers = [npmServer("everything"), npmServer("filesystem", folder), npmServer("memory")];
    for (const address of servers) {
      const report = await checkServer({ address, ...patient, answerMs: 3000, preview: false });
      expect(found(report)).toEqual([]);
      expect(report.verdict).toBe("pass");
    }
    await rm(folder, { recursive: true });
  });
});
