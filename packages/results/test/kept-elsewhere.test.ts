import { createMemoryLock, createMemoryStore, type JsonValue, type Lock, type Store } from "@hostside/core";
import { createMemorySink, createResults, createStoreSink, type Presented, type ReadAnswer } from "@hostside/results";
import { describe, expect, it } from "vitest";
import { outcomeOf, text } from "./outcomes.ts";

const context = { conversation: "c1", principal: "ada" };

/** A store that shows what is in it. */
function openStore(): Store & { readonly kept: Map<string, JsonValue> } {
  const kept = new Map<string, JsonValue>();
  return {
    kept,
    get: async (key) => kept.get(key),
    set: async (key, value) => kept.set(key, JSON.parse(JSON.stringify(value)) as JsonValue),
    delete: async (key) => kept.delete(key),
  };
}

function handleIn({ omitted }: Presented): string {
  return omitted[0]?.handle ?? "";
}

describe("createStoreSink()", () => {
  const long = "wörd ".repeat(80_000);
  const presented = outcomeOf({ content: [text(long)] });

  it("lets another replica page through what one kept, in its conversation and for its principal alone", async () => {
    const store = createMemoryStore();
    const [one, other] = [0, 1].map(() => createResults({ store, sink: createStoreSink({ store }) }));
    const handle = handleIn((await one?.present(presented, { context })) as Presented);
    let read = "";
    for (let offset: number | undefined = 0; offset !== undefined;) {
      const page: ReadAnswer | undefined = await other?.read({ handle, offset }, { context });
      if (page?.kind !== "text") throw new Error(JSON.stringify(page));
      read += page.text;
      offset = page.next;
    }
    expect(read).toBe(long);
    expect(await other?.read({ handle, query: "wörd" }, { context })).toMatchObject({ kind: "matches" });
    for (const stranger of [{ ...context, principal: "bob" }, { ...context, conversation: "c2" }, undefined]) {
      expect(await other?.read({ handle }, { context: stranger })).toMatchObject({ reason: "unknown-handle" });
    }
    for (const whose of [{ ...context, principal: "bob" }, { conversation: "c1" }, {}]) await other?.forget(whose);
    expect(await one?.read({ handle }, { context })).toMatchObject({ kind: "text" });
    await other?.forget(context);
    expect(await one?.read({ handle }, { context })).toMatchObject({ reason: "unknown-handle" });
  });

  it("says undefined where something else stands in the store", async () => {
    const store = openStore();
    const sink = createStoreSink({ store });
    const data = Uint8Array.from({ length: 300_000 }, (_, at) => at % 251);
    const put = await sink.put({ data, mimeType: "x/y" });
    const key = put.kept ? put.key : "";
    expect(await sink.read(key)).toEqual(data);
    const [kept = ""] = store.kept.keys();
    for (const rubbish of [{ version: 1, value: "%" }, { version: 2, value: "" }, "text"]) {
      store.kept.set(kept, rubbish);
      expect(await sink.read(key)).toBeUndefined();
    }
    expect(await sink.delete(key)).toBe(true);
    expect(store.kept.size).toBe(0);
    expect(await sink.delete(key)).toBe(false);
  });

  it("gives larger ones to another sink", async () => {
    const store = openStore();
    const blob = { data: new Uint8Array(150_000), mimeType: "x/y" };
    const memory = createMemorySink();
    const sink = createStoreSink({ store, maxBlobBytes: 10, larger: memory });
    const [small, large] = [await sink.put({ ...blob, data: new Uint8Array(10) }), await sink.put(blob)];
    if (!small.kept || !large.kept) throw new Error("not kept");
    expect(await memory.read(large.key)).toHaveLength(150_000);
    expect(await sink.read(large.key)).toHaveLength(150_000);
    await sink.delete(large.key);
    expect(await memory.read(large.key)).toBeUndefined();
    expect(await createStoreSink({ store, maxBlobBytes: 10 }).put(blob)).toEqual({ kept: false, reason: "too-large" });
  });

  it("refuses parts that are none with a TypeError", () => {
    expect(() => createStoreSink({ store: {} as Store })).toThrow("store must have get(), set(), delete()");
    expect(() => createStoreSink({ store: createMemoryStore(), larger: {} as never })).toThrow(
      "larger must have put()",
    );
    expect(() => createStoreSink({ store: createMemoryStore(), most: 1 } as never)).toThrow(TypeError);
  });
});

