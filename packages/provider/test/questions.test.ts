import type { Connector } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createCalmWorld, failureOf } from "./calm-world.ts";
import { createSimulatedConnector } from "./simulation/simulated-connector.ts";
import { specOf } from "./simulation/simulated-server.ts";

const read = "mcp_s_read";

describe("a question for a human", () => {
  it("stops the clock of calls that wait while a human answers their server", async () => {
    const world = createCalmWorld();
    world.server("s", "read");
    let answer = (): void => {};
    const provider = world.provider({
      servers: [specOf("s", { concurrency: "serial" })],
      onElicit: () => new Promise((resolve) => (answer = () => resolve({ action: "accept" }))),
    });
    await provider.init();
    world.server("s").faults.call.push("ask-human");
    const asking = provider.call(read, { id: "1" }, { timeoutMs: 1000 });
    const behind = provider.call(read, { id: "2" }, { timeoutMs: 1000 });
    await world.settle();
    const late = provider.call(read, { id: "3" }, { timeoutMs: 1000 });
    await world.settle();
    world.clock.advance(60_000);
    answer();
    expect(await Promise.all([asking, behind, late])).toHaveLength(3);
    await provider.close();
  });

  it("starts the clock again when a question is over, though the product's handler goes on", async () => {
    const world = createCalmWorld();
    world.server("s", "read");
    const question = new AbortController();
    const simulated = createSimulatedConnector(world);
    const never = new Promise<never>(() => {});
    const connector: Connector = {
      connect: (spec, hooks, signal) =>
        simulated.connect(
          spec,
          {
            ...hooks,
            onElicit(request) {
              void hooks.onElicit?.(request, question.signal);
              return never;
            },
          },
          signal,
        ),
    };
    const provider = world.provider({
      connector,
      servers: [specOf("s", { concurrency: "serial" })],
      onElicit: () => never,
    });
    await provider.init();
    world.server("s").faults.call.push("ask-human");
    void failureOf(provider.call(read, { id: "1" }, { timeoutMs: 1000 }));
    const behind = failureOf(provider.call(read, { id: "2" }, { timeoutMs: 1000 }));
    await world.settle();
    question.abort();
    world.clock.advance(1000);
    expect(await behind).toMatchObject({ code: "call_timeout", outcome: "not-sent" });
    await provider.close();
  });

  it("stops no clock of another conversation's calls that wait", async () => {
    const world = createCalmWorld();
    world.server("s", "read");
    const simulated = createSimulatedConnector(world);
    const connector: Connector = {
      connect: (spec, hooks, signal) =>
        simulated.connect(
          spec,
          {
            ...hooks,
            onElicit: (request, over) =>
              hooks.onElicit?.({ ...request, context: { conversation: "a" } }, over) ?? Promise.reject(new Error()),
          },
          signal,
        ),
    };
    let answer = (): void => {};
    const provider = world.provider({
      connector,
      servers: [specOf("s", { concurrency: "serial" })],
      onElicit: () => new Promise((resolve) => (answer = () => resolve({ action: "accept" }))),
    });
    await provider.init();
    world.server("s").faults.call.push("ask-human");
    const options = (conversation: string) => ({ timeoutMs: 1000, context: { conversation } });
    const asking = provider.call(read, { id: "1" }, options("a"));
    const behind = provider.call(read, { id: "2" }, options("a"));
    const other = failureOf(provider.call(read, { id: "3" }, options("b")));
    await world.settle();
    world.clock.advance(60_000);
    expect(await other).toMatchObject({ code: "call_timeout", outcome: "not-sent" });
    answer();
    expect(await Promise.all([asking, behind])).toHaveLength(2);
    await provider.close();
  });
});
