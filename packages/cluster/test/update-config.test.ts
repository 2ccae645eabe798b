import type { ServerSpec } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { firstOf, server as shared, settled, stage } from "./stage.ts";

const server: typeof shared = (id, more) => shared(id, { sharing: "conversation", ...more });

describe("updateConfig()", () => {
  it("gives each provider the new servers when it is next asked for, and keeps the object", async () => {
    const { pool, made } = stage({ servers: [server("x")] });
    const before = await pool.getOrCreate("a");
    pool.updateConfig([server("x"), server("y")]);
    expect(made[0]?.stub.applied).toEqual([]);
    expect(pool.statuses()).toMatchObject([{ outdated: true }]);
    const after = await Promise.all([pool.getOrCreate("a"), pool.getOrCreate("a")]);
    expect(new Set([before, ...after]).size).toBe(1);
    expect(made[0]?.stub.applied).toEqual([[server("x"), server("y")]]);
    expect(pool.statuses()).toMatchObject([{ outdated: false }]);
  });

  it("applies nothing for the same set", async () => {
    const { pool, made } = stage({ servers: [server("x")] });
    await pool.getOrCreate("a");
    pool.updateConfig([server("x")]);
    await pool.getOrCreate("a");
    expect(made[0]?.stub.applied).toEqual([]);
  });

  it("has a fingerprint that neither order nor timeouts change, and that transports do", async () => {
    const { pool } = stage({ servers: [server("x"), server("y")] });
    await pool.getOrCreate("a");
    const fingerprint = (): string => pool.statuses()[0]?.fingerprint ?? "";
    const first = fingerprint();
    pool.updateConfig([server("y", { timeouts: { callMs: 1 } }), server("x")]);
    await pool.getOrCreate("a");
    expect(fingerprint()).toBe(first);
    pool.updateConfig([server("x"), { id: "y", type: "stdio", command: "y" }]);
    await pool.getOrCreate("a");
    expect(fingerprint()).not.toBe(first);
  });

  it("keeps the servers from before where the provider refuses the new ones, and says so once", async () => {
    const { pool, made, events } = stage({ servers: [server("x")] });
    await pool.getOrCreate("a");
    const stub = firstOf(made);
    stub.onApply = () => Promise.reject(new Error("two of one name"));
    pool.updateConfig([server("x"), server("X")]);
    await pool.getOrCreate("a");
    await settled();
    await pool.getOrCreate("a");
    expect(stub.applied).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: "update-failed", key: "a", error: { message: "two of one name" } });
    expect(pool.statuses()).toMatchObject([{ outdated: true }]);
    stub.onApply = async () => undefined;
    pool.updateConfig([server("z")]);
    await pool.getOrCreate("a");
    expect(stub.applied).toHaveLength(2);
  });

  it("makes new ones with the latest servers, also those that waited for their turn", async () => {
    const { pool, made } = stage({ servers: [server("x")], maxProviders: 1, waitMs: 1000 });
    const lease = await pool.lease("a");
    const waiting = pool.getOrCreate("b");
    await settled();
    pool.updateConfig([server("y")]);
    lease.release();
    await waiting;
    expect(made[1]?.servers).toEqual([server("y")]);
  });

  it("refuses what is no set of servers, and changes nothing", async () => {
    const { pool } = stage({ servers: [server("x")] });
    await pool.getOrCreate("a");
    expect(() => pool.updateConfig([{ id: "" } as ServerSpec])).toThrow(
      expect.objectContaining({ code: "invalid_spec" }),
    );
    expect(() => pool.updateConfig({} as never)).toThrow(TypeError);
    expect(pool.statuses()).toMatchObject([{ outdated: false }]);
  });
});
