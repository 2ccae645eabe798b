import { describe, expect, it } from "vitest";
import { killLadder } from "./end-process.ts";
import { useTestClock } from "../../../../test/manual-clock.ts";

describe("killLadder()", () => {
  it("stops at the first rung when the leader ends and nothing is left", async () => {
    const world = createWorld();
    const result = world.climb();
    world.endLeader();
    world.alive = false;
    await expect(result).resolves.toBe(true);
    expect(world.acts).toEqual(["end"]);
    expect(world.pending()).toBe(0);
  });

  it("gives each rung its grace, then resolves with false", async () => {
    const world = createWorld();
    const result = world.climb();
    await world.advance(99);
    expect(world.acts).toEqual(["end"]);
    await world.advance(1);
    expect(world.acts).toEqual(["end", "term"]);
    await world.advance(100);
    expect(world.acts).toEqual(["end", "term", "kill"]);
    await world.advance(100);
    await expect(result).resolves.toBe(false);
    expect(world.pending()).toBe(0);
  });

  it("goes on when the leader is gone but others are not, and notices soon when they are", async () => {
    const world = createWorld();
    const result = world.climb();
    world.endLeader();
    await world.advance(100);
    expect(world.acts).toEqual(["end", "term"]);
    await world.advance(10);
    world.alive = false;
    await world.advance(50);
    await expect(result).resolves.toBe(true);
    expect(world.acts).toEqual(["end", "term"]);
    expect(world.pending()).toBe(0);
  });

  it("does not ask whether anything is left while the leader lives", async () => {
    const world = createWorld();
    const result = world.climb();
    await world.advance(300);
    await result;
    expect(world.questions).toBe(0);
  });
});

function createWorld() {
  let now = 0;
  let endLeader = (): void => {};
  const tasks = new Set<{ readonly at: number; readonly run: () => void }>();
  const leaderExited = new Promise<void>((resolve) => {
    endLeader = resolve;
  });
  useTestClock({
    now: () => now,
    schedule(delayMs, run) {
      const task = { at: now + delayMs, run };
      tasks.add(task);
      return () => void tasks.delete(task);
    },
  });
  const world = {
    acts: new Array<string>(),
    alive: true,
    questions: 0,
    endLeader,
    pending: () => tasks.size,
    climb: () =>
      killLadder({
        rungs: ["end", "term", "kill"].map((name) => ({ act: () => world.acts.push(name), graceMs: 100 })),
        leaderExited,
        isAlive: () => {
          world.questions += 1;
          return world.alive;
        },
      }),
    /** Lets time pass millisecond by millisecond, and with each what follows from it. */
    async advance(ms: number) {
      for (let step = 0; step < ms; step += 1) {
        now += 1;
        for (const task of Array.from(tasks)) {
          if (task.at > now || !tasks.delete(task)) continue;
          task.run();
        }
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }
    },
  };
  return world;
}
