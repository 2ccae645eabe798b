import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { checkHost } from "../src/host/check-host.ts";
import { hostChecks } from "../src/host/host-checks.ts";
import { spawnDriver } from "../src/host/spawn-driver.ts";
import { checkReferenceHost, passed } from "./hosts/check-reference-host.ts";

describe("the reference hosts", () => {
  it("Hostside passes every scenario over every transport and both eras", { timeout: 240_000 }, async () => {
    expect(await checkReferenceHost(hostChecks)).toEqual(passed);
  });

  it("createHost() passes them, too, with a policy and a conversation", { timeout: 240_000 }, async () => {
    const driver = fileURLToPath(new URL("../peers/create-host.mjs", import.meta.url));
    const report = await checkHost({ start: () => spawnDriver([process.execPath, driver]), name: "createHost()" });
    const others = report.results.filter(({ finding }) => finding.status !== "pass");
    expect(others.map(({ check, finding }) => [check.id, finding])).toEqual([]);
  });
});
