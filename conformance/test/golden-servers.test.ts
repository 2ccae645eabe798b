import { fixtureServer, startHttpFixture } from "@toolport/fixtures";
import { describe, expect, it } from "vitest";
import { checkGolden, golden } from "./check-golden.ts";

// One server over each transport, in both eras; `golden-servers.proof.ts` checks the others, and the reference servers from npm.
describe("good servers pass", () => {
  it("modern-stdio", { timeout: 120_000 }, async () => {
    const checked = await checkGolden({ kind: "stdio", server: fixtureServer("modern-stdio") });
    expect(checked).toMatchObject(golden);
    expect(checked.report.preview?.failure).toBeUndefined();
    expect(checked.report.preview?.tools.length).toBeGreaterThan(5);
  });

  it("modern-http", { timeout: 120_000 }, async () => {
    await using server = await startHttpFixture("modern-http");
    expect(await checkGolden({ kind: "http", url: new URL(server.url) })).toMatchObject(golden);
  });
});
