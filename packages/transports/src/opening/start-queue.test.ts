import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createStartQueue, type StartPlace } from "./start-queue.ts";

const never = new AbortController().signal;

describe("createStartQueue()", () => {
  it("lets in as many as there are places, and the others in order", async () => {
    const queue = createStartQueue(2);
    const came: string[] = [];
    const waited: string[] = [];
    const enter = async (name: string): Promise<StartPlace> => {
      const place = await queue.enter(never, () => waited.push(name));
      came.push(name);
      return place;
    };
    const entering = ["a", "b", "c", "d"].map(enter);
    const [a, b] = await Promise.all(entering.slice(0, 2));
    expect([came, waited]).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
    b?.leave();
    b?.leave();
    await entering[2];
    expect(came).toEqual(["a", "b", "c"]);
    a?.leave();
    await entering[3];
  });

  it("hands out a free place at once, and none over the heads of those who wait", async () => {
    const queue = createStartQueue(1);
    const first = queue.takeFree();
    expect(queue.takeFree()).toBeUndefined();
    const next = queue.enter(never, () => undefined);
    first?.leave();
    // Who waited has it, and does not know yet.
    expect(queue.takeFree()).toBeUndefined();
    (await next).leave();
    expect(queue.takeFree()).toBeDefined();
  });

  it("forgets who gave up, before or while waiting", async () => {
    const queue = createStartQueue(1);
    const place = await queue.enter(never, () => undefined);
    const controller = new AbortController();
    const given = queue.enter(controller.signal, () => undefined);
    const next = queue.enter(never, () => undefined);
    controller.abort("enough");
    await expect(given).rejects.toBe("enough");
    place.leave();
    (await next).leave();
    await expect(queue.enter(AbortSignal.abort("before"), () => undefined)).rejects.toBe("before");
  });

  it("never lets in more than there are places, nor forgets anybody", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(fc.boolean(), { maxLength: 12 }),
        fc.scheduler(),
        async (places, abandons, scheduler) => {
          const queue = createStartQueue(places);
          let [inside, most, left] = [0, 0, 0];
          const all = abandons.map(async (abandoned, index) => {
            const controller = new AbortController();
            if (abandoned)
              void scheduler.schedule(Promise.resolve(), `abort ${index}`).then(() => controller.abort("left"));
            const free = index % 2 === 0 ? undefined : queue.takeFree();
            const place =
              free ?? (await queue.enter(controller.signal, () => undefined).catch((error: unknown) => error));
            if (place === "left") return;
            inside += 1;
            most = Math.max(most, inside);
            await scheduler.schedule(Promise.resolve(), `start ${index}`);
            inside -= 1;
            left += 1;
            // Nothing but the abort can have come of it.
            (place as StartPlace).leave();
          });
          await scheduler.waitFor(Promise.all(all));
          expect(most).toBeLessThanOrEqual(places);
          expect(left).toBeGreaterThanOrEqual(abandons.filter((abandoned) => !abandoned).length);
        },
      ),
    );
  });
});
