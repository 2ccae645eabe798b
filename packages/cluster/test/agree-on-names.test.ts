import { createMemoryLock, createMemoryStore, type Store } from "@hostside/core";
import { agreeOnNames } from "@hostside/cluster";
import { createNameBook, type McpProvider } from "@hostside/provider";
import { createCalmWorld } from "../../provider/test/calm-world.ts";
import { specOf } from "../../provider/test/simulation/simulated-server.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

// Which of them gets the plain names depends on who is registered first.
const ids = ["g", "g_p", "g_p_q"];
const signal = new AbortController().signal;
const namesOf = (serverId: string, ...names: readonly (readonly [string, string])[]) =>
  ({ version: 1, servers: [[serverId, names]] }) as const;

describe("agreeOnNames()", () => {
  it("has eight books agree, in whatever order their servers list and the store answers", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.shuffledSubarray(ids, { minLength: 3 }), { minLength: 8, maxLength: 8 }),
        async (scheduler, orders) => {
          const kept = createMemoryStore();
          const store: Store = {
            get: (key) => scheduler.schedule(kept.get(key)),
            set: async (...write) => scheduler.schedule(kept.set(...write)),
            delete: (key) => kept.delete(key),
          };
          const agree = agreeOnNames({ store, lock: createMemoryLock({ clock: createCalmWorld().clock }) });
          const providers = orders.map((order) => {
            const world = createCalmWorld();
            for (const id of ids) world.server(id, "list", "p_list", "q_list", "p_q_list");
            const provider = world.provider({ names: createNameBook({ agree }) });
            return { provider, listed: inOrder(provider, order) };
          });
          await scheduler.waitFor(Promise.all(providers.map(({ listed }) => listed)));
          const [first, ...others] = providers.map(({ provider }) => provider.savedNames());
          expect(first?.servers.flatMap(([, tools]) => tools)).toHaveLength(12);
          for (const other of others) expect(other).toEqual(first);
          await Promise.all(providers.map(({ provider }) => provider.close()));
        },
      ),
      { numRuns: 15 },
    );
  });

  it("answers what was there first, and whose a name is that somebody else has", async () => {
    const agree = agreeOnNames({ store: createMemoryStore(), lock: createMemoryLock() });
    await expect(agree(namesOf("s", ["t", "Name"]), signal)).resolves.toEqual(namesOf("s", ["t", "Name"]));
    await expect(agree(namesOf("s", ["t", "other"]), signal)).resolves.toEqual(namesOf("s", ["t", "Name"]));
    await expect(agree(namesOf("x", ["y", "NAME"]), signal)).resolves.toEqual(namesOf("s", ["t", "NAME"]));
  });

  it("takes no lock for what is known, writes with the fencing token of the lock, and refuses too many names", async () => {
    const store = createMemoryStore();
    const writes: unknown[][] = [];
    let locked = 0;
    const lock = createMemoryLock();
    const agree = agreeOnNames({
      store: {
        get: (key) => store.get(key),
        set: (...write) => (writes.push(write), store.set(...write)),
        delete: (key) => store.delete(key),
      },
      lock: { withLock: (...held) => ((locked += 1), lock.withLock(...held)) },
      key: "names",
      maxNames: 2,
    });
    await agree(namesOf("s", ["a", "a"], ["b", "b"]), signal);
    await agree(namesOf("s", ["b", "b"]), signal);
    expect([locked, writes]).toEqual([
      1,
      [["names", { version: 1, value: namesOf("s", ["a", "a"], ["b", "b"]) }, undefined, { key: "names", number: 1 }]],
    ]);
    await expect(agree(namesOf("s", ["c", "c"]), signal)).rejects.toMatchObject({ code: "store_failed" });
  });

  it.each([
    ["a later version", { version: 2, value: {} }],
    ["something else", "rubbish"],
    ["names of another shape", { version: 1, value: { servers: [["s", { t: "n" }]] } }],
  ])("leaves %s in the store as it is", async (_, value) => {
    const store = createMemoryStore();
    await store.set("hostside:names", value);
    const agree = agreeOnNames({ store, lock: createMemoryLock() });
    await expect(agree(namesOf("s", ["t", "n"]), signal)).rejects.toMatchObject({ code: "store_failed" });
    expect(await store.get("hostside:names")).toEqual(value);
  });

  it("writes nothing when nobody waits any more", async () => {
    const store = createMemoryStore();
    const agree = agreeOnNames({ store, lock: createMemoryLock() });
    await expect(agree(namesOf("s", ["t", "n"]), AbortSignal.abort("late"))).rejects.toBe("late");
    expect(await store.get("hostside:names")).toBeUndefined();
  });

  it("refuses what it does not understand", () => {
    const store = createMemoryStore();
    const lock = createMemoryLock();
    for (const wrong of [
      { store },
      { lock },
      { store, lock, key: "" },
      { store, lock, maxNames: 0 },
      { store, lock, ttl: 1 },
    ]) {
      expect(() => agreeOnNames(wrong as never)).toThrow(TypeError);
    }
  });
});

async function inOrder(provider: McpProvider, order: readonly string[]): Promise<void> {
  for (const id of order) await provider.addServer(specOf(id));
}
