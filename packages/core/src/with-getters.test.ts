import { describe, expect, it } from "vitest";
import { withGetters } from "./with-getters.ts";

interface Counter {
  readonly count: number;
  readonly isEven: boolean;
  add(): void;
}

function createCounter(): Counter {
  let count = 0;
  return withGetters<Counter, "count" | "isEven">(
    { add: () => void (count += 1) },
    { count: () => count, isEven: () => count % 2 === 0 },
  );
}

describe("withGetters()", () => {
  it("reads what is so now, for each object by itself", () => {
    const [one, other] = [createCounter(), createCounter()];
    one.add();
    expect([one.count, one.isEven, other.count, other.isEven]).toEqual([1, false, 0, true]);
  });

  it("makes getters once for all objects that have the same", () => {
    expect(Object.getPrototypeOf(createCounter())).toBe(Object.getPrototypeOf(createCounter()));
    expect(Object.getPrototypeOf(createCounter())).not.toBe(
      Object.getPrototypeOf(withGetters<{ readonly size: number }, "size">({}, { size: () => 1 })),
    );
  });

  it("has getters that cannot be assigned to, and shows nothing else of itself", () => {
    const counter = createCounter();
    expect(() => Object.assign(counter, { count: 5 })).toThrow(TypeError);
    expect(Reflect.ownKeys({ ...counter })).toEqual(["add"]);
  });
});
