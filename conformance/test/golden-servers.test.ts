import { startHttpFixture } from "@hostside/fixtures";
import { describe, expect, it } from "vitest";
import { checkGolden, golden } from "./check-golden.ts";

// One server; `golden-servers.proof.ts` checks those of all transports and eras, and the reference
// servers from npm.
describe("good servers pass", () => {
  it("modern-http", { timeout: 120_000 }, async () => {
    await using server = await startHttpFixture("modern-http");
    const checked = await checkGolden({ type: "http", url: new URL(server.url) });
    expect(checked).toMatchObject(golden);
    expect(checked.report.preview?.failure).toBeUndefined();
    expect(checked.report.preview?.tools.length).toBeGreaterThan(5);
  });
});
