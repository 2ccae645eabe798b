import type { ServerSpec } from "@hostside/core";
import { dateOf } from "@hostside/core/implement";
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
  it("is told to who waits for the next process, in the status and in call_timeout, with the time that is left", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, [stdio("old")]);
    const seen: unknown[] = [];
    provider.onStatusChanged(({ state, earlierUntil }) => seen.push([state, earlierUntil]));
    world.server("s").faults.call.push("hang");
    const under = failureOf(provider.call("mcp_s_echo", { id: "old" }));
    await world.settle();
    const startedAt = dateOf(world.clock);
    const applied = provider.applyServers([stdio("new")]);
    const late = failureOf(provider.call("mcp_s_echo", { id: "late" }, { timeoutMs: 3000 }));
    await world.settle();
    expect(seen).toEqual([["connecting", startedAt + 5000]]);
    expect(statusOf(provider, "s")).toMatchObject({ state: "connecting", earlierUntil: startedAt + 5000 });
    world.clock.advance(3000);
    expect(await late).toMatchObject({
      code: "call_timeout",
      outcome: "not-sent",
      rawMessage:
        'call of "echo" on "s" was not sent: its server was not ready for 3000 ms (timeoutMs of the call), because what had its id before still finishes its calls, for 2000 ms at most',
    });
    world.clock.advance(2000);
    expect(await under).toMatchObject({ code: "server_removed" });
    await applied;
    expect(statusOf(provider, "s")).not.toHaveProperty("earlierUntil");
    await provider.close();
  });

  it("is told as an end when nothing of it finishes any more, and not at all where sessions overlap", async () => {
    const world = createCalmWorld();
    const provider = await startWith(world, [stdio("old"), http("old")]);
    world.server("s").faults.close.push("hang");
    for (const id of ["s", "web"]) world.server(id).faults.call.push("hang");
    const under = ["s", "web"].map((id) => failureOf(provider.call(`mcp_${id}_echo`, { id })));
    await world.settle();
    const applied = provider.applyServers([stdio("new"), http("new")], { drainMs: 1000 });
    await world.settle();
    expect(statusOf(provider, "web")).not.toHaveProperty("earlierUntil");
    world.clock.advance(1000);
    const late = failureOf(provider.call("mcp_s_echo", { id: "late" }, { timeoutMs: 10 }));
    await world.settle();
    world.clock.advance(10);
    expect(await late).toMatchObject({
      rawMessage: expect.stringMatching(/\(timeoutMs of the call\), because what had its id before is still ending$/),
    });
    world.clock.advance(60_000);
    await Promise.all([...under, applied]);
    await provider.close();
  });
});
