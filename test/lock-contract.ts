import type { Lock } from "../packages/core/src/index.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** Locks of two processes over the same thing. */
export interface OpenedLocks {
  readonly one: Lock;
  readonly two: Lock;
  readonly close?: () => Promise<void>;
}

function deferred(): { readonly done: Promise<void>; finish(): void } {
  let finish = (): void => {};
  const done = new Promise<void>((resolve) => (finish = resolve));
  return { done, finish: () => finish() };
}

/** What every lock among processes holds to. */
export function describeSharedLock(open: () => Promise<OpenedLocks> | OpenedLocks): void {
  describe("what every lock among processes holds to", () => {
    let opened: OpenedLocks;
    beforeAll(async () => void (opened = await open()));
    afterAll(async () => opened?.close?.());

    it("lets one at a time work, in one process and in two", async () => {
      let inside = 0;
      let most = 0;
      const work = async (): Promise<void> => {
        inside += 1;
        most = Math.max(most, inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside -= 1;
      };
      const { one, two } = opened;
      await Promise.all(Array.from({ length: 12 }, (_, index) => (index % 2 ? one : two).withLock("many", 5000, work)));
      expect(most).toBe(1);
    });

    it("goes to the next when the lease is over, aborts the signal, and still settles as the work does", async () => {
      const { one, two } = opened;
      const end = deferred();
      const started = deferred();
      let signal: AbortSignal | undefined;
      const first = one.withLock("lease", 100, async (own) => {
        signal = own;
        started.finish();
        await end.done;
        return "late";
      });
      await started.done;
      expect(await two.withLock("lease", 5000, async () => signal?.aborted)).toBe(true);
      expect(signal?.reason).toMatchObject({ code: "aborted" });
      // It gives back nothing that is not its own any more.
      await two.withLock("lease", 5000, async () => {
        end.finish();
        expect(await first).toBe("late");
        const probe = one.withLock("lease", 5000, async () => "third");
        const early = await Promise.race([probe, new Promise((resolve) => setTimeout(resolve, 30, "waits"))]);
        expect(early).toBe("waits");
      });
    });

    it("settles as work that fails, and is free again", async () => {
      const failure = new Error("of the work");
      const { one, two } = opened;
      await expect(one.withLock("fails", 5000, () => Promise.reject(failure))).rejects.toBe(failure);
      expect(await two.withLock("fails", 5000, async () => "next")).toBe("next");
    });

    it("refuses a lease that is none with a TypeError", async () => {
      for (const lease of [0, -1, Number.NaN, Number.POSITIVE_INFINITY]) {
        await expect(opened.one.withLock("lease", lease, async () => 1)).rejects.toThrow(TypeError);
      }
    });

    it("takes any text as a key", async () => {
      for (const key of ["", "ä\u0000", "\u{1F511}".repeat(500)]) {
        expect(await opened.one.withLock(key.replace("\u0000", " "), 5000, async () => key.length)).toBe(key.length);
      }
    });
  });
}
