import { mkdtempSync, rmSync } from "node:fs";
import { chmod, chown, lchown, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createFileCredentials } from "../../src/node/file-credentials.ts";
import { openPrivateFolder, defaultCredentialsFolder } from "../../src/node/private-folder.ts";
import type { SealingKey } from "../../src/store/sealer.ts";
import { useJumpingClock } from "../jumping-clock.ts";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { describeCredentialStore, describeSharedCredentials } from "./credential-store-contract.ts";

const root = mkdtempSync(join(tmpdir(), "hostside-files-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let count = 0;
const freshFolder = (): string => join(root, `store-${(count += 1)}`, "credentials");

const key = (id: string, fill: number): SealingKey => ({ id, key: new Uint8Array(32).fill(fill) });
const account = { kind: "account", serverId: "github", principal: "ada" } as const;

describe("createFileCredentials()", () => {
  describe("plain", () => {
    describeSharedCredentials(() => {
      const clock = useJumpingClock();
      const folder = freshFolder();
      const [store, other] = [createFileCredentials({ folder }), createFileCredentials({ folder })];
      return { store, other, pass: (ms) => clock.advance(ms) };
    });
  });

  describe("sealed", () => {
    describeCredentialStore(() => {
      const clock = useJumpingClock();
      const options = { folder: freshFolder(), keys: [key("a", 1)] };
      const [store, other] = [createFileCredentials(options), createFileCredentials(options)];
      return { store, other, pass: (ms) => clock.advance(ms) };
    });
  });

  const documentsIn = async (folder: string): Promise<readonly string[]> =>
    (await readdir(folder)).filter((name) => name.endsWith(".json")).map((name) => join(folder, name));

  it("tells one of two who clear the same document that it was there", async () => {
    const store = createFileCredentials({ folder: freshFolder() });
    await store.save({ kind: "pending", state: "s" }, {});
    const cleared = [0, 1, 2].map(() => store.clear({ kind: "pending", state: "s" }));
    expect((await Promise.all(cleared)).filter(Boolean)).toEqual([true]);
  });

  it("makes a folder of its own, and files that nobody else may read, whose names say nothing", async () => {
    const folder = freshFolder();
    await createFileCredentials({ folder }).save(account, { accessToken: "at" });
    const [file = "", ...rest] = await documentsIn(folder);
    expect(rest).toEqual([]);
    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(file).not.toMatch(/github|ada/);
    expect((await readdir(folder)).some((name) => name.endsWith(".tmp"))).toBe(false);
  });

  it.skipIf(process.platform === "win32")(
    "refuses a folder that others may write to, and says what to do",
    async () => {
      const folder = freshFolder();
      await mkdir(folder, { recursive: true });
      await chmod(folder, 0o777);
      const store = createFileCredentials({ folder });
      await expect(store.save(account, {})).rejects.toThrow(/store_failed.*others may write.*mode 777.*chmod 700/);
      await chmod(folder, 0o700);
      await store.save(account, {});
      expect(await store.load(account)).toEqual({});
    },
  );

  const isRoot = process.getuid?.() === 0;
  it.skipIf(!isRoot)(
    `refuses a folder of another user, and a link of theirs${isRoot ? "" : " (only root can make one)"}`,
    async () => {
      const folder = freshFolder();
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const link = `${folder}-link`;
      await symlink(folder, link);
      await createFileCredentials({ folder: link }).save(account, { a: 1 });
      await lchown(link, 65_534, 65_534);
      await expect(createFileCredentials({ folder: link }).load(account)).rejects.toThrow(
        /store_failed.*belongs to another user \(id 65534, this one is 0\)/,
      );
      await lchown(link, 0, 0);
      await chown(folder, 65_534, 65_534);
      for (const path of [folder, link]) {
        await expect(createFileCredentials({ folder: path }).load(account)).rejects.toThrow(/belongs to another user/);
      }
    },
  );

  it("fails for a folder that does not answer within 5 s, and says which", async () => {
    const folder = freshFolder();
    const clock = useManualClock();
    const opening = openPrivateFolder(folder);
    clock.advance(5000);
    await expect(opening).rejects.toMatchObject({
      code: "store_failed",
      rawMessage: `the folder ${folder} took more than 5000 ms`,
    });
    const opened = await openPrivateFolder(folder);
    const reading = opened.read("a.json");
    clock.advance(5000);
    await expect(reading).rejects.toMatchObject({ code: "store_failed", message: expect.stringContaining(folder) });
    expect(clock.pending()).toBe(0);
  });

  it.runIf(process.platform === "linux")("fails for a folder where none can ever be made", async () => {
    const store = createFileCredentials({ folder: "/proc/none/none" });
    await expect(store.load(account)).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringContaining("the folder /proc/none/none failed: ENOENT"),
    });
  });

  it("fails for a folder that cannot be made, and for a file in place of a document that is no file", async () => {
    const blocker = join(root, "blocker");
    await writeFile(blocker, "");
    await expect(createFileCredentials({ folder: join(blocker, "x") }).load(account)).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringContaining(blocker),
    });
    const folder = freshFolder();
    const store = createFileCredentials({ folder });
    await store.save(account, { a: 1 });
    const [file = ""] = await documentsIn(folder);
    rmSync(file);
    await symlink(blocker, file);
    await expect(store.load(account)).rejects.toMatchObject({ code: "store_failed" });
    rmSync(file);
    await mkdir(file);
    await expect(store.load(account)).rejects.toThrow(file);
    await expect(store.save(account, {})).rejects.toMatchObject({ code: "store_failed" });
  });

  it.each<[string, (text: string) => string, RegExp]>([
    ["empty", () => "", /cut off/],
    ["cut off", (text) => text.slice(0, -20), /cut off/],
    ["of something else", () => '{"name":"x"}', /not written by Hostside/],
    [
      "of a newer version",
      (text) => text.replace('"version":1', '"version":2'),
      /newer version of Hostside \(format 2/,
    ],
    ["of an unknown version", (text) => text.replace('"version":1', '"version":0'), /not written by Hostside/],
    ["of another key", (text) => text.replace("github", "gitlab"), /of somebody else/],
    ["sealed", () => "hostside-sealed-1.k.AAAA", /sealed, and no keys were given/],
  ])("fails for a document that is %s, names its file, and leaves it", async (_, damage, message) => {
    const folder = freshFolder();
    const store = createFileCredentials({ folder });
    await store.save(account, { accessToken: "at-123" });
    const [file = ""] = await documentsIn(folder);
    const damaged = damage(await readFile(file, "utf8"));
    await writeFile(file, damaged);
    const error = await store.load(account).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: "store_failed", message: expect.stringMatching(message) });
    expect(String(error)).toContain(file);
    expect(String(error)).not.toContain("at-123");
    expect(await readFile(file, "utf8")).toBe(damaged);
    expect(await store.clear(account)).toBe(true);
    expect(await store.load(account)).toBeUndefined();
  });

  it("refuses what somebody wrote without the key, and changes keys with each document", async () => {
    const folder = freshFolder();
    const plain = createFileCredentials({ folder });
    await plain.save(account, { a: 1 });
    const first = createFileCredentials({ folder, keys: [key("old", 1)] });
    await expect(first.load(account)).rejects.toThrow(/not sealed, though this store has keys/);
    await expect(first.accounts()).rejects.toMatchObject({ code: "store_failed" });
    expect(await first.clear(account)).toBe(true);
    await first.save(account, { a: 2 });
    await expect(plain.load(account)).rejects.toThrow(/sealed, and no keys were given/);
    const second = createFileCredentials({ folder, keys: [key("new", 2), key("old", 1)] });
    await second.save(account, { a: 3 });
    const last = createFileCredentials({ folder, keys: [key("new", 2)] });
    expect(await last.load(account)).toEqual({ a: 3 });
    expect(await last.accounts()).toHaveLength(1);
  });

  it("opens no sealed file under the name of another", async () => {
    const folder = freshFolder();
    const store = createFileCredentials({ folder, keys: [key("a", 1)] });
    const mallory = { ...account, principal: "mallory" };
    await store.save(account, { of: "ada" });
    const [hers = ""] = await documentsIn(folder);
    await store.save(mallory, { of: "mallory" });
    const his = (await documentsIn(folder)).find((file) => file !== hers) ?? "";
    await writeFile(his, await readFile(hers, "utf8"));
    await expect(store.load(mallory)).rejects.toThrow(/store_failed.*does not open it/);
  });

  it("removes sign-ins whose time is over", async () => {
    const folder = freshFolder();
    const clock = useJumpingClock();
    const store = createFileCredentials({ folder });
    await store.save({ kind: "pending", state: "a" }, {}, 1000);
    clock.advance(61_000);
    await store.save({ kind: "pending", state: "b" }, {}, 1000);
    expect(await documentsIn(folder)).toHaveLength(1);
  });

  it("removes what a process that was killed left behind, after a day", async () => {
    const folder = freshFolder();
    const store = createFileCredentials({ folder });
    await store.save(account, {});
    const hash = "0".repeat(64);
    const leftovers = [`account-${hash}.json.a.tmp`, `pending-${hash}.lock.1.held`, `pending-${hash}.lock.2.free`];
    const staying = [`account-${hash}.json.b.tmp`, `account-${hash}.lock.7.free`, "notes.txt"];
    for (const name of [...leftovers, ...staying]) await writeFile(join(folder, name), "");
    const twoDaysAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1000);
    for (const name of [...leftovers, ...staying.slice(1)]) await utimes(join(folder, name), twoDaysAgo, twoDaysAgo);
    await store.save({ kind: "pending", state: "a" }, {}, 1000);
    const names = await readdir(folder);
    expect(leftovers.filter((name) => names.includes(name))).toEqual([]);
    expect(staying.filter((name) => names.includes(name))).toEqual(staying);
  });

  it("refuses a folder that is relative, and options that it does not know", () => {
    expect(() => createFileCredentials({ folder: "credentials" })).toThrow(/absolute path/);
    expect(() => createFileCredentials({ folder: "/x", key: "k" } as never)).toThrow(/no option "key"/);
    expect(() => createFileCredentials({ folder: "/x", keys: [] })).toThrow(/at least one/);
  });
});

