import { createMemoryLock, createMemoryStore, type JsonObject, type Store } from "@hostside/core";
import fc from "fast-check";
import { Keyv } from "keyv";
import { describe, expect, it } from "vitest";
import { createKeyvCredentials, type KeyvCredentialsOptions } from "../../src/store/create-keyv-credentials.ts";
import { createSealer, looksSealed, readSealingKeys, type SealingKey } from "../../src/store/sealer.ts";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { describeCredentialStore } from "./credential-store-contract.ts";

const key = (id: string, fill: number): SealingKey => ({ id, key: new Uint8Array(32).fill(fill) });
const [oldKey, newKey] = [key("old", 1), key("new", 2)];
const account = { kind: "account", serverId: "github", principal: "ada@example.com" } as const;

describe("createKeyvCredentials()", () => {
  describe("over a memory store", () => {
    describeCredentialStore(() => {
      const clock = useManualClock();
      const shared = {
        store: createMemoryStore(),
        lock: createMemoryLock(),
        keys: [newKey],
      } satisfies KeyvCredentialsOptions;
      const [store, other] = [createKeyvCredentials(shared), createKeyvCredentials(shared)];
      return { store, other, pass: (ms) => clock.advance(ms) };
    });
  });

  it("writes nothing that can be read, neither in names nor in values", async () => {
    const map = new Map<string, unknown>();
    const credentials = createKeyvCredentials({ store: new Keyv(map), lock: "this-process", keys: [newKey] });
    await credentials.save(account, { accessToken: "at-123", name: "ada.lovelace" });
    const kept = JSON.stringify(Array.from(map));
    expect(map.size).toBe(3);
    // Each long enough not to come up by chance in what is sealed.
    for (const text of ["github", "ada.lovelace", "at-123", "accessToken", "account"]) expect(kept).not.toContain(text);
  });

  it("reads what an older key sealed, seals anew with the first, and after reseal() needs no other", async () => {
    const store = createMemoryStore();
    const before = createKeyvCredentials({ store, lock: "this-process", keys: [oldKey] });
    const names = ["a", "b", "c"].map((serverId) => ({ kind: "account", serverId }) as const);
    const client = { kind: "client", issuer: "https://as.example", redirectUri: "http://127.0.0.1/cb" } as const;
    const pending = { kind: "pending", state: "s" } as const;
    for (const name of names) await before.save(name, { of: name.serverId });
    await before.save(client, { id: 1 });
    await before.save(pending, { verifier: "v" }, 60_000);
    const during = createKeyvCredentials({ store, lock: "this-process", keys: [newKey, oldKey] });
    expect(await during.load(names[0] ?? pending)).toEqual({ of: "a" });
    await during.save(names[0] ?? pending, { of: "a", again: true });
    // A sign-in that is under way ends by itself.
    expect(await during.reseal()).toBe(4);
    const after = createKeyvCredentials({ store, lock: "this-process", keys: [newKey] });
    expect(await Promise.all(names.map((name) => after.load(name)))).toEqual([
      { of: "a", again: true },
      { of: "b" },
      { of: "c" },
    ]);
    expect([await after.load(client), await during.load(pending)]).toEqual([{ id: 1 }, { verifier: "v" }]);
    expect(await after.accounts()).toHaveLength(3);
    await expect(before.load(client)).rejects.toThrow(/store_failed.*"new", which is not among those given \("old"\)/);
  });

  it.each<[string, (sealed: string) => string, RegExp]>([
    ["cut off", (text) => text.slice(0, 60), /was changed/],
    [
      "of an unknown key",
      (text) => text.replace(".new.", ".older."),
      /"older", which is not among those given \("new"\)/,
    ],
    ["of a newer version", (text) => text.replace("sealed-1", "sealed-2"), /another version/],
    [
      "of a version without end",
      (text) => text.replace("sealed-1", `sealed-${"9".repeat(5000)}`),
      /was not sealed by Hostside$/,
    ],
    ["not sealed", () => '{"accessToken":"x"}', /was not sealed by Hostside/],
    ["empty", () => "", /was not sealed by Hostside/],
  ])("fails for a document that is %s, names it, and overwrites nothing", async (_, damage, message) => {
    const store = createMemoryStore();
    const credentials = createKeyvCredentials({ store: watched(store, damage), lock: "this-process", keys: [newKey] });
    await credentials.save(account, { accessToken: "at-123" });
    const error = await credentials.load(account).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "store_failed", retryable: false, message: expect.stringMatching(message) });
    expect(String(error)).toContain('the credentials for "github" of "ada@example.com"');
    expect(String(error)).not.toContain("at-123");
    // It can still be forgotten, so that somebody can sign in again.
    expect(await credentials.clear(account)).toBe(true);
  });

  it("opens nothing under the name of somebody else", async () => {
    const map = new Map<string, unknown>();
    const credentials = createKeyvCredentials({ store: new Keyv(map), lock: "this-process", keys: [newKey] });
    const mallory = { ...account, principal: "mallory" };
    await credentials.save(account, { accessToken: "ada's" });
    const names = new Set(map.keys());
    await credentials.save(mallory, { accessToken: "mallory's" });
    const hashed = (name: string): boolean => /[0-9a-f]{64}$/.test(name);
    const [hers = "", his = ""] = [
      Array.from(names).find(hashed),
      Array.from(map.keys()).find((n) => hashed(n) && !names.has(n)),
    ];
    map.set(his, map.get(hers));
    await expect(credentials.load(mallory)).rejects.toThrow(/store_failed.*is of another place/);
  });

  it("takes a key as bytes and as base64", async () => {
    const store = createMemoryStore();
    const bytes = new Uint8Array(32).fill(7);
    const forms = [bytes, Buffer.from(bytes).toString("base64")];
    for (const form of forms) {
      const one = createKeyvCredentials({ store, lock: "this-process", keys: [{ id: "k", key: form }] });
      await one.save(account, { a: 1 });
      for (const again of forms) {
        const other = createKeyvCredentials({ store, lock: "this-process", keys: [{ id: "k", key: again }] });
        expect(await other.load(account)).toEqual({ a: 1 });
      }
    }
  });

  it("refuses wrong options with a TypeError that shows no key", async () => {
    const good: KeyvCredentialsOptions = { store: createMemoryStore(), lock: "this-process", keys: [newKey] };
    const wrong: readonly [object, RegExp][] = [
      [{ keys: [] }, /at least one/],
      [{ keys: [newKey, key("new", 3)] }, /two keys have the id "new"/],
      [{ keys: [{ id: "a b", key: newKey.key }] }, /letters, digits/],
      [{ keys: [{ id: "a", key: new Uint8Array(16) }] }, /32 bytes.* not 16 bytes/],
      [{ keys: [{ id: "a", key: "correct horse battery staple" }] }, /not other text/],
      [{ keys: [{ id: "a", key: "c2hvcnQ=" }] }, /32 bytes.* not 5 bytes/],
      [{ keys: [{ id: "a", key: `${"A".repeat(42)}B=` }] }, /not other text/],
      [{ keys: "key" }, /must be a list/],
      [{ lock: undefined }, /needs a lock/],
      [{ stores: 1 }, /no option "stores"/],
    ];
    for (const [change, message] of wrong) {
      const make = (): unknown => createKeyvCredentials({ ...good, ...change });
      expect(make).toThrow(TypeError);
      expect(make).toThrow(message);
      expect(make).not.toThrow("battery");
    }
  });
});

