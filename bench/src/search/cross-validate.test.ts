import { describe, expect, it } from "vitest";
import { chooseByFold, foldsOf, pairedGain } from "./cross-validate.ts";

const servers = Array.from({ length: 20 }, (_, at) => `server_${at % 10}`);

describe("cross-validation", () => {
  it("keeps the queries of a server in one fold, and uses every fold", () => {
    const folds = foldsOf(servers);
    expect(folds.slice(0, 10)).toEqual(folds.slice(10));
    expect(new Set(folds).size).toBe(5);
  });

  it("judges no query by a setting that its own fold had a say in", () => {
    const folds = foldsOf(servers);
    const steady = { name: "steady", scores: servers.map(() => 0.5) };
    // Perfect in one fold, and bad everywhere else: only the other folds' choice could tell.
    const lucky = { name: "lucky", scores: folds.map((fold) => (fold === 2 ? 3 : 0.1)) };
    const chosen = chooseByFold([steady, lucky], servers).map(({ name }) => name);
    expect(chosen[2]).toBe("steady");
    expect(chosen[0]).toBe("lucky");
  });

  it("tells a gain with its spread, the same one each time", () => {
    const before = servers.map(() => 0.2);
    const after = servers.map((_, at) => (at % 2 === 0 ? 0.6 : 0.3));
    const gain = pairedGain(before, after, servers);
    expect(gain.mean).toBeCloseTo(0.25);
    expect(gain.low).toBeLessThan(gain.mean);
    expect(gain.high).toBeGreaterThan(gain.mean);
    expect(pairedGain(before, after, servers)).toEqual(gain);
    expect(pairedGain(before, before, servers)).toEqual({ mean: 0, low: 0, high: 0 });
  });
});
