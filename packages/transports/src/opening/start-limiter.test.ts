import type { Cancel } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { StartLimiter } from "./start-limiter.ts";

const never = new AbortController().signal;

function open(places: number) {
  const clock = useManualClock();
  const starts = new StartLimiter(places);
  const events: string[] = [];
  const enter = async (name: string, signal = never): Promise<Cancel> => {
    const hooks = { onQueued: () => events.push(`${name} waits`), onStart: () => events.push(`${name} starts`) };
    const leave = await starts.acquire(name, { hooks, signal });
    events.push(name);
    return leave;
  };
  return { enter, events, clock };
}

describe("StartLimiter", () => {
  it("lets in as many as there are places, and the others in order", async () => {
    const { enter, events } = open(2);
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => enter(name));
    const [leaveA, leaveB] = await Promise.all([a, b]);
    expect(events).toEqual(["c waits", "d waits", "a", "b"]);
    leaveB?.();
    leaveB?.();
    await c;
    expect(events.slice(4)).toEqual(["c starts", "c"]);
    leaveA?.();
    await d;
    expect(events.slice(6)).toEqual(["d starts", "d"]);
  });

  it("ends a turn after five seconds", async () => {
    const { enter, clock } = open(1);
    const leave = await enter("a");
    const waiting = enter("b");
    clock.advance(5000);
    (await waiting)();
    leave();
    expect(clock.pending()).toBe(0);
  });

  it("leaves out one that is given up, before or while it waits", async () => {
    const { enter } = open(1);
    const leave = await enter("a");
    const giving = new AbortController();
    const given = enter("b", giving.signal);
    const next = enter("c");
    giving.abort(new Error("enough"));
    await expect(given).rejects.toMatchObject({ code: "aborted", outcome: "not-sent", cause: new Error("enough") });
    await expect(enter("d", AbortSignal.abort())).rejects.toMatchObject({ code: "aborted" });
    leave();
    await next;
  });
});
