import type { JsonObject } from "@hostside/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { CredentialKey, CredentialStore } from "../../src/store/credential-store.ts";
import { useClock } from "@hostside/core/implement";

/** A store under test. */
export interface OpenedStore {
  readonly store: CredentialStore;
  /** The same documents, as another process has them. Default: the same store. */
  readonly other?: CredentialStore;
  /** Lets time pass for what has a time to live. */
  readonly pass: (ms: number) => Promise<void> | void;
  readonly close?: () => Promise<void>;
}

const account = (serverId: string, principal?: string): CredentialKey => ({ kind: "account", serverId, principal });

const exotic: readonly string[] = [
  "",
  " ",
  "__proto__",
  "constructor",
  "a/../../b",
  "C:\\nul",
  "NUL",
  "a\u0000b",
  "ä",
  "a\u0308",
  "日本語",
  "\u{1F511}",
  "\uD800",
  '["account"]',
  "x".repeat(5000),
];

interface Opened extends OpenedStore {
  readonly other: CredentialStore;
}

/** What every {@linkcode CredentialStore} holds to. */
export function describeCredentialStore(open: () => Promise<OpenedStore> | OpenedStore): void {
  describe("what every store holds to", () => {
    const get = openForAll(open);
    testSharing(get);
    testKeysAndDocuments(get);
  });
}

/**
 * As much of it as depends on what the store is made over: for `pnpm test`; `pnpm proof stores` has
 * all.
 */
export function describeSharedCredentials(open: () => Promise<OpenedStore> | OpenedStore): void {
  describe("what every store among processes holds to", () => {
    testSharing(openForAll(open));
  });
}

function openForAll(open: () => Promise<OpenedStore> | OpenedStore): () => Opened {
  let opened: Opened;
  beforeAll(async () => {
    const given = await open();
    opened = { ...given, other: given.other ?? given.store };
  });
  afterAll(async () => {
    await opened?.close?.();
    useClock();
  });
  return () => opened;
}

function testSharing(get: () => Opened): void {
  it("keeps a document until it is replaced or cleared", async () => {
    const { store, other } = get();
    const key = account("life");
    expect(await store.load(key)).toBeUndefined();
    await store.save(key, { a: 1, text: "é\u0000\u{1F511}", list: [null, true, { b: [] }] });
    expect(await other.load(key)).toEqual({ a: 1, text: "é\u0000\u{1F511}", list: [null, true, { b: [] }] });
    await other.save(key, { a: 2 });
    expect(await store.load(key)).toEqual({ a: 2 });
    expect(await store.clear(key)).toBe(true);
    expect(await other.load(key)).toBeUndefined();
    expect(await other.clear(key)).toBe(false);
  });

  it("forgets a document when its time is over, and not before", async () => {
    const { store, other, pass } = get();
    const key: CredentialKey = { kind: "pending", state: "ttl" };
    const lasting = account("ttl");
    await store.save(key, { a: 1 }, 60_000);
    await store.save(lasting, { a: 1 }, 1);
    await store.save(lasting, { a: 2 });
    expect(await other.load(key)).toEqual({ a: 1 });
    await store.save(key, { a: 2 }, 40);
    await pass(60);
    expect(await other.load(key)).toBeUndefined();
    expect(await other.clear(key)).toBe(false);
    expect(await other.load(lasting)).toEqual({ a: 2 });
    await store.clear(lasting);
  });

  it("keeps one of two documents that are saved at once, whole, and lists both accounts of two", async () => {
    const { store, other } = get();
    const key = account("race");
    const documents = Array.from({ length: 8 }, (_, index) => ({ index, text: String(index).repeat(2000) }));
    await Promise.all(documents.map((document, index) => (index % 2 ? store : other).save(key, document)));
    const read = await store.load(key);
    expect(documents).toContainEqual(read);
    await Promise.all([store.save(account("race", "a"), {}), other.save(account("race", "b"), {})]);
    expect(sorted(await store.accounts())).toEqual(sorted([key, account("race", "a"), account("race", "b")]));
    await Promise.all([store.clear(key), other.clear(account("race", "a")), store.clear(account("race", "b"))]);
    expect(await store.accounts()).toEqual([]);
  });

  it("lets one at a time read, change and write", async () => {
    const { store, other } = get();
    const key = account("sum");
    const add = async (one: CredentialStore): Promise<void> =>
      one.withLock(key, 10_000, async (signal) => {
        const sum = (await one.load(key))?.["sum"] ?? 0;
        await one.save(key, { sum: Number(sum) + 1 });
        expect(signal.aborted).toBe(false);
      });
    await Promise.all(Array.from({ length: 6 }, (_, index) => add(index % 2 ? store : other)));
    expect(await store.load(key)).toEqual({ sum: 6 });
    await store.clear(key);
  });

  it("saves nothing for who has lost the lock, in place of what the next one saved", async () => {
    const { store, other, pass } = get();
    const key = account("late");
    const late = store.withLock(key, 30, async (signal) => {
      await pass(40);
      await other.withLock(key, 10_000, () => other.save(key, { of: "next" }));
      expect(signal.aborted).toBe(true);
      return store.save(key, { of: "late" });
    });
    await expect(late).rejects.toMatchObject({ code: "store_failed" });
    expect(await store.load(key)).toEqual({ of: "next" });
    await store.clear(key);
  });
}

