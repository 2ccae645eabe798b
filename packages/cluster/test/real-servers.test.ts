import { fixtureServer } from "@hostside/fixtures";
import { createSharedProviders, type SharedEvent } from "@hostside/cluster";
import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { describe, expect, it } from "vitest";

const server = { id: "numbers", type: "stdio", ...fixtureServer("modern-stdio"), sharing: "principal" } as const;

async function add(provider: McpProvider | undefined, a: number, b: number): Promise<unknown> {
  await provider?.init();
  return (await provider?.call("mcp_numbers_add", { a, b }))?.content;
}

describe("a pool over real processes", () => {
  it("has one process for each principal, ends the idle one by itself, and leaves none", async () => {
    const connector = createConnector();
    const pool = createSharedProviders({
      servers: [server],
      ttlMs: 100,
      make: ({ servers }) => createProvider({ connector, servers }),
    });
    const ended = new Promise<SharedEvent>((resolve) => {
      pool.onEvent((event) => event.type === "ended" && resolve(event));
    });
    using lease = await pool.lease({ principal: "ada", conversation: "1" });
    const other = await pool.lease({ principal: "bob", conversation: "1" });
    const [[ada], [bob]] = [lease.providers, other.providers];
    const answers = await Promise.all([add(ada, 1, 2), add(bob, 40, 2)]);
    expect(JSON.stringify(answers)).toMatch(/3.*42/);
    other.release();

    expect(await ended).toMatchObject({ principal: "bob", why: "idle", reason: "reap" });
    await expect(add(bob, 1, 1)).rejects.toMatchObject({ code: "closed" });
    expect(await add(ada, 2, 2)).toBeDefined();

    pool.updateConfig([]);
    await pool.lease({ principal: "ada", conversation: "1" });
    expect(ada?.serverIds()).toEqual([]);
    await pool.shutdownAll();
    expect(pool.statuses()).toEqual([]);
    await expect(add(ada, 1, 1)).rejects.toMatchObject({ code: "closed" });
  });
});
