import type { McpProvider } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { firstOf, gate, server, settled, stage } from "./stage.ts";
import { stubProvider } from "./stub-provider.ts";

describe("a make() that breaks its word", () => {
  it("is refused one provider for two keys, and the first key keeps it", async () => {
    const stub = stubProvider();
    const { pool } = stage({ make: () => stub.provider, maxProviders: 2 });
    await pool.getOrCreate("a");
    await expect(pool.getOrCreate("b")).rejects.toThrow(
      new TypeError("make() gave a provider that it has given before"),
    );
    await settled();
    expect(stub.closedWith).toEqual([]);
    expect(pool.statuses().map(({ key }) => key)).toEqual(["a"]);
    await expect(pool.getOrCreate("a")).resolves.toBe(stub.provider);
  });

  it("is refused a provider that is closed in the turn in which it comes", async () => {
    const stub = stubProvider();
    const { pool } = stage({
      make() {
        queueMicrotask(() => queueMicrotask(() => queueMicrotask(() => void stub.provider.close())));
        return stub.provider;
      },
    });
    await expect(pool.getOrCreate("a")).rejects.toThrow("make() gave a provider that is closed");
    await settled();
    expect(pool.statuses()).toEqual([]);
  });

  it("keeps its place until the closed provider that it gave is gone", async () => {
    const { open, passed } = gate();
    const { pool, made } = stage({
      maxProviders: 1,
      make() {
        const stub = stubProvider();
        made.push({ key: "a", stub, servers: [] });
        stub.onClose = () => passed;
        if (made.length === 1) void stub.provider.close();
        return stub.provider;
      },
    });
    await expect(pool.getOrCreate("a")).rejects.toThrow("make() gave a provider that is closed");
    const next = pool.getOrCreate("a");
    await settled();
    expect(made).toHaveLength(1);
    open();
    expect(await next).toBe(made[1]?.stub.provider);
  });

  it("leaves nothing behind when its provider cannot be listened to", async () => {
    const stub = stubProvider();
    const { pool } = stage({
      make: () =>
        Object.defineProperty(stub.provider, "onClosed", {
          value() {
            throw new Error("deaf");
          },
        }),
    });
    await expect(pool.getOrCreate("a")).rejects.toThrow("deaf");
    await settled();
    expect(stub.closedWith).toHaveLength(1);
    expect(pool.statuses()).toEqual([]);
  });
});

describe("a provider that breaks its word", () => {
  it("is closed although its applyServers() throws, and gives its place back", async () => {
    const { pool, made } = stage({ maxProviders: 1 });
    await pool.getOrCreate("a");
    const stub = firstOf(made);
    stub.calls = 1;
    stub.onApply = thrower;
    await expect(pool.dispose("a")).resolves.toBe(true);
    expect(stub.closedWith).toEqual(["disposed"]);
    await expect(pool.getOrCreate("b")).resolves.toBeDefined();
  });

  it("keeps its servers when its applyServers() throws in the turn of who asks", async () => {
    const { pool, made, events } = stage();
    await pool.getOrCreate("a");
    firstOf(made).onApply = thrower;
    pool.updateConfig([server("x")]);
    await expect(pool.getOrCreate("a")).resolves.toBeDefined();
    await settled();
    expect(events.at(-1)).toMatchObject({ type: "update-failed", error: { message: "at once" } });
    expect(pool.statuses()).toMatchObject([{ outdated: true }]);
  });

  it("is gone although its close() throws", async () => {
    const { pool, made } = stage({ maxProviders: 1 });
    await pool.getOrCreate("a");
    firstOf(made).onClose = thrower;
    await pool.dispose("a");
    expect(pool.statuses()).toEqual([]);
  });
});

describe("a request or an order that makes no sense", () => {
  it.each([[""], [" "], ["x".repeat(1001)], [7]])("refuses the reason %j, and ends nothing", async (reason) => {
    const { pool, made } = stage();
    await pool.getOrCreate("a");
    await expect(pool.dispose("a", reason as string)).rejects.toThrow(TypeError);
    expect(() => pool.shutdownAll(reason as string)).toThrow(TypeError);
    expect(firstOf(made).closedWith).toEqual([]);
    await expect(pool.getOrCreate("a")).resolves.toBeDefined();
  });

  it("makes nothing for a signal that is aborted already", async () => {
    const { pool, made, events } = stage();
    const request = { signal: AbortSignal.abort() };
    await expect(pool.getOrCreate("a", request)).rejects.toMatchObject({ code: "aborted" });
    await settled();
    expect([made, events]).toEqual([[], []]);
    await pool.getOrCreate("a");
    await expect(pool.lease("a", request)).rejects.toMatchObject({ code: "aborted" });
  });

  it("says whose option is unknown", async () => {
    const { pool } = stage();
    await expect(pool.lease("a", { sginal: 1 } as never)).rejects.toThrow('lease() has no option "sginal"');
  });

  it("refuses a number of providers that is not whole", () => {
    expect(() => stage({ maxProviders: 1.5 })).toThrow(new TypeError("maxProviders must be a whole number from 1"));
  });

  it("refuses two servers of one id before any provider has to", async () => {
    const { pool } = stage({ servers: [server("x")] });
    await pool.getOrCreate("a");
    expect(() => pool.updateConfig([server("y"), server("y")])).toThrow(
      expect.objectContaining({ code: "duplicate_server", serverId: "y" }),
    );
    expect(pool.statuses()).toMatchObject([{ outdated: false }]);
  });

  it("quotes a key in bounded length", async () => {
    const { pool } = stage({ maxProviders: 1, makeMs: 10 });
    await pool.lease("a");
    const error = await pool.getOrCreate("k".repeat(100_000)).catch((reason: Error) => reason);
    expect((error as Error).message.length).toBeLessThan(500);
  });

  it.each(["__proto__", "constructor", "\ud800", "\0"])("takes the key %j like any other", async (key) => {
    const { pool } = stage();
    await expect(pool.getOrCreate(key)).resolves.toBe(await pool.getOrCreate(key));
    expect(await pool.dispose(key)).toBe(true);
  });
});

describe("a listener that calls back", () => {
  it("gets nothing new while the pool is shut down, and the same promise", async () => {
    const { pool, made } = stage({ make: ({ key }) => (key === "a" ? new Promise(() => undefined) : add(key)) });
    function add(key: string): McpProvider {
      const stub = stubProvider();
      made.push({ key, stub, servers: [] });
      return stub.provider;
    }
    const seen: unknown[] = [];
    pool.onEvent(({ type }) => {
      if (type !== "create-failed") return;
      seen.push(pool.shutdownAll("again"));
      pool.getOrCreate("b").catch((error: unknown) => seen.push(error));
    });
    const request = pool.getOrCreate("a");
    await settled();
    const done = pool.shutdownAll("maintenance");
    await expect(request).rejects.toMatchObject({ code: "closed" });
    await settled();
    expect(seen[0]).toBe(done);
    expect(seen[1]).toMatchObject({ code: "closed", message: expect.stringContaining("maintenance") });
    expect(made).toEqual([]);
  });
});

function thrower(): never {
  throw new Error("at once");
}