describe("defaultCredentialsFolder()", () => {
  const home = "/people/ada";
  it.each([
    [{ platform: "linux", env: {}, home }, "/people/ada/.local/state/acme/credentials"],
    [{ platform: "linux", env: { XDG_STATE_HOME: "/state" }, home }, "/state/acme/credentials"],
    [{ platform: "linux", env: { XDG_STATE_HOME: "state" }, home }, "/people/ada/.local/state/acme/credentials"],
    [{ platform: "darwin", env: {}, home }, "/people/ada/Library/Application Support/acme/credentials"],
    [{ platform: "win32", env: {}, home: "C:\\Users\\ada" }, "C:\\Users\\ada\\AppData\\Local\\acme\\credentials"],
    [{ platform: "win32", env: { LOCALAPPDATA: "D:\\l" }, home: "C:\\a" }, "D:\\l\\acme\\credentials"],
  ])("of %o is %s", (options, folder) => {
    expect(defaultCredentialsFolder({ product: "acme", ...options })).toBe(folder);
  });

  it("refuses a product that is no name, and a home that is no path", () => {
    for (const product of ["", "..", "a/b", ".hidden", "a.", "x".repeat(65)]) {
      expect(() => defaultCredentialsFolder({ product, platform: "linux", env: {}, home })).toThrow(TypeError);
    }
    expect(() => defaultCredentialsFolder({ product: "a", platform: "linux", env: {}, home: "" })).toThrow(/home/);
  });
});