describe("a store that does not answer", () => {
  const options = { lock: "this-process", keys: [newKey] } as const;
  const failing = (fails: () => boolean): Map<string, unknown> => {
    const map = new Map<string, unknown>();
    const guard =
      <A extends unknown[], R>(method: (...args: A) => R) =>
      (...args: A): R => {
        if (fails()) throw new Error("ECONNREFUSED");
        return method(...args);
      };
    return Object.assign(map, {
      get: guard(map.get.bind(map)),
      set: guard(map.set.bind(map)),
      delete: guard(map.delete.bind(map)),
    });
  };

  it.each([false, true])(
    "is never taken for an empty one, by a Keyv whose throwOnErrors is %s",
    async (throwOnErrors) => {
      let down = false;
      const keyv = new Keyv({ store: failing(() => down), throwOnErrors });
      keyv.on("error", () => {});
      const credentials = createKeyvCredentials({ store: keyv, ...options });
      await credentials.save(account, { a: 1 });
      down = true;
      for (const operation of [
        () => credentials.load(account),
        () => credentials.load({ kind: "pending", state: "never" }),
        () => credentials.save(account, { a: 2 }),
        () => credentials.clear(account),
        () => credentials.accounts(),
      ]) {
        await expect(operation()).rejects.toMatchObject({ code: "store_failed" });
      }
      down = false;
      expect(await credentials.load(account)).toEqual({ a: 1 });
    },
  );

  it("fails when a write is swallowed, and when it is forgotten", async () => {
    const store = createMemoryStore();
    const forgetful: Store = { ...store, set: async () => true };
    const credentials = createKeyvCredentials({ store: forgetful, ...options });
    await expect(credentials.save(account, {})).rejects.toMatchObject({ code: "store_failed" });
  });

  it("is not said to forget what it was to keep for a moment", async () => {
    const clock = useManualClock();
    const store = createMemoryStore();
    const slow: Store = { ...store, set: async (...given) => store.set(...given).finally(() => clock.advance(5)) };
    const credentials = createKeyvCredentials({ store: slow, ...options });
    await credentials.save(account, {}, 1);
    expect(await credentials.load(account)).toBeUndefined();
  });

  it("is waited for no longer than the bound", async () => {
    const clock = useManualClock();
    const never = (): Promise<unknown> => new Promise(() => {});
    const credentials = createKeyvCredentials({ store: { get: never, set: never, delete: never }, ...options });
    const load = credentials.load(account);
    load.catch(() => {});
    await expect.poll(() => clock.pending()).toBe(1);
    clock.advance(5000);
    await expect(load).rejects.toThrow(/store_failed.*more than 5/);
    expect(clock.pending()).toBe(0);
  });
});

