import * as fc from "fast-check";
import { expect } from "vitest";
import { fairShareOf, Wait, type Gate, type GateMode, type GateEntry } from "../src/calls/fair-queue.ts";

interface Step {
  readonly act: "arrive" | "leave" | "abort";
  readonly fairnessKey: string | undefined;
  readonly mode: GateMode;
  readonly pick: number;
}

interface Call extends GateEntry {
  readonly number: number;
  readonly wait: Wait;
  state: "waits" | "through" | "gone";
}

const steps = (modes: readonly GateMode[]): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      act: fc.constantFrom("arrive", "arrive", "arrive", "leave", "leave", "abort"),
      fairnessKey: fc.constantFrom("a", "a", "a", "b", "c", undefined),
      mode: fc.constantFrom(...modes),
      pick: fc.nat(1000),
    }),
    { maxLength: 60 },
  );

/** Has a gate let random calls through, and looks after each step at what it promises. */
export async function checkTurns(GateClass: new (limit: () => number) => Gate, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<GateMode[]>(["shared"], ["shared", "shared", "exclusive"]).chain((modes) => steps(modes)),
      fc.integer({ min: 1, max: 6 }),
      async (schedule, limit) => {
        const world = createTurns(new GateClass(() => limit), limit);
        for (const step of schedule) await world.take(step);
        await world.drain();
      },
    ),
    { numRuns },
  );
}

interface Turns {
  take(step: Step): Promise<void>;
  /** Lets all go out until nobody is left. */
  drain(): Promise<void>;
}

function createTurns(gate: Gate, limit: number): Turns {
  const calls: Call[] = [];
  /** How often each caller was let through while another one waited for its turn. */
  const passed = new Map<string | undefined, Map<string | undefined, number>>();
  const those = (state: Call["state"]): Call[] => calls.filter((call) => call.state === state);
  const own = (fairnessKey: string | undefined, state: Call["state"]): Call[] =>
    those(state).filter((call) => call.fairnessKey === fairnessKey);
  const hasItsShare = (fairnessKey: string | undefined, mode: GateMode): boolean =>
    fairnessKey !== undefined && mode === "shared" && own(fairnessKey, "through").length >= fairShareOf(limit);

  const noteEntry = (call: Call): void => {
    const [first] = own(call.fairnessKey, "waits");
    // First come, first served within one caller.
    if (first !== undefined) expect(call.number).toBeLessThanOrEqual(first.number);
    expect(hasItsShare(call.fairnessKey, call.mode)).toBe(false);
    for (const fairnessKey of new Set(those("waits").map((other) => other.fairnessKey))) {
      const [head] = own(fairnessKey, "waits");
      if (fairnessKey === call.fairnessKey || head === undefined || hasItsShare(fairnessKey, head.mode)) continue;
      const passes = passed.get(fairnessKey) ?? new Map<string | undefined, number>();
      passes.set(call.fairnessKey, (passes.get(call.fairnessKey) ?? 0) + 1);
      passed.set(fairnessKey, passes);
      // Nobody goes twice while somebody else waits for one turn.
      expect(passes.get(call.fairnessKey)).toBeLessThanOrEqual(1);
    }
    passed.delete(call.fairnessKey);
    call.state = "through";
  };
  const look = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    const through = those("through");
    expect(gate.active).toBe(through.length);
    expect(through.length).toBeLessThanOrEqual(limit);
    if (through.some(({ mode }) => mode === "exclusive")) expect(through).toHaveLength(1);
    // Nobody waits beside a free place that is his to take.
    if (through.length < limit && calls.every(({ mode, state }) => state === "gone" || mode === "shared")) {
      for (const { fairnessKey, mode } of those("waits")) expect(hasItsShare(fairnessKey, mode)).toBe(true);
    }
    if (through.length === 0) expect(those("waits")).toEqual([]);
  };
  const arrive = ({ fairnessKey, mode }: Step): void => {
    const call: Call = { fairnessKey, mode, number: calls.length, wait: new Wait(), state: "waits" };
    if (own(fairnessKey, "waits").length === 0) passed.delete(fairnessKey);
    if (gate.tryEnter(call)) {
      expect(own(fairnessKey, "waits")).toEqual([]);
      noteEntry(call);
      calls.push(call);
      return;
    }
    calls.push(call);
    void enter(call);
  };
  const enter = async (call: Call): Promise<void> => {
    try {
      await gate.enter(call, call.wait);
      noteEntry(call);
    } catch {
      call.state = "gone";
    }
  };
  const pickFrom = (state: Call["state"], pick: number): Call | undefined => {
    const found = those(state);
    return found[pick % Math.max(1, found.length)];
  };
  const leave = (call: Call | undefined): void => {
    if (call === undefined) return;
    // It may be its turn now, and was not before.
    if (hasItsShare(call.fairnessKey, "shared")) passed.delete(call.fairnessKey);
    call.state = "gone";
    gate.leave(call);
  };
  return {
    async take(step) {
      if (step.act === "arrive") arrive(step);
      else if (step.act === "leave") leave(pickFrom("through", step.pick));
      else pickFrom("waits", step.pick)?.wait.giveUp("enough");
      await look();
    },
    async drain() {
      for (let call = pickFrom("through", 0); call !== undefined; call = pickFrom("through", 0)) {
        leave(call);
        await look();
      }
      expect(those("waits")).toEqual([]);
      expect(gate.active).toBe(0);
    },
  };
}
