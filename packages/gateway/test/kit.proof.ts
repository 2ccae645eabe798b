import { checkServer, type RunReport, type ServerAddress } from "@hostside/conformance";
import { fixtureServer } from "@hostside/fixtures";
import { listen } from "@hostside/gateway/node";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openWorld } from "./upstream.ts";

const program = fileURLToPath(new URL("programs/serve.mjs", import.meta.url));
const specs = [{ id: "library", type: "stdio", ...fixtureServer("modern-library") }];

// Any level counts: advice as much as what has to be.
async function findings(
  address: ServerAddress,
): Promise<{ readonly report: RunReport; readonly found: readonly string[] }> {
  const report = await checkServer({ address, answerMs: 8000, concurrency: 3 });
  const found = report.results.flatMap(({ check, finding }) => {
    if (finding.status === "fail") return [`${check.id}: ${finding.observed}`];
    return finding.status === "could-not-run" ? [`${check.id}: ${finding.reason}`] : [];
  });
  return { report, found };
}

describe("the kit's checks of a server find nothing", () => {
  it.each(["all", "search"])("over stdio, exposing %s", { timeout: 120_000 }, async (expose) => {
    const args = [program, JSON.stringify(specs), JSON.stringify({ expose })];
    const { report, found } = await findings({ type: "stdio", server: { command: process.execPath, args } });
    expect(found).toEqual([]);
    expect(report.verdict).toBe("pass");
  });

  it("over HTTP", { timeout: 120_000 }, async () => {
    await using world = await openWorld({ servers: ["modern-stdio"], withResources: true });
    await using server = await listen(world.gateway, { auth: "none" });
    const { report, found } = await findings({ type: "http", url: new URL(server.url) });
    expect(found).toEqual([]);
    expect(report.verdict).toBe("pass");
  });
});
