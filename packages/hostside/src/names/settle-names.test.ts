import type { SavedNames } from "@hostside/naming";
import { expect, it } from "vitest";
import { createManualClock } from "../../../../test/manual-clock.ts";
import { settleNames } from "./settle-names.ts";

type Servers = SavedNames["servers"];

const names = (servers: Servers): SavedNames => ({ version: 1, servers });
const kept = names([
  [
    "a",
    [
      ["run", "a_run"],
      ["walk", "a_walk"],
    ],
  ],
  ["b", [["run", "b_run"]]],
]);

it.each<{ readonly what: string; readonly agreed: Servers; readonly expected: Servers }>([
  { what: "what all have", agreed: kept.servers, expected: kept.servers },
  {
    what: "the names of others, and none that is another tool's",
    agreed: [
      ["a", [["run", "a_ran"]]],
      ["c", [["x", "A_WALK"]]],
    ],
    expected: [
      ["a", [["run", "a_ran"]]],
      ["b", [["run", "b_run"]]],
    ],
  },
  {
    what: "nothing that is not legal, or given twice",
    agreed: [
      ["a", [["run", "no name"]]],
      ["b", [["run", "a_walk"]]],
    ],
    expected: [["b", [["run", "a_walk"]]]],
  },
])("has $what", async ({ agreed, expected }) => {
  const clock = createManualClock();
  const settled = await settleNames(kept, { agree: async () => names(agreed), clock, naming: undefined });
  expect(settled).toEqual(names(expected));
  expect(clock.pending()).toBe(0);
});

it("keeps what there is where nobody answers in time, or at all", async () => {
  const clock = createManualClock();
  const signals: AbortSignal[] = [];
  const late = settleNames(kept, {
    agree: (_, signal) => (signals.push(signal), new Promise(() => undefined)),
    clock,
    naming: undefined,
  });
  clock.advance(2000);
  expect(await late).toBe(kept);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  const failing = settleNames(kept, { agree: () => Promise.reject(new Error("down")), clock, naming: undefined });
  expect(await failing).toBe(kept);
});
