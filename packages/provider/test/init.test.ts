import { describe, expect, it } from "vitest";
import { createCalmWorld } from "./calm-world.ts";
import { specOf } from "./simulation/simulated-server.ts";

describe("init()", () => {
  it("asks all servers at once, and one that fails costs nobody else: it is seen with its error and no tools (NX-41, EV-37)", async () => {
    const world = createCalmWorld();
    const ids = ["broken", "good", "locked"];
    for (const id of ids) world.server(id, "a");
    world.server("broken").faults.list.push("fail");
    world.server("locked").faults.connect.push("unauthorized");
    const release = world.hold();
    const provider = world.provider({ servers: ids.map((id) => specOf(id)) });
    const init = provider.init();
    await world.settle();
    expect(ids.map((id) => world.server(id).connects.started)).toEqual([1, 1, 1]);
    release();
    await init;
    expect(provider.statuses().map(({ id, state, error }) => [id, state, error?.code])).toEqual([
      ["broken", "failed", "server_error"],
      ["good", "ready", undefined],
      ["locked", "needs-auth", "auth_required"],
    ]);
    expect(provider.definitions().map(({ name }) => name)).toEqual(["mcp_good_a"]);
    expect(provider.groups().map(({ id }) => id)).toEqual(["mcp:good"]);
    await provider.close();
  });

  it("lists once, however often the tools are read; a listing that failed is not kept for one (AD-11)", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "a");
    server.faults.list.push("fail");
    const provider = world.provider({ servers: [specOf("s")] });
    await provider.init();
    expect([server.listings, provider.definitions().length]).toEqual([1, 0]);
    await provider.refresh();
    for (let read = 0; read < 3; read += 1) expect(provider.definitions()).toHaveLength(1);
    await provider.init();
    await provider.call("mcp_s_a");
    expect(server.listings).toBe(2);
    await provider.close();
  });
});
