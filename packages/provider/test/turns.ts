import * as fc from "fast-check";
import { expect } from "vitest";
import { shareOf, type Gate, type GateMode, type Turn } from "../src/calls/gate.ts";

interface Step {
  readonly act: "arrive" | "leave" | "abort";
  readonly party: string | undefined;
  readonly mode: GateMode;
  readonly pick: number;
}

interface Call extends Turn {
  readonly number: number;
  readonly abort: AbortController;
  state: "waits" | "through" | "gone";
}

const steps = (modes: readonly GateMode[]): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.record({
      act: fc.constantFrom("arrive", "arrive", "arrive", "leave", "leave", "abort"),
      party: fc.constantFrom("a", "a", "a", "b", "c", undefined),
      mode: fc.constantFrom(...modes),
      pick: fc.nat(1000),
    }),
    { maxLength: 60 },
  );

/** Has a gate let random calls through, and looks after each step at what it promises. */
export async function checkTurns(createGate: (limit: () => number) => Gate, numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom<GateMode[]>(["shared"], ["shared", "shared", "exclusive"]).chain((modes) => steps(modes)),
      fc.integer({ min: 1, max: 6 }),
      async (schedule, limit) => {
        const world = createTurns(
          createGate(() => limit),
          limit,
        );
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
  /** How often each party was let through while another one waited for its turn. */
  const passed = new Map<string | undefined, Map<string | undefined, number>>();
  const those = (state: Call["state"]): Call[] => calls.filter((call) => call.state === state);
  const own = (party: string | undefined, state: Call["state"]): Call[] =>
    those(state).filter((call) => call.party === party);
  const hasItsShare = (party: string | undefined, mode: GateMode): boolean =>
    party !== undefined && mode === "shared" && own(party, "through").length >= shareOf(limit);

  const noteEntry = (call: Call): void => {
    const [first] = own(call.party, "waits");
    // First come, first served within one party.
    if (first !== undefined) expect(call.number).toBeLessThanOrEqual(first.number);
    expect(hasItsShare(call.party, call.mode)).toBe(false);
    for (const party of new Set(those("waits").map((other) => other.party))) {
      const [head] = own(party, "waits");
      if (party === call.party || head === undefined || hasItsShare(party, head.mode)) continue;
      const passes = passed.get(party) ?? new Map<string | undefined, number>();
      passes.set(call.party, (passes.get(call.party) ?? 0) + 1);
      passed.set(party, passes);
      // Nobody goes twice while somebody else waits for one turn.
      expect(passes.get(call.party)).toBeLessThanOrEqual(1);
    }
    passed.delete(call.party);
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
      for (const { party, mode } of those("waits")) expect(hasItsShare(party, mode)).toBe(true);
    }
    if (through.length === 0) expect(those("waits")).toEqual([]);
  };
  const arrive = ({ party, mode }: Step): void => {
    const call: Call = { party, mode, number: calls.length, abort: new AbortController(), state: "waits" };
    if (own(party, "waits").length === 0) passed.delete(party);
    if (gate.tryEnter(call)) {
      expect(own(party, "waits")).toEqual([]);
      noteEntry(call);
      calls.push(call);
      return;
    }
    calls.push(call);
    void enter(call);
  };
  const enter = async (call: Call): Promise<void> => {
    try {
      await gate.enter(call, call.abort.signal);
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
    if (hasItsShare(call.party, "shared")) passed.delete(call.party);
    call.state = "gone";
    gate.leave(call);
  };
  return {
    async take(step) {
      if (step.act === "arrive") arrive(step);
      else if (step.act === "leave") leave(pickFrom("through", step.pick));
      else pickFrom("waits", step.pick)?.abort.abort("enough");
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
