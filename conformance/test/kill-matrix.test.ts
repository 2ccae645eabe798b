import { describe, expect, it } from "vitest";
import { serverChecks } from "../src/server/checks/server-checks.ts";
import { mutants } from "./mutants/all-mutants.ts";
import { killMatrix } from "./mutants/kill-matrix.ts";

describe("the broken servers", () => {
  it("are at least sixty, each with a name of its own", () => {
    expect(new Set(mutants.map(({ id }) => id)).size).toBe(mutants.length);
    expect(mutants.length).toBeGreaterThanOrEqual(60);
  });

  it("fail checks that exist", () => {
    const known = new Set(serverChecks.map(({ id }) => id));
    expect(mutants.flatMap(({ fails }) => fails.filter((id) => !known.has(id)))).toEqual([]);
  });

  it("leave no check without a server that fails it", () => {
    const killed = new Set(mutants.flatMap(({ fails }) => fails));
    expect(serverChecks.map(({ id }) => id).filter((id) => !killed.has(id))).toEqual([]);
  });

  it("are what the page of the documentation says", async () => {
    await expect(killMatrix(mutants, serverChecks)).toMatchFileSnapshot(
      "../../docs/internals/conformance-kill-matrix.md",
    );
  });
});
