import { describe, expect, it } from "vitest";
import { Gate, Wait, type GateMode, type GateEntry } from "./fair-queue.ts";

describe("a gate", () => {
  it("lets shared calls through together up to the limit, and exclusive ones alone", () => {
    const gate = new Gate(() => 2);
    expect([gate.tryEnter(turn("shared")), gate.tryEnter(turn("shared")), gate.tryEnter(turn("shared"))]).toEqual([
      true,
      true,
      false,
    ]);
    expect(gate.tryEnter(turn("exclusive"))).toBe(false);
    gate.leave(turn("shared"));
    gate.leave(turn("shared"));
    expect(gate.tryEnter(turn("exclusive"))).toBe(true);
    expect([gate.tryEnter(turn("shared")), gate.tryEnter(turn("exclusive"))]).toEqual([false, false]);
    gate.leave(turn("exclusive"));
    expect(gate.tryEnter(turn("shared"))).toBe(true);
    expect(gate.active).toBe(1);
  });

  it("goes by order of arrival: an exclusive call that waits holds up the shared ones behind it", async () => {
    const gate = new Gate(() => 5);
    const order: string[] = [];
    gate.tryEnter(turn("shared"));
    enter(gate, "exclusive", () => order.push("exclusive"));
    enter(gate, "shared", () => order.push("shared"));
    expect(gate.tryEnter(turn("shared"))).toBe(false);
    gate.leave(turn("shared"));
    await Promise.resolve();
    expect(order).toEqual(["exclusive"]);
    gate.leave(turn("exclusive"));
    await Promise.resolve();
    expect(order).toEqual(["exclusive", "shared"]);
  });

  it("takes who gives up out of the queue, and lets those behind go on", async () => {
    const gate = new Gate(() => 5);
    gate.tryEnter(turn("shared"));
    const wait = new Wait();
    const given = gate.enter(turn("exclusive"), wait);
    const behind = gate.enter(turn("shared"), new Wait());
    wait.giveUp("enough");
    await expect(given).rejects.toBe("enough");
    await behind;
    expect(gate.active).toBe(2);
    await expect(gate.enter(turn("shared"), wait)).rejects.toBe("enough");
    expect(gate.active).toBe(2);
  });

  it("turns away all who wait, and nobody who is through", async () => {
    const gate = new Gate(() => 1);
    gate.tryEnter(turn("shared"));
    const waiting = [gate.enter(turn("shared"), new Wait()), gate.enter(turn("exclusive"), new Wait())];
    gate.rejectAll("over");
    expect(await Promise.allSettled(waiting)).toEqual([
      { status: "rejected", reason: "over" },
      { status: "rejected", reason: "over" },
    ]);
    expect(gate.active).toBe(1);
  });

  it("asks for its limit each time", async () => {
    let limit = 1;
    const gate = new Gate(() => limit);
    gate.tryEnter(turn("shared"));
    limit = 2;
    expect(gate.tryEnter(turn("shared"))).toBe(true);
  });
});

const turn = (mode: GateMode): GateEntry => ({ mode, fairnessKey: undefined });

function enter(gate: Gate, mode: GateMode, then: () => void): void {
  void gate.enter(turn(mode), new Wait()).then(then);
}
