import fc from "fast-check";
import type { Program, Step } from "./simulate-pool.ts";
import type { SharedProgram, SharedStep } from "./shared-parts.ts";

const key = fc.constantFrom("a", "b", "c");
const nth = fc.nat({ max: 3 });

function stepOf<Type extends Step["type"] | SharedStep["type"]>(type: Type): { readonly type: fc.Arbitrary<Type> } {
  return { type: fc.constant(type) };
}

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ ...stepOf("want"), key }) },
  { weight: 4, arbitrary: fc.record({ ...stepOf("lease"), key }) },
  { weight: 5, arbitrary: fc.record({ ...stepOf("finish-make"), nth }) },
  { weight: 3, arbitrary: fc.record({ ...stepOf("finish-close"), nth }) },
  { weight: 3, arbitrary: fc.record({ ...stepOf("release"), nth }) },
  { weight: 2, arbitrary: fc.record({ ...stepOf("call"), key }) },
  { weight: 2, arbitrary: fc.record({ ...stepOf("endCall"), nth }) },
  fc.record({ ...stepOf("dispose"), key }),
  fc.record({ ...stepOf("crash"), key }),
  fc.record({ ...stepOf("give-up"), nth }),
  fc.record({ ...stepOf("fail-make"), nth }),
  fc.record({ ...stepOf("update"), servers: fc.nat({ max: 2 }) }),
  { weight: 3, arbitrary: fc.record({ ...stepOf("wait"), ms: fc.constantFrom(100, 250, 500, 1000) }) },
  { weight: 2, arbitrary: fc.record({ ...stepOf("ticks"), count: fc.integer({ min: 1, max: 12 }) }) },
  fc.record(stepOf("turn")),
);

/** Programs that a pool has to survive. */
export const randomProgram: fc.Arbitrary<Program> = fc.array(
  fc.record({ step, isFollowed: fc.oneof({ weight: 2, arbitrary: fc.constant(false) }, fc.constant(true)) }),
  { maxLength: 40, size: "max" },
);

const who = fc.nat({ max: 5 });
const sharedStep: fc.Arbitrary<SharedStep> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ ...stepOf("lease"), who }) },
  { weight: 8, arbitrary: fc.record({ ...stepOf("finish-make"), nth }) },
  { weight: 4, arbitrary: fc.record({ ...stepOf("finish-close"), nth }) },
  { weight: 4, arbitrary: fc.record({ ...stepOf("finish-apply"), nth }) },
  { weight: 4, arbitrary: fc.record({ ...stepOf("release"), nth }) },
  { weight: 2, arbitrary: fc.record({ ...stepOf("call"), nth }) },
  { weight: 2, arbitrary: fc.record({ ...stepOf("endCall"), nth }) },
  fc.record({ ...stepOf("refuse-apply"), nth }),
  fc.record({ ...stepOf("dispose"), who }),
  fc.record({ ...stepOf("dispose-principal"), who }),
  fc.record({ ...stepOf("crash"), nth }),
  fc.record({ ...stepOf("give-up"), nth }),
  fc.record({ ...stepOf("fail-make"), nth }),
  { weight: 3, arbitrary: fc.record({ ...stepOf("update"), set: fc.nat({ max: 7 }) }) },
  { weight: 4, arbitrary: fc.record({ ...stepOf("wait"), ms: fc.constantFrom(100, 250, 500, 1000) }) },
  { weight: 2, arbitrary: fc.record({ ...stepOf("ticks"), count: fc.integer({ min: 1, max: 12 }) }) },
  fc.record(stepOf("turn")),
);

/** Programs that shared providers have to survive. */
export const randomSharedProgram: fc.Arbitrary<SharedProgram> = fc.array(
  fc.record({
    step: sharedStep,
    isFollowed: fc.oneof({ weight: 2, arbitrary: fc.constant(false) }, fc.constant(true)),
  }),
  { maxLength: 50, size: "max" },
);
