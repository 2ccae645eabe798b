import fc from "fast-check";
import { expect, it } from "vitest";
import { excess, isNone, none, plus, type Capacity } from "./capacity.ts";
import { chooseDisplaced } from "./wait-queue.ts";
import type { PoolEntry } from "./entries.ts";

const few = fc.nat({ max: 3 });
const amounts: fc.Arbitrary<Capacity> = fc.record({
  maxProviders: few,
  maxConnections: few,
  maxProcesses: few,
  maxPerPrincipal: few,
});
const idle = fc.array(fc.record({ takes: amounts, principal: fc.constantFrom("a", "b") }), { maxLength: 8 });

it("ends those used longest ago, none to spare, and nobody where all would not do", () => {
  fc.assert(
    fc.property(amounts, idle, (lack, all) => {
      const entries = all.map(
        ({ takes, principal }) => ({ takes, owner: { label: { principal } } }) as unknown as PoolEntry,
      );
      const given = (some: readonly PoolEntry[]): Capacity =>
        some
          .map(({ takes, owner }) => (owner.label.principal === "a" ? takes : { ...takes, maxPerPrincipal: 0 }))
          .reduce(plus, none);
      const suffices = (some: readonly PoolEntry[]): boolean => isNone(excess(lack, given(some)));
      const chosen = chooseDisplaced({ amounts: lack, principal: "a" }, entries);
      expect(chosen !== undefined).toBe(suffices(entries));
      if (chosen === undefined) return;
      expect(suffices(chosen)).toBe(true);
      expect(chosen.filter((one) => suffices(chosen.filter((other) => other !== one)))).toEqual([]);
      // Those before the last one that is ended would not do.
      const last = Math.max(...chosen.map((one) => entries.indexOf(one)), -1);
      expect(last >= 0 && suffices(entries.slice(0, last))).toBe(false);
    }),
  );
});
