import { applyInterceptors, createMemoryLock, createMemoryStore, type CallHandler } from "@hostside/core";
import { createPolicy, type Policy, type PolicyOptions } from "@hostside/policy";
import { describe, expect, it, vi } from "vitest";
import { answerOk, behindSeam, callOf, createStageWorld, failureOf, rejectionOf, settle } from "./stage-world.ts";

const key = new Uint8Array(32).fill(7);

function setUp(options: PolicyOptions) {
  const { clock } = createStageWorld();
  const state = { store: createMemoryStore(), lock: createMemoryLock() };
  const policy = (): Policy => createPolicy({ approval: { mode: "all", suspend: { key } }, state, ...options });
  const ran: string[] = [];
  const answer: CallHandler = (call) => (ran.push(call.origin.toolName), answerOk(call));
  const send = (by: Policy, approval?: string, handler: CallHandler = answer): Promise<unknown> => {
    const context = { principal: "ada", ...(approval !== undefined && { approval }) };
    const definition = { fingerprint: "sha256-01", effect: "pure" } as const;
    return applyInterceptors(
      by.interceptors,
      behindSeam(by, handler),
    )(callOf({ args: { a: 1 }, options: { context }, definition }));
  };
  const suspend = async (by: Policy): Promise<string> => {
    const { details } = await rejectionOf(send(by));
    return by.approveCall(details.approval);
  };
  return { clock, policy, ran, send, suspend };
}

describe("an approval, when something behind it refuses the call", () => {
  it("is not used up by a limit, and goes on once when there is room again", async () => {
    const { clock, policy, ran, send, suspend } = setUp({ limits: [{ rate: { calls: 1, perMs: 1000 } }] });
    const one = policy();
    const [first, second] = [await suspend(one), await suspend(one)];
    await send(one, first);
    expect(await rejectionOf(send(one, second))).toMatchObject({ code: "rate_limited", outcome: "not-sent" });
    clock.advance(1000);
    await send(one, second);
    clock.advance(5000);
    for (const by of [one, policy()]) {
      expect(await rejectionOf(send(by, second))).toMatchObject({ details: { denied: "used" } });
    }
    expect(ran).toHaveLength(2);
  });

  it("is not used up by an open circuit", async () => {
    const { clock, policy, ran, send, suspend } = setUp({ breaker: { failures: 1, openMs: 1000 } });
    const one = policy();
    const [first, second] = [await suspend(one), await suspend(one)];
    await rejectionOf(send(one, first, () => Promise.reject(failureOf("unreachable", { outcome: "unknown" }))));
    expect(await rejectionOf(send(one, second))).toMatchObject({ code: "circuit_open" });
    clock.advance(1000);
    await send(one, second);
    expect(await rejectionOf(send(one, second))).toMatchObject({ details: { denied: "used" } });
    expect(ran).toHaveLength(1);
  });

  it("takes nothing of a limit when it was used before", async () => {
    const { policy, send, suspend } = setUp({ limits: [{ budget: { calls: 2 } }] });
    const one = policy();
    const token = await suspend(one);
    await send(one, token);
    for (const _ of [1, 2, 3]) {
      expect(await rejectionOf(send(one, token))).toMatchObject({ details: { denied: "used" } });
    }
    await send(one, await suspend(one));
  });

  it("is one approval for all tries of its call, and for an answer from the cache", async () => {
    const { clock, policy, ran, send, suspend } = setUp({ retry: { attempts: 2 }, cache: {} });
    const one = policy();
    let tries = 0;
    const flaky: CallHandler = (call) => {
      tries += 1;
      if (tries === 1) return Promise.reject(failureOf("unreachable", { outcome: "not-sent" }));
      return answerOk(call);
    };
    const token = await suspend(one);
    const sent = send(one, token, flaky);
    // The cache is loaded with the first call; then it is tried again after at most 240 ms.
    await vi.waitFor(() => expect(tries).toBe(1), 60_000);
    await settle();
    clock.advance(240);
    await sent;
    expect(tries).toBe(2);
    const second = await suspend(one);
    await send(one, second);
    expect(ran).toEqual([]);
    expect(await rejectionOf(send(one, second))).toMatchObject({ details: { denied: "used" } });
  });
});