function testKeysAndDocuments(get: () => Opened): void {
  it("gives every reader a document of its own", async () => {
    const { store } = get();
    const key = account("copies");
    const given: { list: number[] } = { list: [1] };
    await store.save(key, given);
    given.list.push(2);
    const read = await store.load(key);
    (read as { list: number[] }).list.push(3);
    expect(await store.load(key)).toEqual({ list: [1] });
  });

  it("keeps the kinds apart, and an absent principal from any other", async () => {
    const { store, other } = get();
    const keys: readonly CredentialKey[] = [
      account("same"),
      account("same", ""),
      account("same", "undefined"),
      account("same", "same"),
      { kind: "client", issuer: "same", redirectUri: "same" },
      { kind: "client", issuer: "same", redirectUri: "" },
      { kind: "pending", state: "same" },
    ];
    await Promise.all(keys.map((key, index) => store.save(key, { index })));
    expect(await Promise.all(keys.map((key) => other.load(key)))).toEqual(keys.map((_, index) => ({ index })));
    const { principal: _, ...bare } = { ...account("same"), principal: undefined };
    expect(await store.load(bare as CredentialKey)).toEqual({ index: 0 });
    await Promise.all(keys.map((key) => store.clear(key)));
  });

  it("takes any text as an id, byte for byte, and lists the accounts alone", async () => {
    const { store, other } = get();
    const before = await store.accounts();
    await Promise.all(before.map((key) => store.clear(key)));
    const keys = exotic.flatMap((text) => [account(text), account("s", text)]);
    await Promise.all(keys.map((key, index) => store.save(key, { index })));
    await store.save({ kind: "client", issuer: "i", redirectUri: "r" }, {});
    await store.save({ kind: "pending", state: "p" }, {}, 60_000);
    expect(await Promise.all(keys.map((key) => other.load(key)))).toEqual(keys.map((_, index) => ({ index })));
    const listed = await other.accounts();
    expect(sorted(listed)).toEqual(sorted(keys));
    expect(Object.hasOwn(listed.find(({ serverId }) => serverId === "ä") ?? {}, "principal")).toBe(false);
    await Promise.all(keys.map((key) => store.clear(key)));
    expect(await other.accounts()).toEqual([]);
  });

  it("keeps members called __proto__, and large documents", async () => {
    const { store, other } = get();
    const key = account("large");
    const document = JSON.parse(`{"__proto__":{"x":1},"text":${JSON.stringify("ü".repeat(200_000))}}`) as JsonObject;
    await store.save(key, document);
    expect(JSON.stringify(await other.load(key))).toBe(JSON.stringify(document));
    await store.clear(key);
  });

  it("gives the lock back when the work fails, and settles as it does", async () => {
    const { store, other } = get();
    const key = account("failing");
    const failure = new Error("of the work");
    await expect(store.withLock(key, 1000, async () => Promise.reject(failure))).rejects.toBe(failure);
    expect(await other.withLock(key, 1000, async () => "next")).toBe("next");
  });

  it("holds up nobody who wants another key", async () => {
    const { store, other } = get();
    const nested = store.withLock(account("outer"), 10_000, async () =>
      other.withLock(account("inner"), 10_000, async () => "both"),
    );
    expect(await nested).toBe("both");
  });

  it("refuses with a TypeError what is no lease", async () => {
    const { store } = get();
    await expect(store.withLock(account("a"), 0, async () => 1)).rejects.toThrow("leaseMs");
    expect(await store.load(account("a"))).toBeUndefined();
  });
}

function sorted(keys: readonly CredentialKey[]): readonly string[] {
  return keys.map((key) => JSON.stringify(key.kind === "account" ? [key.serverId, key.principal] : key)).sort();
}
