import { describe, expect, it } from "vitest";
import { hostChecks, hostScenarios } from "../src/host/host-checks.ts";
import { brokenHosts } from "./hosts/broken-hosts.ts";
import { hostKillMatrix } from "./hosts/host-kill-matrix.ts";

describe("the broken hosts", () => {
  it("have names of their own, and fail scenarios that exist in their venue", () => {
    expect(new Set(brokenHosts.map(({ id }) => id)).size).toBe(brokenHosts.length);
    const known = new Set(hostChecks.map(({ id }) => id));
    const unknown = brokenHosts.flatMap(({ fails, venue }) => fails.filter((id) => !known.has(`${id}/${venue}`)));
    expect(unknown).toEqual([]);
    expect(brokenHosts.filter(({ fails }) => fails.length === 0)).toEqual([]);
  });

  it("are what the page of the documentation says", async () => {
    const page = hostKillMatrix(brokenHosts, hostScenarios);
    await expect(page).toMatchFileSnapshot("../../docs/internals/conformance-host-kill-matrix.md");
  });
});
