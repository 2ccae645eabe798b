import { mkdtempSync, rmSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HostsideError } from "@hostside/core";
import { afterAll, describe, expect, it, vi } from "vitest";
import { createFileCredentials } from "../../src/node/create-file-credentials.ts";
import { createKeyringCredentials, type KeyringCredentials } from "../../src/node/create-keyring-credentials.ts";
import type { KeyringEntry, KeyringModule } from "../../src/node/keyring-key.ts";

const root = mkdtempSync(join(tmpdir(), "hostside-keyring-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const freshFolder = (): string => join(root, `store-${(count += 1)}`);

const account = { kind: "account", serverId: "github" } as const;
const other = { kind: "account", serverId: "other" } as const;

interface FakeKeyring extends KeyringModule {
  readonly secrets: Map<string, string>;
  readonly options: unknown[];
}

/** A keyring in memory; `change` makes an entry misbehave. */
function fakeKeyring(change: Partial<KeyringEntry> = {}): FakeKeyring {
  const secrets = new Map<string, string>();
  const options: unknown[] = [];
  const AsyncEntry = class implements KeyringEntry {
    readonly #name: string;
    constructor(service: string, username: string, given?: unknown) {
      this.#name = `${service}/${username}`;
      options.push(given);
      Object.assign(this, change);
    }
    async getPassword(): Promise<string | null> {
      return secrets.get(this.#name) ?? null;
    }
    async setPassword(password: string): Promise<void> {
      secrets.set(this.#name, password);
    }
    async deletePassword(): Promise<boolean> {
      return secrets.delete(this.#name);
    }
  };
  return { AsyncEntry, secrets, options };
}

function open(
  folder: string,
  keyring: KeyringModule,
  onFallback?: (reason: HostsideError) => void,
): KeyringCredentials {
  return createKeyringCredentials({ service: "acme", folder, load: async () => keyring, onFallback });
}

const textsIn = async (folder: string): Promise<string> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json"));
  return (await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")))).join("\n");
};

describe("createKeyringCredentials()", () => {
  const hasBus = process.platform !== "linux" || process.env["DBUS_SESSION_BUS_ADDRESS"] !== undefined;
  it.skipIf(hasBus)(
    "falls back with the real module where there is no Secret Service, and not to the kernel",
    async () => {
      const onFallback = vi.fn<(reason: HostsideError) => void>();
      const store = createKeyringCredentials({ service: "hostside-test", folder: freshFolder(), onFallback });
      await store.save(account, { a: 1 });
      expect(await store.protection()).toBe("file-mode");
      expect(onFallback).toHaveBeenCalledWith(expect.objectContaining({ code: "store_failed" }));
    },
  );

  it("seals files with a key of the keyring, of the Secret Service where there is Linux, and leaves no probe there", async () => {
    const [folder, keyring] = [freshFolder(), fakeKeyring()];
    const fallback = vi.fn<(reason: HostsideError) => void>();
    const store = open(folder, keyring, fallback);
    await store.save(account, { accessToken: "at-123" });
    expect(await store.protection()).toBe("keyring");
    expect(fallback).not.toHaveBeenCalled();
    expect(await textsIn(folder)).toMatch(/^hostside-sealed-1\./);
    expect(await textsIn(folder)).not.toContain("at-123");
    expect(keyring.secrets.size).toBe(1);
    expect(new Set(keyring.options.map((given) => JSON.stringify(given)))).toEqual(
      new Set(['{"linux":{"store":"secret-service"}}']),
    );
    expect(await open(folder, keyring).load(account)).toEqual({ accessToken: "at-123" });
  });

  it("makes one key when several start at once", async () => {
    const [folder, keyring] = [freshFolder(), fakeKeyring()];
    const stores = Array.from({ length: 4 }, () => open(folder, keyring));
    await Promise.all(stores.map((store, index) => store.save({ ...account, principal: String(index) }, { index })));
    expect(keyring.secrets.size).toBe(1);
    expect(await open(folder, keyring).accounts()).toHaveLength(4);
  });

  it.each<[string, () => Promise<KeyringModule>, RegExp]>([
    ["is not installed", async () => Promise.reject(new Error("Cannot find package")), /Cannot find package/],
    [
      "cannot be written to",
      async () => fakeKeyring({ setPassword: async () => Promise.reject(new Error("AccessDenied")) }),
      /AccessDenied/,
    ],
    ["keeps nothing", async () => fakeKeyring({ setPassword: async () => {} }), /does not keep/],
    ["is another module", async () => ({}) as unknown as KeyringModule, /keyring failed/],
    ["is nothing", async () => undefined as unknown as KeyringModule, /keyring failed/],
    // What a module that is not ours may throw.
    ["throws nothing", async () => Promise.reject(null), /loading the keyring failed/],
    [
      "answers with what is no text",
      async () => fakeKeyring({ getPassword: async () => ({ length: 44 }) as unknown as string }),
      /does not keep/,
    ],
    [
      "is not there",
      async () => ({
        AsyncEntry: function AsyncEntry() {
          throw new Error("no Secret Service");
        } as never,
      }),
      /no Secret Service/,
    ],
  ])(
    "falls back to files and says so when the keyring %s; seals them when there is one later",
    async (_, load, reason) => {
      const folder = freshFolder();
      const onFallback = vi.fn<(reason: HostsideError) => void>();
      const store = createKeyringCredentials({ service: "acme", folder, load, onFallback });
      await store.save(account, { a: 1 });
      await store.save(other, { a: 2 });
      expect(await store.protection()).toBe("file-mode");
      expect(onFallback.mock.calls).toEqual([
        [expect.objectContaining({ code: "store_failed", message: expect.stringMatching(reason) })],
      ]);
      const later = open(folder, fakeKeyring());
      expect(await later.load(account)).toEqual({ a: 1 });
      await later.save(account, { a: 3 });
      expect(await later.reseal()).toBe(1);
      expect(await textsIn(folder)).not.toContain("document");
      expect(await later.load(other)).toEqual({ a: 2 });
    },
  );

  it("with the fallback none, fails instead", async () => {
    const load = async (): Promise<KeyringModule> => Promise.reject(new Error("Cannot find package"));
    const store = createKeyringCredentials({ service: "acme", folder: freshFolder(), load, fallback: "none" });
    await expect(store.save(account, {})).rejects.toMatchObject({ code: "store_failed" });
  });

  it("waits for a locked keyring no longer than the bound", async () => {
    const locked = fakeKeyring({ getPassword: () => new Promise(() => {}) });
    const onFallback = vi.fn<(reason: HostsideError) => void>();
    const options = { service: "acme", folder: freshFolder(), load: async () => locked, onFallback, timeoutMs: 20 };
    expect(await createKeyringCredentials(options).protection()).toBe("file-mode");
    expect(onFallback).toHaveBeenCalledWith(expect.objectContaining({ message: expect.stringContaining("20 ms") }));
  });

  it("waits for a module that does not load no longer than the bound", async () => {
    const onFallback = vi.fn<(reason: HostsideError) => void>();
    const load = (): Promise<KeyringModule> => new Promise(() => {});
    const options = { service: "acme", folder: freshFolder(), load, onFallback, timeoutMs: 20 };
    expect(await createKeyringCredentials(options).protection()).toBe("file-mode");
    expect(onFallback).toHaveBeenCalledWith(expect.objectContaining({ message: expect.stringContaining("20 ms") }));
  });

  it("falls back once, whatever the product's hook does", async () => {
    const uncaught = vi.fn<(error: Error) => void>();
    process.once("uncaughtException", uncaught);
    const onFallback = vi.fn<() => void>(() => {
      throw new Error("of the product");
    });
    const load = async (): Promise<KeyringModule> => Promise.reject(new Error("Cannot find package"));
    const store = createKeyringCredentials({ service: "acme", folder: freshFolder(), load, onFallback });
    await store.save(account, { a: 1 });
    expect(await store.load(account)).toEqual({ a: 1 });
    expect(onFallback).toHaveBeenCalledTimes(1);
    await vi.waitFor(
      () => expect(uncaught).toHaveBeenCalledWith(new Error("of the product"), "uncaughtException"),
      60_000,
    );
  });

  it("makes no new key for sealed files of which nobody knows the key any more", async () => {
    const [folder, keyring] = [freshFolder(), fakeKeyring()];
    await open(folder, keyring).save(account, { a: 1 });
    await rm(join(folder, "keyring-key.id"));
    await expect(open(folder, keyring).load(account)).rejects.toThrow(/store_failed.*no key any more/);
    expect(keyring.secrets.size).toBe(1);
  });

  it("has something else under Hostside's name: sealed files stay as they are", async () => {
    const [folder, keyring] = [freshFolder(), fakeKeyring()];
    await open(folder, keyring).save(account, { a: 1 });
    for (const name of keyring.secrets.keys()) keyring.secrets.set(name, "hunter2");
    const error = await open(folder, keyring)
      .save(account, { a: 2 })
      .catch((caught: unknown) => caught);
    expect(String(error)).toMatch(/store_failed.*sealed.*no key of 32 bytes/);
    expect(String(error)).not.toContain("hunter2");
  });

  it("whose key is gone is a store_failed that says so, makes no new key, and overwrites nothing", async () => {
    const [folder, keyring] = [freshFolder(), fakeKeyring()];
    await open(folder, keyring).save(account, { a: 1 });
    const before = await textsIn(folder);
    const kept = Array.from(keyring.secrets);
    keyring.secrets.clear();
    const store = open(folder, keyring);
    for (const operation of [() => store.load(account), () => store.save(account, {}), () => store.accounts()]) {
      await expect(operation()).rejects.toThrow(/store_failed.*has no key any more/);
    }
    expect(keyring.secrets.size).toBe(0);
    expect(await textsIn(folder)).toBe(before);
    for (const [name, secret] of kept) keyring.secrets.set(name, secret);
    expect(await store.load(account)).toEqual({ a: 1 });
  });

  it("that is locked leaves sealed files alone, and says why they cannot be read", async () => {
    const [folder, keyring] = [freshFolder(), fakeKeyring()];
    await open(folder, keyring).save(account, { a: 1 });
    const locked = fakeKeyring({ getPassword: async () => Promise.reject(new Error("is locked")) });
    const store = open(folder, locked);
    await expect(store.load(account)).rejects.toThrow(/store_failed.*sealed.*is locked/);
    await expect(store.save(account, { a: 3 })).rejects.toThrow(/store_failed.*sealed.*is locked/);
    await store.save(other, { a: 2 });
    expect(await open(folder, keyring).load(account)).toEqual({ a: 1 });
    expect(await open(folder, keyring).load(other)).toEqual({ a: 2 });
  });

  it("keeps files that createFileCredentials() wrote", async () => {
    const folder = freshFolder();
    await createFileCredentials({ folder }).save(account, { a: 1 });
    expect(await open(folder, fakeKeyring()).load(account)).toEqual({ a: 1 });
  });

  it("refuses wrong options with a TypeError", () => {
    const good = { service: "acme", folder: "/x" };
    expect(() => createKeyringCredentials({ ...good, service: " " })).toThrow(TypeError);
    expect(() => createKeyringCredentials({ ...good, folder: "x" })).toThrow(/absolute/);
    expect(() => createKeyringCredentials({ ...good, fallback: "memory" as never })).toThrow(/"files" or "none"/);
    expect(() => createKeyringCredentials({ ...good, timeoutMs: 0 })).toThrow(/timeoutMs/);
    expect(() => createKeyringCredentials({ ...good, services: "a" } as never)).toThrow(/no option "services"/);
  });
});
