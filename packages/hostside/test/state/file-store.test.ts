import { fork } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, win32 } from "node:path";
import { createTrust, type TrustEntry } from "@hostside/config";
import { loadConfig } from "@hostside/config/node";
import { createMemoryStore, type JsonValue, type Store } from "@hostside/core";
import { createFileStore } from "hostside/auth";
import { afterAll, describe, expect, it } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { userState, userStateFolder } from "../../src/state/user-state.ts";

const root = mkdtempSync(join(tmpdir(), "hostside-state-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const freshFolder = (): string => join(root, `${(folders += 1)}`, "state");

describe.each<[string, () => Store]>([
  ["createMemoryStore()", () => createMemoryStore()],
  ["createFileStore()", () => createFileStore({ folder: freshFolder() })],
])("%s is a store", (_, create) => {
  it("keeps what JSON has under any key, in place of what was there, until it is deleted", async () => {
    const store = create();
    const keys = ["a", "A", "__proto__", "", "../../etc/passwd", "a\u0000b", "é\u{1F600}", "x".repeat(5000)];
    for (const key of keys) expect(await store.get(key)).toBeUndefined();
    for (const [index, key] of keys.entries()) await store.set(key, { index });
    for (const [index, key] of keys.entries()) expect(await store.get(key)).toEqual({ index });
    for (const value of [{ a: [1, null, "x"] }, [], "", 0, false] satisfies JsonValue[]) {
      await store.set("a", value);
      expect(await store.get("a")).toEqual(value);
    }
    expect(await store.delete("a")).toBe(true);
    expect(await store.delete("a")).toBe(false);
    expect([await store.get("a"), await store.get("A")]).toEqual([undefined, { index: 1 }]);
  });

  it("forgets a value when its time is over, not before", async () => {
    const clock = useManualClock();
    const store = create();
    await store.set("short", 1, 1000);
    await store.set("long", 2);
    clock.advance(999);
    expect(await store.get("short")).toBe(1);
    clock.advance(1);
    expect([await store.get("short"), await store.get("long")]).toEqual([undefined, 2]);
  });

  it.each<[string, JsonValue | undefined, number?]>([
    ["a value that JSON cannot write", undefined],
    ["no time", 1, 0],
    ["a time that is none", 1, Number.NaN],
  ])("refuses %s", async (_name, value, ttlMs) => {
    await expect(create().set("a", value as JsonValue, ttlMs)).rejects.toThrow(TypeError);
  });
});

describe("createFileStore()", () => {
  it("leaves nothing behind by looking, and what it writes to its user alone", async () => {
    const folder = freshFolder();
    const store = createFileStore({ folder });
    expect([await store.get("a"), await store.delete("a")]).toEqual([undefined, false]);
    expect(() => statSync(folder)).toThrow("ENOENT");
    await store.set("a", 1);
    const [file = "", ...rest] = readdirSync(folder);
    expect(rest).toEqual([]);
    expect([statSync(folder).mode & 0o777, statSync(join(folder, file)).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it.each(["", "{", "null", '{"key":"b","value":1}', '{"value":1}'])(
    "takes what somebody made of a file for unreadable, never for absent, and names the file: %j",
    async (text) => {
      const folder = freshFolder();
      const store = createFileStore({ folder });
      await store.set("a", 1);
      const file = join(folder, readdirSync(folder)[0] ?? "");
      writeFileSync(file, text);
      await expect(store.get("a")).rejects.toMatchObject({
        code: "store_failed",
        message: expect.stringContaining(file),
      });
      await store.set("a", 2);
      expect(await store.get("a")).toBe(2);
    },
  );

  it.skipIf(process.platform === "win32")("refuses a folder that others may write to", async () => {
    const folder = freshFolder();
    await createFileStore({ folder }).set("a", 1);
    chmodSync(folder, 0o770);
    const store = createFileStore({ folder });
    for (const work of [store.get("a"), store.set("a", 2), store.delete("a")]) {
      await expect(work).rejects.toMatchObject({ code: "store_failed", message: expect.stringContaining("chmod 700") });
    }
    chmodSync(folder, 0o700);
    expect(await store.get("a")).toBe(1);
  });

  it("removes what is over and what a crash left, and nothing that somebody may be writing", async () => {
    const folder = freshFolder();
    const clock = useManualClock();
    await createFileStore({ folder }).set("over", 1, 10);
    writeFileSync(join(folder, "old.tmp"), "");
    const [old, fresh] = [new Date(Date.now() - 7_200_000), "fresh.tmp"];
    for (const file of readdirSync(folder)) utimesSync(join(folder, file), old, old);
    writeFileSync(join(folder, fresh), "");
    clock.advance(10);
    await createFileStore({ folder }).set("a", 1);
    const left = readdirSync(folder);
    expect(left).toHaveLength(2);
    expect(left).toContain(fresh);
  });
});

describe("userState()", () => {
  it.each([
    ["linux", {}, "/people/ada/.local/state/hostside"],
    ["linux", { XDG_STATE_HOME: "/state" }, "/state/hostside"],
    ["linux", { XDG_STATE_HOME: "relative" }, "/people/ada/.local/state/hostside"],
    ["darwin", {}, "/people/ada/Library/Application Support/hostside"],
  ])("is where a user on %s with %j keeps such things", (platform, env, expected) => {
    expect(userStateFolder({ platform, env, home: "/people/ada" })).toBe(expected);
  });

  it("needs to know where the user is", () => {
    expect(() => userStateFolder({ platform: "linux", env: {}, home: "" })).toThrow(/home folder .* not ""$/);
  });

  it("is where a user on Windows keeps such things", () => {
    const home = win32.join("C:\\", "Users", "ada");
    const local = { LOCALAPPDATA: win32.join("D:\\", "Local") };
    expect(userStateFolder({ platform: "win32", env: {}, home })).toBe(
      win32.join(home, "AppData", "Local", "hostside"),
    );
    expect(userStateFolder({ platform: "win32", env: local, home })).toBe(win32.join("D:\\", "Local", "hostside"));
  });

  it("does not trust what it cannot read", async () => {
    const home = freshFolder();
    const state = userState({ env: {}, home, platform: "linux" });
    const entry = await entryOf(root);
    const trust = createTrust({ store: state.store, lock: state.lock });
    await trust.remember(entry, "trust");
    expect(await trust.decide(entry)).toEqual({ trusted: true });
    const folder = join(userStateFolder({ env: {}, home, platform: "linux" }), "state");
    for (const file of readdirSync(folder)) {
      const path = join(folder, file);
      writeFileSync(path, readFileSync(path, "utf8").slice(1));
    }
    expect(await trust.decide(entry)).toMatchObject({ trusted: false, why: "failed" });
  });

  it("lets one process at a time change what it reads", async () => {
    const home = freshFolder();
    const program = join(import.meta.dirname, "count-up.mjs");
    const processes = [1, 2].map(() => fork(program, [home, "20"], { env: {}, execArgv: [] }));
    const ends = processes.map((child) => once(child, "exit"));
    await Promise.all(processes.map((child) => once(child, "message")));
    for (const child of processes) child.send("go");
    expect(await Promise.all(ends)).toEqual([
      [0, null],
      [0, null],
    ]);
    expect(await userState({ env: {}, home, platform: "linux" }).store.get("count")).toBe(40);
  });
});

/** An entry of a project's file. */
async function entryOf(folder: string): Promise<TrustEntry> {
  const file = join(folder, ".mcp.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { a: { command: "x" } } }));
  const seen: TrustEntry[] = [];
  const { questions } = await loadConfig({
    files: [{ path: file, scope: "project", projectFolder: folder }],
    home: folder,
    env: {},
    trust: {
      ...createTrust({ store: createMemoryStore() }),
      async decide(entry) {
        seen.push(entry);
        return { trusted: true };
      },
    },
  });
  expect(questions).toEqual([]);
  const [entry] = seen;
  if (entry === undefined) throw new Error("nothing was asked");
  return entry;
}
