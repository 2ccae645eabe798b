import type { JsonValue, Store } from "../packages/core/src/index.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

/** A store under test. */
export interface OpenedStore {
  readonly store: Store;
  /** The same values, as another process has them. Default: the same store. */
  readonly other?: Store;
  readonly close?: () => Promise<void>;
}

// What a store is for: a thing that may be used once, by whoever asks first.
async function useOnce(store: Store, token: string): Promise<boolean> {
  if ((await store.get(token)) === undefined) return false;
  await store.delete(token);
  return true;
}

/** What every {@linkcode Store} holds to. */
export function describeStore(open: () => Promise<OpenedStore> | OpenedStore): void {
  describe("what every store holds to", () => {
    let store: Store;
    let other: Store;
    let close: (() => Promise<void>) | undefined;
    beforeAll(async () => {
      const opened = await open();
      [store, other, close] = [opened.store, opened.other ?? opened.store, opened.close];
    });
    afterAll(async () => close?.());

    it("keeps what JSON has, in place of what was there, until it is deleted", async () => {
      expect(await store.get("a")).toBeUndefined();
      for (const value of [{ a: [1, null, "x"] }, [], "", 0, false] satisfies JsonValue[]) {
        await store.set("a", value);
        expect(await other.get("a")).toEqual(value);
      }
      await store.set("__proto__", { b: 1 }, 60_000);
      expect(await other.get("__proto__")).toEqual({ b: 1 });
      await other.delete("__proto__");
      await other.delete("never there");
      expect(await store.get("__proto__")).toBeUndefined();
      expect(await other.get("a")).toBe(false);
      await store.delete("a");
    });

    it("carries what a host builds on it", async () => {
      await store.set("token", { tool: "pay" }, 60_000);
      expect([await useOnce(other, "token"), await useOnce(store, "token")]).toEqual([true, false]);
    });

    it("hands out values that nobody else has", async () => {
      const value = { list: [1] };
      await store.set("copies", value);
      value.list.push(2);
      const first = (await store.get("copies")) as { list: number[] };
      first.list.push(3);
      expect(await store.get("copies")).toEqual({ list: [1] });
      await store.delete("copies");
    });
  });
}

const exotic: readonly string[] = [
  "",
  " ",
  "__proto__",
  "a/../../b",
  "A",
  "a",
  "a\u0000b",
  "a\\u0000b",
  "\u00e4",
  "a\u0308",
  "\u65e5\u672c\u8a9e",
  "\u{1F511}",
  "\uD83D",
  "\uD83E",
  "x".repeat(5000),
  `${"x".repeat(5000)}y`,
];

/**
 * What a store holds to, besides, that forgets nothing but what is over and takes any text as a
 * key.
 */
export function describeEngineStore(open: () => Promise<OpenedStore> | OpenedStore): void {
  describe("what every store of an engine holds to", () => {
    let opened: Required<Omit<OpenedStore, "close">>;
    let close: (() => Promise<void>) | undefined;
    beforeAll(async () => {
      const { store, other = store, close: end } = await open();
      opened = { store, other };
      close = end;
    });
    afterAll(async () => close?.());

    it("takes any text as a key, and any that JSON has as a value, byte for byte", async () => {
      const { store, other } = opened;
      const value = { text: "\u0000\uD83D \u{1F511} \u00e4", list: [null, 1.5, -0, 1e300, { __proto__x: [] }] };
      await Promise.all(exotic.map((key, index) => store.set(key, { index, ...value })));
      const read = await Promise.all(exotic.map((key) => other.get(key)));
      expect(read).toEqual(exotic.map((_, index) => JSON.parse(JSON.stringify({ index, ...value })) as unknown));
      await Promise.all(exotic.map((key) => store.delete(key)));
      expect(await Promise.all(exotic.map((key) => other.get(key)))).toEqual(exotic.map(() => undefined));
    });

    it("forgets a value when its time is over, and one without a time never", async () => {
      const { store, other } = opened;
      await store.set("short", 1, 40);
      await store.set("long", 1, 1);
      await store.set("long", 2);
      await store.set("longest", 3, Number.MAX_VALUE);
      await expect.poll(() => other.get("short")).toBeUndefined();
      expect([await other.get("long"), await other.get("longest")]).toEqual([2, 3]);
      expect(await other.delete("short")).toBe(false);
      expect([await other.delete("long"), await other.delete("longest")]).toEqual([true, true]);
    });

    it("refuses with a TypeError what is no key, value, time or fencing token, and writes nothing", async () => {
      const { store } = opened;
      const wrong: readonly (() => Promise<unknown>)[] = [
        () => store.get(1 as never),
        () => store.set(undefined as never, 1),
        () => store.delete({} as never),
        () => store.set("wrong", undefined as never),
        () => store.set("wrong", (() => 1) as never),
        () => store.set("wrong", 1n as never),
        () => store.set("wrong", 1, 0),
        () => store.set("wrong", 1, Number.NaN),
        () => store.set("wrong", 1, "5" as never),
        () => store.set("wrong", 1, undefined, { key: "a", number: 0.5 }),
        () => store.delete("wrong", "fencing token" as never),
      ];
      for (const act of wrong) await expect(act()).rejects.toThrow(TypeError);
      expect(await store.get("wrong")).toBeUndefined();
    });
  });
}
