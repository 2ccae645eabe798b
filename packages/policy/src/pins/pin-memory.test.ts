import { createMemoryLock, createMemoryStore, type Store } from "@hostside/core";
import { readVersioned } from "@hostside/core/implement";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPinMemory, type PinMemory } from "./pin-memory.ts";
import { pinsFormat, readPinRecord, withApproved, withFirstUse, withoutPins, writePinRecord } from "./pin-record.ts";
import { createNoticeBus } from "../../test/notice-bus.ts";

const serverId = fc.constantFrom("a", "b", "__proto__");
const toolName = fc.constantFrom("read", "constructor", "");
const fingerprint = fc.constantFrom("sha256-1", "sha256-2");
const tools = fc.array(fc.tuple(toolName, fingerprint), { maxLength: 3 }).map((pairs) => new Map(pairs));
const step = fc.record({
  process: fc.nat(1),
  do: fc.constantFrom("trust" as const, "approve" as const, "revoke" as const, "load" as const),
  serverId,
  tools,
});
const nothing = (): void => {};

function slowStore(store: Store, scheduler: fc.Scheduler): Store {
  return {
    async get(key) {
      await scheduler.schedule(Promise.resolve(), "get");
      // What was read may be old when it arrives.
      return scheduler.schedule(store.get(key), "got");
    },
    async set(key, value, ...more) {
      await scheduler.schedule(Promise.resolve(), "set");
      return store.set(key, value, ...more);
    },
    delete: (key) => store.delete(key),
  };
}

describe("the memory of pins", () => {
  it("agrees with the store and with other processes in the end, and loses no approval, in any order of events", async () => {
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(step, { maxLength: 10 }), async (scheduler, steps) => {
        const kept = createMemoryStore();
        const store = slowStore(kept, scheduler);
        const lock = createMemoryLock();
        const done: string[] = [];
        const bus = createNoticeBus((task) => void scheduler.schedule(Promise.resolve(), "notice").then(task));
        const memories: readonly PinMemory[] = [0, 1].map(() => {
          const notices = bus.replica();
          return createPinMemory({ store, lock, notices, onChange: nothing, onFailure: nothing });
        });
        await scheduler.waitFor(Promise.all(memories.map((memory) => memory.load())));
        const begin = async (one: (typeof steps)[number], at: number): Promise<void> => {
          const memory = memories[one.process];
          if (memory === undefined) return;
          if (one.do === "trust") return memory.trust(one.serverId, one.tools);
          if (one.do === "load") return memory.load();
          const onKept = (): void => void done.push(`${one.do} ${at}`);
          if (one.do === "approve") return memory.approve(one.serverId, one.tools, onKept);
          return memory.revoke([one.serverId], Array.from(one.tools.keys()), onKept);
        };
        const begun = steps.map(begin);
        await scheduler.waitFor(Promise.all([...begun, ...memories.map((memory) => memory.settle())]));
        // What somebody did is there in the order in which it was kept.
        const stored = readPinRecord(readVersioned(await kept.get("hostside:policy:pins"), pinsFormat));
        for (const id of new Set(steps.map((one) => one.serverId))) {
          const acts = done.flatMap((act) => {
            const one = steps[Number(act.split(" ")[1])];
            return one?.serverId === id ? [one] : [];
          });
          for (const name of new Set(acts.flatMap((one) => Array.from(one.tools.keys())))) {
            const last = acts.findLast((one) => one.tools.has(name));
            const pin = stored.get(id)?.get(name);
            expect(pin?.approved.at(-1)).toBe(last?.do === "approve" ? last.tools.get(name) : undefined);
          }
        }
        await scheduler.waitIdle();
        for (const memory of memories) {
          expect(writePinRecord(memory.record ?? new Map())).toEqual(writePinRecord(stored));
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe("a record of pins", () => {
  it("is the same after it was kept, whatever servers call their tools", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ serverId, tools, do: step.map((one) => one.do) })), (acts) => {
        let record = new Map() as ReturnType<typeof readPinRecord>;
        for (const act of acts) {
          if (act.do === "trust") record = withFirstUse(record, act.serverId, act.tools);
          else if (act.do === "approve") record = withApproved(record, act.serverId, act.tools);
          else record = withoutPins(record, act.serverId, Array.from(act.tools.keys()));
        }
        const json: unknown = JSON.parse(JSON.stringify(writePinRecord(record)));
        expect(readPinRecord(json)).toEqual(record);
      }),
    );
  });

  it("keeps the first use of a server that is known, and the last eight approvals of a tool", () => {
    const first = withFirstUse(new Map(), "a", new Map([["x", "1"]]));
    expect(withFirstUse(first, "a", new Map([["y", "2"]]))).toBe(first);
    let record = first;
    for (let index = 0; index < 10; index += 1) record = withApproved(record, "a", new Map([["x", `f${index}`]]));
    expect(record.get("a")?.get("x")).toEqual({
      trusted: "1",
      approved: ["f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9"],
    });
    expect(withoutPins(record, "a", undefined).get("a")).toEqual(new Map());
  });

  it.each([[1], [[]], ["x"], [{}], [{ servers: {} }], [{ servers: [[1, []]] }]])(
    "is not taken for an empty one when it is %j",
    (value) => {
      expect(() => readPinRecord(value)).toThrow(
        "what the store has of the pins of the policy is not what was kept there",
      );
    },
  );
});
