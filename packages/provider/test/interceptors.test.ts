import type { Interceptor } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createCalmWorld, failureOf } from "./calm-world.ts";
import { changeTools, specOf } from "./simulation/simulated-server.ts";

const read = "mcp_s_read";
const never = new Promise<never>(() => {});
const hang: Interceptor = () => never;
const pass: Interceptor = (call, next) => next(call);

describe("a provider with interceptors", () => {
  it("ends a call that one of them keeps, by its time, its caller's abort and close(), and says that it was not sent", async () => {
    const world = createCalmWorld();
    world.server("s", "read");
    const provider = world.provider({ servers: [specOf("s")], interceptors: [hang] });
    await provider.init();
    const timed = failureOf(provider.call(read, {}, { timeoutMs: 1000 }));
    const abort = new AbortController();
    const aborted = failureOf(provider.call(read, {}, { signal: abort.signal }));
    const closed = failureOf(provider.call(read));
    world.clock.advance(1000);
    abort.abort();
    await provider.close();
    const ends = await Promise.all([timed, aborted, closed]);
    expect(ends).toMatchObject([
      { code: "call_timeout", outcome: "not-sent" },
      { code: "aborted", outcome: "not-sent" },
      { code: "closed", outcome: "not-sent" },
    ]);
    expect([world.server("s").received.length, world.clock.pending]).toEqual([0, 0]);
  });

  it("takes its server's `callMs` for a call without a time of its own", async () => {
    const world = createCalmWorld();
    world.server("s", "read");
    const provider = world.provider({ servers: [specOf("s", { timeouts: { callMs: 300 } })], interceptors: [hang] });
    await provider.init();
    const call = failureOf(provider.call(read));
    world.clock.advance(300);
    expect(await call).toMatchObject({ code: "call_timeout", details: { timeoutMs: 300 } });
    await provider.close();
  });

  it("makes one deadline cover interceptors, waiting and the call; its last word says what became of it", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "read");
    const slow: Interceptor = async (call, next) => {
      await new Promise<void>((resolve) => world.clock.schedule(400, resolve));
      return next(call);
    };
    const provider = world.provider({ servers: [specOf("s", { concurrency: "serial" })], interceptors: [slow] });
    await provider.init();
    server.faults.call.push("hang");
    const first = failureOf(provider.call(read, {}, { timeoutMs: 1000 }));
    const second = failureOf(provider.call(read, {}, { timeoutMs: 900 }));
    world.clock.advance(400);
    await world.settle();
    world.clock.advance(600);
    expect(await first).toMatchObject({ code: "call_timeout", outcome: "unknown", details: { timeoutMs: 1000 } });
    expect(await second).toMatchObject({ code: "call_timeout", outcome: "not-sent", details: { timeoutMs: 900 } });
    await provider.close();
    expect(world.clock.pending).toBe(0);
  });

  it("stops the clock of the whole call while a human answers its server", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "read");
    let answer = (): void => {};
    const provider = world.provider({
      servers: [specOf("s")],
      interceptors: [pass],
      onElicit: () => new Promise((resolve) => (answer = () => resolve({ action: "accept" }))),
    });
    await provider.init();
    server.faults.call.push("ask-human");
    const call = provider.call(read, {}, { timeoutMs: 1000 });
    await world.settle();
    world.clock.advance(60_000);
    answer();
    expect(await call).toMatchObject({ isError: false });
    await provider.close();
  });

  it("refuses the call of a tool that changed while an interceptor looked at it", async () => {
    const world = createCalmWorld();
    const server = world.server("s", "read");
    let approve = (): void => {};
    const approval: Interceptor = async (call, next) => {
      await new Promise<void>((resolve) => (approve = resolve));
      return next(call);
    };
    const provider = world.provider({ servers: [specOf("s")], interceptors: [approval] });
    await provider.init();
    const call = failureOf(provider.call(read));
    changeTools(server, (tools, version) => tools.set("read", version));
    await provider.refresh();
    approve();
    expect(await call).toMatchObject({ code: "tool_changed", outcome: "not-sent" });
    expect(server.received).toEqual([]);
    await provider.close();
  });
});
