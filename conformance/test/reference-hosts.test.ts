import { execa } from "execa";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { checkHost } from "../src/host/check-host.ts";
import { hostChecks, hostScenarios } from "../src/host/host-checks.ts";
import { checksOf } from "../src/host/host-scenario.ts";
import { overStdio } from "../src/host/host-venue.ts";
import { spawnDriver } from "../src/host/spawn-driver.ts";
import { checkReferenceHost, passed } from "./hosts/check-reference-host.ts";

const file = (path: string): string => fileURLToPath(new URL(`../${path}`, import.meta.url));

describe("the reference hosts", () => {
  // `reference-hosts.proof.ts` plays all that there is; here, what is about the end of processes,
  // in turns in one era and the other, and one scenario over each venue.
  it(
    "Hostside leaves no process behind, and passes one scenario over every transport",
    { timeout: 240_000 },
    async () => {
      const played = hostScenarios.flatMap((scenario, at) => {
        const checks = checksOf(scenario);
        if (scenario.name === "lists-and-calls") return checks;
        const isOfTheirEnd =
          scenario.name.startsWith("close-") && scenario.over.every((venue) => overStdio.includes(venue));
        return isOfTheirEnd ? checks.filter((_, venue) => venue === at % checks.length) : [];
      });
      expect(await checkReferenceHost(played)).toEqual(passed);
    },
  );

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

  it("createHost() passes one scenario over every transport, and those of the end", { timeout: 240_000 }, async () => {
    const checks = hostChecks.filter(({ id }) =>
      /^survive\/(?:lists-and-calls\/.*|hang-at-start-blocks-nobody\/stdio|close-with-grandchild\/stdio)$/.test(id),
    );
    const start = () => spawnDriver([process.execPath, file("peers/create-host.mjs")]);
    const { results } = await checkHost({ start, name: "createHost()", checks });
    expect(results.map(({ check, finding }) => [check.id, finding.status])).toEqual(
      checks.map(({ id }) => [id, "pass"]),
    );
  });

  it("the command plays a driver, and refuses a level that there is not", { timeout: 60_000 }, async () => {
    const kit = (...args: readonly string[]) =>
      execa(process.execPath, [file("bin/hostside-conformance.js"), "host", ...args], { reject: false });
    const driver = ["--", process.execPath, file("drivers/hostside-driver.js")];
    const played = await kit("--only", "survive/lists-and-calls", ...driver);
    expect(played.stdout).toContain("5 passed, 0 failed");
    expect(played.exitCode).toBe(0);
    const refused = await kit("--level", "extreme", ...driver);
    expect(refused).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--level must be one of survive") });
    const dead = await kit("--", process.execPath, "-e", "process.exit(7)");
    expect(dead).toMatchObject({ exitCode: 4, stdout: expect.stringContaining("the driver exited with code 7") });
  });
});
