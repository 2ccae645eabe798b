import { createFolderSink, type FolderSinkOptions } from "@hostside/results/node";
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
  chmod,
  lstat,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { useVirtualClock, firstDate } from "../../provider/test/simulation/virtual-clock.ts";

const data = new TextEncoder().encode("kept, not lost");
const blob = { data, mimeType: "text/plain" };

let root: string;
let directory: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "hostside-results-"));
  directory = join(root, "home", "mcp-blobs");
});
afterEach(() => rm(root, { recursive: true, force: true }));

function sinkOf(options: Partial<FolderSinkOptions> = {}): ReturnType<typeof createFolderSink> {
  return createFolderSink({ directory, maxBytes: 1000, ttlMs: 60_000, ...options });
}

async function keyIn(sink: ReturnType<typeof createFolderSink>): Promise<string> {
  const result = await sink.put(blob);
  if (!result.kept) throw new Error(result.reason);
  return result.key;
}

const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);

describe("createFolderSink()", () => {
  it("keeps a blob as a file of mode 0600, named by 32 hexadecimal digits, in a folder of mode 0700", async () => {
    const sink = sinkOf();
    const result = await sink.put(blob);
    expect(result).toEqual({ kept: true, key: expect.stringMatching(/^[0-9a-f]{32}$/), path: expect.any(String) });
    if (!result.kept) return;
    expect(result.path).toBe(join(directory, result.key));
    expect(await readdir(directory)).toEqual([result.key]);
    expect(await readFile(join(directory, result.key))).toEqual(Buffer.from(data));
    expect(await modeOf(join(directory, result.key))).toBe("600");
    expect(await modeOf(directory)).toBe("700");
    await sink.close();
  });

  it("makes nothing before it is used", async () => {
    sinkOf();
    expect(await readdir(root)).toEqual([]);
  });

  it.each(["../secret", "/etc/passwd", "a".repeat(32), "A".repeat(32), `${"a".repeat(32)}\0`, "", ".", "__proto__"])(
    "finds nothing under the key %j, and deletes nothing",
    async (key) => {
      const sink = sinkOf();
      await sink.open();
      await writeFile(join(root, "home", "secret"), "secret");
      expect(await sink.read(key)).toBeUndefined();
      await sink.delete(key);
      expect(await readFile(join(root, "home", "secret"), "utf8")).toBe("secret");
      await sink.close();
    },
  );

  it("lets nothing of what a server says into a path", async () => {
    const sink = sinkOf();
    const odd = { data, mimeType: "../../x/\0y", conversation: "../../../etc" };
    const result = await sink.put(odd);
    expect(result).toMatchObject({ kept: true, path: expect.stringMatching(/mcp-blobs.[0-9a-f]{32}$/) });
    await sink.close();
    expect(await readdir(root, { recursive: true })).toEqual(["home", join("home", "mcp-blobs")]);
  });

  it("neither follows nor removes a link that is in the way", async () => {
    const outside = join(root, "outside");
    await writeFile(outside, "mine");
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const taken = "0".repeat(32);
    const takenPart = `${"01".repeat(16)}.part`;
    await symlink(outside, join(directory, taken));
    await symlink(outside, join(directory, takenPart));
    const sink = sinkOf();
    await keyIn(sink);
    expect(await sink.read(taken)).toBeUndefined();
    await sink.close();
    expect(await readFile(outside, "utf8")).toBe("mine");
    expect((await lstat(join(directory, taken))).isSymbolicLink()).toBe(true);
    expect((await lstat(join(directory, takenPart))).isSymbolicLink()).toBe(true);
  });

  it("mends a folder with wider permissions that has nothing but such files", async () => {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, "a".repeat(32)), "of an older program");
    await chmod(directory, 0o755);
    const sink = sinkOf();
    await sink.open();
    expect(await modeOf(directory)).toBe("700");
    await sink.close();
  });

  it("refuses a folder with wider permissions that has other files, and can be used when somebody mended it", async () => {
    await mkdir(directory, { recursive: true });
    await writeFile(join(directory, "notes.txt"), "somebody's");
    await chmod(directory, 0o755);
    const sink = sinkOf();
    await expect(sink.put(blob)).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringContaining("chmod 700"),
    });
    expect(await modeOf(directory)).toBe("755");
    await chmod(directory, 0o700);
    const key = await keyIn(sink);
    await sink.close();
    expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(await readdir(directory)).toEqual(["notes.txt"]);
  });

  it("refuses a link in place of the folder, and a file", async () => {
    const elsewhere = join(root, "elsewhere");
    await mkdir(elsewhere, { mode: 0o700 });
    const link = join(root, "link");
    await symlink(elsewhere, link);
    await expect(sinkOf({ directory: link }).open()).rejects.toMatchObject({ code: "store_failed" });
    const file = join(root, "file");
    await writeFile(file, "");
    const refused = `directory of createFolderSink(): results cannot be kept in ${JSON.stringify(file)}: it is a file, not a folder`;
    await expect(sinkOf({ directory: file }).open()).rejects.toMatchObject({
      code: "store_failed",
      rawMessage: refused,
    });
    await expect(sinkOf({ directory: join(file, "below") }).open()).rejects.toMatchObject({
      code: "store_failed",
      rawMessage: expect.stringMatching(/^directory of .* a part of its path is a file, not a folder$/),
    });
  });

  it("removes by age what a crash left, half files too, and counts the rest", async () => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const clock = useVirtualClock();
    const leave = async (name: string, ageMs: number): Promise<void> => {
      const date = new Date(firstDate - ageMs);
      await writeFile(join(directory, name), new Uint8Array(400));
      await utimes(join(directory, name), date, date);
    };
    const [young, old] = ["1".repeat(32), "2".repeat(32)];
    await leave(young, 59_000);
    await leave(old, 60_000);
    await leave(`${old}.part`, 70_000);
    await leave("notes.txt", 70_000);
    const sink = sinkOf();
    await sink.open();
    expect((await readdir(directory)).sort()).toEqual([young, "notes.txt"]);
    expect(await sink.read(young)).toHaveLength(400);
    const big = { ...blob, data: new Uint8Array(700) };
    expect(await sink.put(big)).toEqual({ kept: false, reason: "full" });
    clock.advance(1000);
    expect(await sink.read(young)).toBeUndefined();
    expect(await sink.put(big)).toMatchObject({ kept: true });
    expect(await readdir(directory)).not.toContain(young);
    await sink.close();
    expect(await readdir(directory)).toEqual(["notes.txt"]);
  });

  it("leaves at its end what it did not make, and all of it with onClose: keep", async () => {
    const first = sinkOf({ onClose: "keep" });
    const kept = await keyIn(first);
    await first.close();
    expect(await first.read(kept)).toBeUndefined();
    const second = sinkOf();
    await keyIn(second);
    expect(await second.read(kept)).toEqual(data);
    await second.close();
    await second.close();
    expect(await readdir(directory)).toEqual([kept]);
    expect(await second.put(blob)).toEqual({ kept: false, reason: "closed" });
  });

  it("counts what another sink has in the same folder, and no longer what is gone", async () => {
    const [first, second] = [sinkOf(), sinkOf()];
    const large = { ...blob, data: new Uint8Array(600) };
    await first.open();
    await second.open();
    const kept = await first.put(large);
    if (!kept.kept) throw new Error(kept.reason);
    expect(await second.put(large)).toEqual({ kept: false, reason: "full" });
    await first.delete(kept.key);
    expect(await second.put(large)).toMatchObject({ kept: true });
    expect(await first.put(large)).toEqual({ kept: false, reason: "full" });
    await second.close();
    expect(await first.put(large)).toMatchObject({ kept: true });
    await first.close();
    expect(await readdir(directory)).toEqual([]);
  });

  it("makes a folder again that somebody removed", async () => {
    const sink = sinkOf();
    await keyIn(sink);
    await rm(directory, { recursive: true });
    expect(await sink.read(await keyIn(sink))).toEqual(data);
    await sink.close();
  });

  it("says too-large for what never fits", async () => {
    const sink = sinkOf();
    expect(await sink.put({ ...blob, data: new Uint8Array(1001) })).toEqual({ kept: false, reason: "too-large" });
    await sink.close();
  });

  it("leaves nothing of a put that was given up", async () => {
    const sink = sinkOf();
    await sink.open();
    const controller = new AbortController();
    const put = sink.put(blob, { signal: controller.signal });
    controller.abort(new Error("given up"));
    await expect(put).rejects.toThrow("given up");
    expect(await readdir(directory)).toEqual([]);
    await sink.close();
  });

  it.each([
    [{ directory: "" }, "directory"],
    [{ maxBytes: 0 }, "maxBytes"],
    [{ ttlMs: 1.5 }, "ttlMs"],
    [{ onClose: "drop" }, "onClose"],
    [{ maxByte: 1 }, "maxByte"],
  ])("throws a TypeError for %j", (wrong, field) => {
    expect(() => sinkOf(wrong as Partial<FolderSinkOptions>)).toThrow(new RegExp(field));
    expect(() => sinkOf(wrong as Partial<FolderSinkOptions>)).toThrow(TypeError);
  });
});