describe("createSealer()", () => {
  const [first] = readSealingKeys("a test", [newKey]);
  const sealer = createSealer([first]);
  const place = { name: "place", what: "it" };

  it("gives back any JSON document, and never the same sealed text twice", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json({ maxDepth: 4 }), async (text) => {
        const [one, two] = [await sealer.seal(place, text), await sealer.seal(place, text)];
        expect(one).not.toBe(two);
        expect(looksSealed(one)).toBe(true);
        expect(await sealer.open(place, one)).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  it("refuses any text of which one character is another, and any other place", async () => {
    const document: JsonObject = { accessToken: "at-123" };
    const sealed = await sealer.seal(place, JSON.stringify(document));
    const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=._-";
    const position = fc.nat({ max: sealed.length - 1 });
    await fc.assert(
      fc.asyncProperty(position, fc.constantFrom(...Array.from(digits)), async (at, digit) => {
        fc.pre(sealed[at] !== digit);
        const changed = sealed.slice(0, at) + digit + sealed.slice(at + 1);
        await expect(sealer.open(place, changed)).rejects.toMatchObject({ code: "store_failed" });
      }),
      { numRuns: 100 },
    );
    await expect(sealer.open({ ...place, name: "other" }, sealed)).rejects.toMatchObject({ code: "store_failed" });
  });
});

/** A store whose documents, not its index, are damaged on their way out. */
function watched(store: Store, damage: (sealed: string) => string): Store {
  return {
    ...store,
    async get(name) {
      const value = await store.get(name);
      return typeof value === "string" && /[0-9a-f]{64}$/.test(name) && !fresh.delete(name) ? damage(value) : value;
    },
    async set(name, value, ttlMs) {
      // What was written is read again once, to see that it is there.
      fresh.add(name);
      return store.set(name, value, ttlMs);
    },
  };
}
const fresh = new Set<string>();
