import { describe, expect, it } from "vitest";
import { Gate, fairShareOf, findDisplaced } from "../src/calls/fair-queue.ts";
import { createCalmWorld, failureOf } from "./calm-world.ts";
import { specOf } from "./simulation/simulated-server.ts";
import { checkTurns } from "./turns.ts";

const echo = "mcp_s_echo";
const of = (conversation: string) => ({ context: { conversation } });

describe("calls of several conversations", () => {
  it("take turns, whatever comes and goes: none is passed twice, none idles beside a free place, each in its order", async () => {
    await expect(checkTurns(Gate, 60)).resolves.toBeUndefined();
  });

  it("never have all places of a server for one of them", () => {
    expect([1, 2, 3, 4, 5, 64].map(fairShareOf)).toEqual([1, 1, 2, 3, 4, 48]);
  });

  it("are served in turns by a serial server: one that asks much is not before one that asks once", async () => {
    const world = createCalmWorld();
    const server = world.server("s");
    const provider = world.provider({ servers: [specOf("s", { concurrency: "serial" })] });
    await provider.init();
    const release = world.hold();
    const order: string[] = [];
    const call = async (name: string): Promise<void> => {
      await provider.call(echo, { id: name }, of(name.slice(0, 1)));
      order.push(name);
    };
    const calls = ["a1", "a2", "a3", "a4", "b1", "c1", "b2"].map(call);
    await world.settle();
    release();
    await Promise.all(calls);
    expect(order).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
    expect(server.received).toHaveLength(7);
    await provider.close();
  });

  it("leave room for another one, however long those of one take, and none for nobody in particular", async () => {
    const world = createCalmWorld();
    world.server("s");
    const provider = world.provider({ servers: [specOf("s", { limits: { maxInFlightCalls: 4 } })] });
    await provider.init();
    const release = world.hold();
    const inFlight = (): unknown => provider.statuses().map(({ inFlight: now, waiting }) => [now, waiting])[0];
    const first = [1, 2, 3, 4].map((id) => provider.call(echo, { id }, { context: { principal: "ada" } }));
    await world.settle();
    expect(inFlight()).toEqual([3, 1]);
    const second = provider.call(echo, { id: 5 }, of("b"));
    await world.settle();
    expect(inFlight()).toEqual([4, 1]);
    release();
    await Promise.all([...first, second]);
    const again = world.hold();
    const unnamed = [1, 2, 3, 4, 5].map((id) => provider.call(echo, { id }));
    await world.settle();
    expect(inFlight()).toEqual([4, 1]);
    again();
    await Promise.all(unnamed);
    await provider.close();
  });

  it("lose their newest waiting call to one that has fewer, when the queue is full: a flood keeps nobody out", async () => {
    const world = createCalmWorld();
    world.server("s");
    const provider = world.provider({
      servers: [specOf("s", { concurrency: "serial", limits: { maxQueuedCalls: 3 } })],
    });
    await provider.init();
    const release = world.hold();
    const flood = ["a1", "a2", "a3", "a4"].map((id) => provider.call(echo, { id }, of("a")));
    const last = failureOf(flood[3] ?? Promise.resolve());
    expect(await failureOf(provider.call(echo, { id: "a5" }, of("a")))).toMatchObject({ code: "overloaded" });
    const other = provider.call(echo, { id: "b1" }, of("b"));
    expect(await last).toMatchObject({
      code: "overloaded",
      outcome: "not-sent",
      retryable: true,
      serverId: "s",
      toolName: "echo",
      rawMessage:
        'call of "echo" on "s" was refused: of the 3 calls of the server that were waiting, 3 were of its conversation, and another one got its place',
    });
    await world.settle();
    expect(provider.statuses()[0]).toMatchObject({ inFlight: 1, waiting: 3 });
    release();
    await Promise.all([...flood.slice(0, 3), other]);
    expect(provider.statuses()[0]).toMatchObject({ inFlight: 0, waiting: 0 });
    await provider.close();
    expect(world.clock.pending).toBe(0);
  });

  it("share the queue also while their server is being reached", async () => {
    const world = createCalmWorld();
    world.server("s");
    const provider = world.provider({ servers: [specOf("s", { limits: { maxInFlightCalls: 1, maxQueuedCalls: 1 } })] });
    await provider.init();
    await provider.disconnectServer("s");
    const release = world.hold();
    const flood = [1, 2].map((id) => provider.call(echo, { id }, of("a")));
    const last = failureOf(flood[1] ?? Promise.resolve());
    await world.settle();
    const other = provider.call(echo, { id: 3 }, of("b"));
    expect(await last).toMatchObject({ code: "overloaded" });
    release();
    await Promise.all([flood[0], other]);
    await provider.close();
  });
});

describe("findDisplaced()", () => {
  it("finds the newest call of the caller with most who wait, unless this one has as many", () => {
    const crowd = ["a1", "a2", "a3", "b1", "b2"].map((name) => ({ name, fairnessKey: name[0] }));
    const displaced: string[] = [];
    const displace = (fairnessKey: string | undefined): boolean => {
      const found = findDisplaced(crowd, fairnessKey);
      if (found === undefined) return false;
      const { call, load } = found;
      displaced.push(`${call.name} of ${load.own} of ${load.waiting}`);
      crowd.splice(crowd.indexOf(call), 1);
      return true;
    };
    expect([displace("a"), displace("b"), displace(undefined)]).toEqual([false, true, true]);
    expect(displaced).toEqual(["a3 of 3 of 5", "a2 of 2 of 4"]);
    crowd.splice(1, 1);
    expect([displace("c"), displace("c"), displace("c")]).toEqual([true, true, false]);
    expect(displaced.slice(2)).toEqual(["a1 of 1 of 2", "b2 of 1 of 1"]);
  });
});
