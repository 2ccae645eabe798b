import { fixtureServer } from "@hostside/fixtures";
import { createProviderPool, type PoolEvent } from "@hostside/cluster";
import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { describe, expect, it } from "vitest";

const server = { id: "numbers", type: "stdio", ...fixtureServer("modern-stdio") } as const;

async function add(provider: McpProvider, a: number, b: number): Promise<unknown> {
  return (await provider.call("mcp_numbers_add", { a, b }, { wait: "servers" })).content;
}

describe("a pool over real processes", () => {
  it("has one process for each key, ends the idle one by itself, and leaves none", async () => {
    const connector = createConnector();
    const pool = createProviderPool({
      servers: [server],
      ttlMs: 100,
      sweepMs: 50,
      make: ({ servers }) => createProvider({ connector, servers }),
    });
    const ended = new Promise<PoolEvent>((resolve) => {
      pool.onEvent((event) => event.type === "ended" && resolve(event));
    });
    using lease = await pool.lease("ada");
    const bob = await pool.getOrCreate("bob");
    const answers = await Promise.all([add(lease.provider, 1, 2), add(bob, 40, 2)]);
    expect(JSON.stringify(answers)).toMatch(/3.*42/);

    expect(await ended).toMatchObject({ key: "bob", why: "idle", reason: "reap" });
    await expect(add(bob, 1, 1)).rejects.toMatchObject({ code: "closed" });
    expect(await add(lease.provider, 2, 2)).toBeDefined();

    pool.updateConfig([]);
    await pool.getOrCreate("ada");
    expect(lease.provider.serverIds()).toEqual([]);
    await pool.shutdownAll();
    expect(pool.statuses()).toEqual([]);
    await expect(add(lease.provider, 1, 1)).rejects.toMatchObject({ code: "closed" });
  });
});
