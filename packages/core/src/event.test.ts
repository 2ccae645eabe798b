import { describe, expect, it, vi } from "vitest";
import { createEvent } from "./event.ts";

describe("createEvent()", () => {
  it("calls listeners in order of subscription, in the caller's turn", () => {
    const calls: string[] = [];
    const event = createEvent<number>();
    event.on((value) => calls.push(`a${value}`));
    event.on((value) => calls.push(`b${value}`));
    event.emit(1);
    event.emit(2);
    expect(calls).toEqual(["a1", "b1", "a2", "b2"]);
  });

  it.each([[undefined], [null], [{}], ["log"]])("throws a TypeError for %j, which could not be called", (listener) => {
    const event = createEvent<number>();
    // What a caller without types hands over.
    const subscribe = (): unknown => event.on(listener as never);
    expect(subscribe).toThrow(TypeError);
    expect(subscribe).toThrow("what listens to an event must be a function, not ");
    expect(event.hasListeners).toBe(false);
    event.close();
    expect(subscribe).toThrow(TypeError);
  });

  it("says whether anybody listens", () => {
    const event = createEvent<number>();
    expect(event.hasListeners).toBe(false);
    const end = event.on(() => {});
    expect(event.hasListeners).toBe(true);
    end();
    expect(event.hasListeners).toBe(false);
    event.on(() => {});
    event.close();
    expect(event.hasListeners).toBe(false);
  });

  it("counts one function that subscribes twice as two listeners, which end apart", () => {
    const calls: number[] = [];
    const event = createEvent<number>();
    const listener = (value: number): void => void calls.push(value);
    const first = event.on(listener);
    event.on(listener);
    event.emit(1);
    first();
    first();
    event.emit(2);
    expect(calls).toEqual([1, 1, 2]);
  });

  it("does not call a listener that another one ended during the emission, nor one that it added", () => {
    const calls: string[] = [];
    const event = createEvent<void>();
    event.on(() => {
      calls.push("first");
      second();
      event.on(() => calls.push("late"));
    });
    const second = event.on(() => calls.push("second"));
    event.emit();
    expect(calls).toEqual(["first"]);
    event.emit();
    expect(calls).toEqual(["first", "first", "late"]);
  });

  it("throws a listener's error outside of the emission when nobody takes it", () => {
    const later: (() => void)[] = [];
    vi.stubGlobal("queueMicrotask", (task: () => void) => later.push(task));
    const event = createEvent<void>();
    event.on(() => {
      throw new Error("observer");
    });
    event.emit();
    expect(later).toHaveLength(1);
    expect(later[0]).toThrow("observer");
  });

  it("ends all subscriptions on close, also in the middle of an emission, and takes no new ones", () => {
    const calls: string[] = [];
    const event = createEvent<void>();
    event.on(() => {
      calls.push("first");
      event.close();
    });
    const subscription = event.on(() => calls.push("second"));
    event.emit();
    event.on(() => calls.push("late"));
    event.emit();
    subscription();
    expect(calls).toEqual(["first"]);
  });

  it("ends a subscription with `using`", () => {
    const calls: number[] = [];
    const event = createEvent<number>();
    {
      using _subscription = event.on((value) => calls.push(value));
      event.emit(1);
    }
    event.emit(2);
    expect(calls).toEqual([1]);
  });
});
