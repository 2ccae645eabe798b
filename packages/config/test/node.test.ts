import { open } from "node:fs/promises";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfigFile, readText } from "@hostside/config/node";
import { afterAll, describe, expect, it, onTestFinished, vi } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "hostside-config-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("readConfigFile()", () => {
  it("reads a file, and finds out its dialect", async () => {
    const file = join(folder, ".mcp.json");
    writeFileSync(file, '\uFEFF{"mcpServers": {"a": {"command": "x"}}}');
    const { dialect, servers } = await readConfigFile(file);
    expect([dialect, servers[0]?.id, servers[0]?.file]).toEqual(["claude-code", "a", file]);
  });

  it("has nothing to say of a file that is not there", async () => {
    expect(await readConfigFile(join(folder, "gone.json"))).toEqual({ servers: [], settings: {}, problems: [] });
    expect(await readConfigFile(join(folder, ".mcp.json", "below"))).toEqual({
      servers: [],
      settings: {},
      problems: [],
    });
  });

  it("says of a directory that it is one", async () => {
    const file = join(folder, "mcp.json");
    mkdirSync(file);
    const { problems } = await readConfigFile(file);
    expect(problems).toEqual([
      { file, path: "", severity: "error", code: "unreadable_file", message: "cannot be read: it is a directory" },
    ]);
  });
});

describe("readText()", () => {
  it("does not read more than it may", async () => {
    const file = join(folder, "long");
    writeFileSync(file, "x".repeat(11));
    expect(await readText(file, 11)).toHaveLength(11);
    await expect(readText(file, 10)).rejects.toMatchObject({ code: "EFBIG" });
  });

  it("reads on where the system gives less than it was asked for", async () => {
    const file = join(folder, "in-pieces");
    writeFileSync(file, "one, two, three");
    const handle = await open(file);
    await handle.close();
    const prototype: { read: (...given: readonly unknown[]) => unknown } = Object.getPrototypeOf(handle);
    const { read } = prototype;
    const short = vi.spyOn(prototype, "read").mockImplementation(function (
      this: unknown,
      ...[buffer, offset, , position]
    ) {
      return Reflect.apply(read, this, [buffer, offset, 1, position]);
    });
    onTestFinished(() => short.mockRestore());
    expect(await readText(file)).toBe("one, two, three");
  });

  it("does not wait for a device", async () => {
    await expect(readText("/dev/null")).rejects.toMatchObject({
      code: process.platform === "win32" ? "ENOENT" : "EINVAL",
    });
  });
});
