import type { ServerSpec } from "@hostside/core";
import type { McpProvider, ServerStatus } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { createCalmWorld, failureOf, type CalmWorld } from "./calm-world.ts";

const stdio = (command: string): ServerSpec => ({ id: "s", type: "stdio", command });
const http = (path: string): ServerSpec => ({
  id: "web",
  type: "http",
  url: `https://example.com/${path}`,
});

async function startWith(world: CalmWorld, servers: readonly ServerSpec[]): Promise<McpProvider> {
  const provider = world.provider({ servers });
  await provider.init();
  return provider;
}

const statusOf = (provider: McpProvider, id: string): ServerStatus | undefined =>
  provider.statuses().find((status) => status.id === id);

describe("a process that finishes its calls while the next one of its id waits", () => {
  it("holds up the next process and its calls until its time is over", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, [stdio("old")]);
    world.server("s").faults.call.push("hang");
    const under = failureOf(provider.call("mcp_s_echo", { id: "old" }));
    await world.settle();
    const applied = provider.applyServers([stdio("new")]);
    const late = failureOf(provider.call("mcp_s_echo", { id: "late" }, { timeoutMs: 3000 }));
    await world.settle();
    expect(statusOf(provider, "s")).toMatchObject({ state: "connecting" });
    world.clock.advance(3000);
    expect(await late).toMatchObject({
      code: "call_timeout",
      outcome: "not-sent",
      rawMessage:
        'call of "echo" on "s" was not sent: its server was not ready, or busy with other calls, for 3000 ms (timeoutMs of the call)',
    });
    world.clock.advance(2000);
    expect(await under).toMatchObject({ code: "server_removed" });
    await applied;
    expect(statusOf(provider, "s")).toMatchObject({ state: "ready" });
    await provider.close();
  });

  it("waits for nothing over HTTP, and no longer than its end may take", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, [stdio("old"), http("old")]);
    world.server("s").faults.close.push("hang");
    for (const id of ["s", "web"]) world.server(id).faults.call.push("hang");
    const under = ["s", "web"].map((id) => failureOf(provider.call(`mcp_${id}_echo`, { id })));
    await world.settle();
    const applied = provider.applyServers([stdio("new"), http("new")], { drainMs: 1000 });
    await world.settle();
    expect([statusOf(provider, "s")?.state, statusOf(provider, "web")?.state]).toEqual(["connecting", "ready"]);
    for (let turn = 0; turn < 3; turn += 1) {
      world.clock.advance(60_000);
      await world.settle();
    }
    await Promise.all([...under, applied]);
    expect(statusOf(provider, "s")).toMatchObject({ state: "ready" });
    await provider.close();
  });
});
