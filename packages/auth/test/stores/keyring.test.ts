import { mkdtempSync, rmSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createFileCredentials } from "../../src/node/file-credentials.ts";
import { keyringKey, type KeyringEntry, type KeyringModule } from "../../src/node/keyring-key.ts";
import type { SealedCredentials } from "../../src/store/create-keyv-credentials.ts";

const root = mkdtempSync(join(tmpdir(), "hostside-keyring-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const freshFolder = (): string => join(root, `store-${(count += 1)}`);

const account = { kind: "account", serverId: "github" } as const;

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
  };
  return { AsyncEntry, secrets, options };
}

async function open(folder: string, keyring: KeyringModule): Promise<SealedCredentials> {
  const key = await keyringKey({ service: "acme", folder, load: async () => keyring });
  return createFileCredentials({ folder, keys: [key] });
}

const textsIn = async (folder: string): Promise<string> => {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json"));
  return (await Promise.all(names.map((name) => readFile(join(folder, name), "utf8")))).join("\n");
};

describe("keyringKey()", () => {
  const hasBus = process.platform !== "linux" || process.env["DBUS_SESSION_BUS_ADDRESS"] !== undefined;
  it.skipIf(hasBus)("fails with the real module where there is no Secret Service, and asks no kernel", async () => {
    await expect(keyringKey({ service: "hostside-test", folder: freshFolder() })).rejects.toMatchObject({
      code: "store_failed",
    });
  });

  it("seals files with a key of the keyring, of the Secret Service on Linux", async () => {
    const [folder, keyring] = [freshFolder(), fakeKeyring()];
    await (await open(folder, keyring)).save(account, { accessToken: "at-123" });
    expect(await textsIn(folder)).toMatch(/^hostside-sealed-1\./);
    expect(keyring.secrets.size).toBe(1);
    expect(new Set(keyring.options.map((given) => JSON.stringify(given)))).toEqual(
      new Set(['{"linux":{"store":"secret-service"}}']),
    );
    expect(await (await open(folder, keyring)).load(account)).toEqual({ accessToken: "at-123" });
  });

  it("makes one key when several start at once", async () => {
    const [folder, keyring] = [freshFolder(), fakeKeyring()];
    const load = async (): Promise<KeyringModule> => keyring;
    const keys = await Promise.all([1, 2, 3, 4].map(() => keyringKey({ service: "acme", folder, load })));
    expect(new Set(keys.map(({ key }) => key)).size).toBe(1);
    expect(keyring.secrets.size).toBe(1);
  });

  it.each<[string, () => Promise<KeyringModule>, RegExp]>([
    ["is not installed", async () => Promise.reject(new Error("Cannot find package")), /Cannot find package/],
    [
      "cannot be written to",
      async () => fakeKeyring({ setPassword: async () => Promise.reject(new Error("AccessDenied")) }),
      /AccessDenied/,
    ],
    [
      "is locked",
      async () => fakeKeyring({ getPassword: async () => Promise.reject(new Error("is locked")) }),
      /is locked/,
    ],
    ["keeps nothing", async () => fakeKeyring({ setPassword: async () => {} }), /does not keep/],
    ["is nothing", async () => undefined as unknown as KeyringModule, /opening the keyring failed/],
    [
      "is not there",
      async () => ({
        AsyncEntry: function AsyncEntry() {
          throw new Error("no Secret Service");
        } as never,
      }),
      /no Secret Service/,
    ],
  ])("fails with store_failed and the reason when the keyring %s", async (_, load, reason) => {
    await expect(keyringKey({ service: "acme", folder: freshFolder(), load })).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringMatching(reason),
    });
  });

  it("makes no key in place of something else under Hostside's name, and does not show it", async () => {
    const [folder, keyring] = [freshFolder(), fakeKeyring()];
    await open(folder, keyring);
    for (const name of keyring.secrets.keys()) keyring.secrets.set(name, "hunter2");
    const error = await open(folder, keyring).catch((caught: unknown) => caught);
    expect(String(error)).toMatch(/store_failed.*not a key of 32 bytes/);
    expect(String(error)).not.toContain("hunter2");
  });

  it("whose key is gone, leaves what was sealed with it as it is, and says so", async () => {
    const [folder, keyring] = [freshFolder(), fakeKeyring()];
    await (await open(folder, keyring)).save(account, { a: 1 });
    const before = await textsIn(folder);
    keyring.secrets.clear();
    await expect((await open(folder, keyring)).load(account)).rejects.toThrow(
      /store_failed.*sealed with the key "keyring-[0-9a-f]{8}", which is not among those given/,
    );
    expect(await textsIn(folder)).toBe(before);
  });

  it("takes over files that were not sealed with reseal()", async () => {
    const folder = freshFolder();
    await createFileCredentials({ folder }).save(account, { a: 1 });
    const store = await open(folder, fakeKeyring());
    await expect(store.load(account)).rejects.toThrow(/not sealed/);
    expect(await store.reseal()).toBe(1);
    expect(await store.load(account)).toEqual({ a: 1 });
  });

  it("refuses wrong options with a TypeError", async () => {
    const good = { service: "acme", folder: "/x" };
    await expect(keyringKey({ ...good, service: " " })).rejects.toThrow(TypeError);
    await expect(keyringKey({ ...good, folder: "x" })).rejects.toThrow(/absolute/);
    await expect(keyringKey({ ...good, services: "a" } as never)).rejects.toThrow(/no option "services"/);
  });
});