describe("handles over a shared store", () => {
  it("are unknown where the bytes are with another replica", async () => {
    const store = createMemoryStore();
    const [one, other] = [0, 1].map(() => createResults({ store, sink: createMemorySink() }));
    const handle = handleIn(
      (await one?.present(outcomeOf({ content: [text("x".repeat(50_000))] }), { context })) as Presented,
    );
    expect(await other?.read({ handle }, { context })).toMatchObject({
      reason: "unknown-handle",
      message: expect.stringContaining("is with another process"),
    });
    expect(await one?.read({ handle }, { context })).toMatchObject({ kind: "text" });
  });

  it("of a later version are left as they are: said when read, and a new result is shown without one", async () => {
    const store = openStore();
    const diagnostics: string[] = [];
    const results = createResults({
      store,
      sink: createStoreSink({ store }),
      onDiagnostic: ({ message }) => diagnostics.push(message),
    });
    const outcome = outcomeOf({ content: [text("x".repeat(50_000))] });
    const handle = handleIn(await results.present(outcome, { context }));
    const later = [...store.kept].filter(([key]) => !key.includes(":blob:")).map(([key]) => key);
    expect(later).toHaveLength(1);
    for (const key of later) store.kept.set(key, { version: 2, value: { all: "new" } });
    expect(await results.read({ handle }, { context })).toMatchObject({
      reason: "unavailable",
      message: expect.stringContaining("what keeps it failed"),
    });
    expect((await results.present(outcome, { context })).omitted[0]).not.toHaveProperty("handle");
    expect(diagnostics).toEqual([
      expect.stringContaining("was not kept whole: what keeps such things failed (store_failed)"),
    ]);
    await expect(results.forget(context)).rejects.toMatchObject({ code: "store_failed" });
    for (const key of later) expect(store.kept.get(key)).toEqual({ version: 2, value: { all: "new" } });
  });

  it("that could not be deleted are deleted by the next forget()", async () => {
    const store = createMemoryStore();
    const sink = createStoreSink({ store });
    const gone: string[] = [];
    let isDown = true;
    const results = createResults({
      store,
      sink: {
        ...sink,
        async delete(key) {
          if (isDown) throw new Error("down");
          gone.push(key);
          await sink.delete(key);
        },
      },
    });
    const outcome = outcomeOf({ content: [text("x".repeat(50_000))] });
    const handle = handleIn(await results.present(outcome, { context }));
    await expect(results.forget(context)).rejects.toThrow("down");
    expect(await results.read({ handle }, { context })).toMatchObject({ reason: "unknown-handle" });
    isDown = false;
    await results.forget(context);
    expect(gone).toHaveLength(1);
  });

  it("are not written by who lost the lock without noticing", async () => {
    const store = createMemoryStore();
    const real = createMemoryLock();
    // Its holder stands still, and somebody else has the lock after it.
    const lost: Lock = {
      withLock: (key, leaseMs, work) =>
        real.withLock(key, leaseMs, async (signal, fencingToken) => {
          if (fencingToken !== undefined)
            await store.set("other", 1, undefined, { ...fencingToken, number: fencingToken.number + 1 });
          return work(signal, fencingToken);
        }),
    };
    const results = createResults({ store, lock: lost, sink: createMemorySink() });
    const presented = await results.present(outcomeOf({ content: [text("x".repeat(50_000))] }), { context });
    expect(presented.omitted[0]).not.toHaveProperty("handle");
  });
});
