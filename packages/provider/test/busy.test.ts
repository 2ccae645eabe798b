import { describe, expect, it } from "vitest";
import { createCalmWorld } from "./calm-world.ts";
import { specOf } from "./simulation/simulated-server.ts";

const read = "mcp_s_read";

describe("busy", () => {
  it("is so while a call is with a server, also one that was removed meanwhile", async () => {
    const world = createCalmWorld();
    world.server("s", "read");
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init();
    const release = world.hold();
    const call = provider.call(read);
    await world.settle();
    const removed = provider.removeServer("s", { drainMs: 1000 });
    expect([provider.serverIds(), provider.busy]).toEqual([[], true]);
    release();
    await call;
    await removed;
    expect(provider.busy).toBe(false);
    await provider.close();
  });

  it("is so while a request is under way on a connection", async () => {
    const world = createCalmWorld();
    world.server("s", "read");
    const provider = world.provider({ servers: [specOf("s")] });
    const connection = await provider.connection("s");
    expect(provider.busy).toBe(false);
    const release = world.hold();
    const listed = connection.listTools();
    await world.settle();
    expect(provider.busy).toBe(true);
    release();
    await listed;
    expect(provider.busy).toBe(false);
    await provider.close();
  });
});
