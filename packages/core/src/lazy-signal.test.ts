import { describe, expect, it } from "vitest";
import { createDeadline } from "./deadline.ts";
import { LazySignal, lenderOf, signalOf, toAbortSignal, withSignalOfDeadline } from "./lazy-signal.ts";

describe("LazySignal", () => {
  it("aborts the signal that somebody asked for before, and one that is asked for later, with the first reason", () => {
    const early = new LazySignal();
    const { signal } = early;
    const late = new LazySignal();
    for (const lazy of [early, late]) {
      lazy.abort("first");
      lazy.abort("second");
    }
    expect([signal.reason, late.signal.reason, late.reason]).toEqual(["first", "first", "first"]);
    expect(early.signal).toBe(signal);
  });

  it("calls all who listen and have not left, in whatever order they came and went", () => {
    const lazy = new LazySignal();
    const heard: string[] = [];
    const [first, second] = ["first", "second", "third"].map((name) => lazy.onAbort(() => heard.push(name)));
    first?.();
    first?.();
    lazy.onAbort(() => heard.push("fourth"));
    second?.();
    lazy.abort("over");
    expect(heard.sort()).toEqual(["fourth", "third"]);
    lazy.onAbort(() => heard.push("at once"));
    expect(heard.at(-1)).toBe("at once");
  });
});

describe("the signal that a deadline lends to options", () => {
  it("is an own member like any other, the same at each look, and a copy of the options has it", () => {
    const deadline = createDeadline({ timeoutMs: 1000, onTimeout: () => "late" });
    const options = withSignalOfDeadline({ deadline, timeoutMs: 5 });
    const copy = { ...options };
    expect(Object.keys(options)).toEqual(["deadline", "timeoutMs", "signal"]);
    expect([options.signal, copy.signal]).toEqual([deadline.signal, deadline.signal]);
    expect([lenderOf(options), lenderOf(copy)]).toEqual([deadline, undefined]);
    expect([signalOf(options), signalOf(copy)]).toEqual([deadline.stop, deadline.signal]);
    deadline.dispose();
  });

  it("is not taken for that of a deadline that a copy was given besides", () => {
    const [lender, other] = [0, 1].map(() => createDeadline({ timeoutMs: 1000, onTimeout: () => "late" }));
    if (lender === undefined || other === undefined) throw new Error("two were made");
    const copy = { ...withSignalOfDeadline({ deadline: lender }), deadline: other };
    expect(signalOf(copy)).toBe(lender.signal);
    for (const deadline of [lender, other]) deadline.dispose();
  });

  it("is made when something needs the signal itself", () => {
    const lazy = new LazySignal();
    const { signal } = new AbortController();
    expect([toAbortSignal(lazy), toAbortSignal(signal)]).toEqual([lazy.signal, signal]);
  });
});
