import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Lock } from "@hostside/core";
import { afterAll, describe, expect, it } from "vitest";
import { createFolderLock } from "../../src/node/folder-lock.ts";
import { useJumpingClock } from "../jumping-clock.ts";
import { describeSharedLock } from "../../../../test/lock-contract.ts";
import { useManualClock, useTestClock } from "../../../../test/manual-clock.ts";

const root = mkdtempSync(join(tmpdir(), "hostside-lock-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const freshFolder = (): string => mkdtempSync(join(root, `${(count += 1)}-`));

// From here on a delay is a limit that nobody is to reach, such as that of a step on the disk,
// which gets no faster.
const leastLimitMs = 5000;

/** Lets time go by so many times faster. */
function useFastClock(factor: number): void {
  useTestClock({
    now: () => performance.now() * factor,
    schedule(delayMs, task) {
      const timer = setTimeout(task, delayMs < leastLimitMs ? delayMs / factor : Math.min(delayMs, 60_000));
      return () => clearTimeout(timer);
    },
  });
}

function open(folder: string): Lock {
  return createFolderLock({
    folder: async () => folder,
    random: () => 0.5,
  });
}

const aborted = async (signal: AbortSignal): Promise<unknown> => {
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  return signal.reason;
};

describe("createFolderLock()", () => {
  describeSharedLock(() => {
    const folder = freshFolder();
    // A key of a file lock is a name of a file, which a store makes of a hash.
    const named = (lock: Lock): Lock => ({
      withLock: (key, leaseMs, work) => lock.withLock(Buffer.from(key).toString("hex").slice(0, 64), leaseMs, work),
    });
    return { one: named(open(folder)), two: named(open(folder)) };
  });

  it("goes to one alone of many who find a holder that was killed", async () => {
    const folder = freshFolder();
    useFastClock(20);
    writeFileSync(join(folder, "key.7.held"), "");
    const inside = new Set<AbortSignal>();
    let most = 0;
    const work = async (signal: AbortSignal): Promise<void> => {
      inside.add(signal);
      // Who loses the lock on a busy machine hears of it.
      most = Math.max(most, Array.from(inside).filter(({ aborted: isLost }) => !isLost).length);
      await new Promise((resolve) => setTimeout(resolve, 5));
      inside.delete(signal);
    };
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: 8 }, () => open(folder).withLock("key", 60_000, work)));
    expect(most).toBe(1);
    // 5 s of silence, twenty times faster.
    expect(performance.now() - startedAt).toBeGreaterThan(240);
  });

  it("is not taken from a holder who is alive, however long they work", async () => {
    const folder = freshFolder();
    useFastClock(20);
    const order: string[] = [];
    const first = open(folder).withLock("key", 600_000, async () => {
      await new Promise((resolve) => setTimeout(resolve, 350));
      order.push("first");
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await open(folder).withLock("key", 60_000, async () => void order.push("second"));
    await first;
    expect(order).toEqual(["first", "second"]);
  });

  it("aborts the work of a holder who stood still so long that another one has it", async () => {
    const folder = freshFolder();
    useFastClock(20);
    const reason = await open(folder).withLock("key", 60_000, (signal) => {
      writeFileSync(join(folder, "key.2.held"), "");
      return aborted(signal);
    });
    expect(reason).toMatchObject({ code: "aborted", outcome: "unknown" });
    expect(readdirSync(folder)).toContain("key.2.held");
  });

  it("has the signal of a holder who stood still be aborted before anything else goes on", async () => {
    const clock = useJumpingClock();
    const lock = createFolderLock({ folder: async () => folder, random: () => 0.5 });
    const folder = freshFolder();
    const seen = await lock.withLock("key", 60_000, async (signal) => {
      const before = signal.aborted;
      clock.advance(4000);
      // No timer has come meanwhile, and none comes before the next line.
      expect(() => signal.throwIfAborted()).toThrow(/lost, and somebody else may have it/);
      return [before, signal.aborted, signal.reason];
    });
    expect(seen).toEqual([false, true, expect.objectContaining({ code: "aborted", outcome: "unknown" })]);
  });

  it("is not taken from a holder who stood still together with the waiter, as in a container that was paused", async () => {
    const folder = freshFolder();
    const manual = useManualClock();
    let looks = 0;
    // Looks without a pause, and no other timer.
    const schedule = (delayMs: number, task: () => void): (() => void) => {
      if (delayMs > 1000) return () => {};
      looks += 1;
      const timer = setImmediate(task);
      return () => clearImmediate(timer);
    };
    useTestClock({ ...manual, schedule });
    writeFileSync(join(folder, "key.1.held"), "");
    let isTaken = false;
    const lock = createFolderLock({ folder: async () => folder, random: () => 0.5 });
    const work = lock.withLock("key", 60_000, async () => void (isTaken = true));
    await expect.poll(() => looks, { interval: 5 }).toBeGreaterThan(30);
    manual.advance(6000);
    const before = looks;
    await expect.poll(() => looks - before, { interval: 5 }).toBeGreaterThan(5);
    expect(isTaken).toBe(false);
    renameSync(join(folder, "key.1.held"), join(folder, "key.1.free"));
    await work;
  });

  it("aborts the work when the folder is gone, and never throws anywhere else", async () => {
    const folder = freshFolder();
    useFastClock(20);
    const reason = await open(folder).withLock("key", 60_000, (signal) => {
      rmSync(folder, { recursive: true });
      return aborted(signal);
    });
    expect(reason).toMatchObject({ code: "aborted" });
    await expect(open(folder).withLock("key", 1000, async () => 1)).rejects.toMatchObject({ code: "store_failed" });
  });

  it("leaves no more than two files for a key", async () => {
    const folder = freshFolder();
    const lock = open(folder);
    for (let turn = 0; turn < 5; turn += 1) await lock.withLock("key", 1000, async () => turn);
    expect(readdirSync(folder).sort()).toEqual(["key.4.free", "key.5.free"]);
  });
});
