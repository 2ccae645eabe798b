import { execa } from "execa";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { checkHost } from "../src/host/check-host.ts";
import { hostChecks } from "../src/host/host-checks.ts";
import { localDriver } from "../src/host/local-driver.ts";
import { spawnDriver } from "../src/host/spawn-driver.ts";
import { createToolportHost, describeToolportError, toolportFeatures } from "../src/host/toolport-host.ts";

const file = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

describe("the reference hosts", () => {
  it("Toolport passes every scenario over every transport and both eras", { timeout: 240_000 }, async () => {
    const hello = { name: "toolport", version: "0", features: toolportFeatures };
    const report = await checkHost({
      start: () => localDriver({ hello, host: createToolportHost(), describeError: describeToolportError }),
      name: "toolport",
      strict: true,
    });
    const others = report.results.filter(({ finding }) => finding.status !== "pass");
    expect(others.map(({ check, finding }) => ({ id: check.id, finding }))).toEqual([]);
    expect(report).toMatchObject({ verdict: "pass", exitCode: 0 });
  });

  it("a host in another language needs nothing but the protocol", { timeout: 60_000 }, async () => {
    const checks = hostChecks.filter(({ id }) => /^survive\/(lists-and-calls|silent-call|close-.*)\//.test(id));
    const start = () => spawnDriver(["python3", file("drivers/python-driver.py")]);
    const { verdict, results, identity } = await checkHost({ start, name: "python", checks });
    const byStatus = (status: string): readonly string[] =>
      results.flatMap(({ check, finding }) => (finding.status === status ? [check.id] : []));
    expect(byStatus("pass")).toEqual(checks.map(({ id }) => id).filter((id) => id.endsWith("/stdio")));
    expect(byStatus("fail")).toEqual([]);
    expect({ verdict, name: identity?.name }).toEqual({ verdict: "pass", name: "python-driver" });
  });

  it("the command plays a driver, and refuses a level that there is not", { timeout: 60_000 }, async () => {
    const kit = (...args: readonly string[]) =>
      execa(process.execPath, [file("bin/toolport-conformance.js"), "host", ...args], { reject: false });
    const driver = ["--", process.execPath, file("drivers/toolport-driver.js")];
    const played = await kit("--only", "survive/lists-and-calls", ...driver);
    expect(played.stdout).toContain("5 passed, 0 failed");
    expect(played.exitCode).toBe(0);
    const refused = await kit("--level", "extreme", ...driver);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--level must be one of survive") });
    const dead = await kit("--", process.execPath, "-e", "process.exit(7)");
    expect(dead).toMatchObject({ exitCode: 4, stdout: expect.stringContaining("the driver exited with code 7") });
  });
});
