import type { ServerSpec } from "@hostside/core";
import type { createSharedProviders } from "@hostside/cluster";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { poolOfKeys, type LeaseOfKey } from "../pool-of-keys.ts";
import { stubProvider, type StubProvider } from "../stub-provider.ts";

/** One thing that somebody does to a pool. */
export type Step =
  | { readonly type: "want" | "lease" | "dispose" | "call" | "crash"; readonly key: string }
  | {
      readonly type: "release" | "endCall" | "give-up" | "finish-make" | "fail-make" | "finish-close";
      readonly nth: number;
    }
  | { readonly type: "update"; readonly servers: number }
  | { readonly type: "wait"; readonly ms: number }
  /** Some of what follows in this turn happens, and the next step comes between. */
  | { readonly type: "ticks"; readonly count: number }
  | { readonly type: "turn" };

/** Steps, and whether the next one follows in the same turn. */
export type Program = readonly { readonly step: Step; readonly isFollowed: boolean }[];

/** What a pool did that it must not. Empty: nothing. */
export type Faults = readonly string[];

interface Made {
  readonly key: string;
  readonly stub: StubProvider;
  /** How many it was made with. */
  readonly servers: number;
  leases: number;
  /** Closed by the pool or by somebody else; its end may take until `gone`. */
  closed: boolean;
  gone: boolean;
  /** Somebody else closed it, when there had been so many requests. */
  crashedAt: number | undefined;
  finishClose: () => void;
}

interface Making {
  readonly key: string;
  readonly succeed: () => void;
  readonly fail: () => void;
  isOver: boolean;
}

interface SimulatedRequest {
  readonly key: string;
  readonly controller: AbortController;
  isOpen: boolean;
  /** Somebody ended the key meanwhile, or the pool. */
  mayEnd: boolean;
  /** How many times the servers had changed when it was made. */
  readonly updates: number;
  /** How long there was nothing on its way that could fulfil it, without a break. */
  stuckMs: number;
}

export const limits = { maxProviders: 2, ttlMs: 1000, waitMs: 500, makeMs: 900, drainMs: 200 };

/** Plays a program against a pool, and says what was wrong. */
export async function simulatePool(create: typeof createSharedProviders, program: Program): Promise<Faults> {
  const clock = useManualClock();
  const faults = new Set<string>();
  const made: Made[] = [];
  const making: Making[] = [];
  const leases: { readonly lease: LeaseOfKey; readonly of: Made; isHeld: boolean }[] = [];
  const requests: SimulatedRequest[] = [];
  const promised: Promise<unknown>[] = [];
  const sets = [1];
  let crashing = false;
  let isHalfDone = false;

  const add = (key: string, servers: number): Made => {
    const stub = stubProvider();
    const one: Made = {
      key,
      servers,
      stub,
      leases: 0,
      closed: false,
      gone: false,
      crashedAt: undefined,
      finishClose: () => undefined,
    };
    const end = new Promise<void>((resolve) => {
      one.finishClose = () => {
        one.gone = true;
        resolve();
      };
    });
    stub.onClose = () => {
      const reason = stub.closedWith.at(-1);
      one.closed = true;
      const isUsed = one.leases > 0 || stub.calls > 0;
      if (!crashing && isUsed && (reason === "reap" || reason === "displaced")) faults.add(`${reason} while in use`);
      return end;
    };
    made.push(one);
    if (made.some((other) => other !== one && other.key === key && !other.gone)) faults.add("two of one key");
    return one;
  };
  const pool = poolOfKeys(create, {
    ...limits,
    servers: serversOf(0),
    make: ({ key, servers, signal }) =>
      new Promise((resolve, reject) => {
        const one: Making = {
          key,
          isOver: false,
          succeed() {
            one.isOver = true;
            resolve(add(key, servers.length).stub.provider);
          },
          fail() {
            one.isOver = true;
            reject(new Error("no"));
          },
        };
        making.push(one);
        // Too late, and all the same.
        signal.addEventListener("abort", () => setImmediate(() => one.isOver || one.succeed()));
      }),
  });
  const check = (): void => {
    const alive = made.filter(({ gone }) => !gone).length + making.filter(({ isOver }) => !isOver).length;
    if (alive > limits.maxProviders) faults.add("more than there is room for");
  };
  const nth = <T>(list: readonly T[], at: number): T | undefined => list[list.length === 0 ? 0 : at % list.length];
  const want = (key: string, work: (request: SimulatedRequest) => Promise<void>): void => {
    const request: SimulatedRequest = {
      key,
      controller: new AbortController(),
      isOpen: true,
      mayEnd: false,
      updates: sets.length - 1,
      stuckMs: 0,
    };
    requests.push(request);
    const settled = work(request).catch((error: unknown) => {
      const code: unknown = error instanceof Error && "code" in error ? error.code : "make-failed";
      const known = ["aborted", "closed", "overloaded", "connect_timeout", "make-failed"];
      if (code === "closed" && !request.mayEnd) faults.add("ended, and nobody had asked for it");
      if (code === "aborted" && !request.controller.signal.aborted) faults.add("given up by somebody else");
      if (!known.includes(String(code))) faults.add(`rejected with ${String(code)}: ${String(error)}`);
    });
    promised.push(settled.finally(() => void (request.isOpen = false)));
  };
  const isMoving = (request: SimulatedRequest): boolean =>
    made.some(({ closed, gone }) => closed && !gone) ||
    making.some(({ key, isOver }) => key === request.key && !isOver);
  const pass = (ms: number): void => {
    for (const request of requests) request.stuckMs = isMoving(request) || isHalfDone ? 0 : request.stuckMs + ms;
    clock.advance(ms);
  };
  const ownerOf = (provider: unknown): Made | undefined => made.find(({ stub }) => stub.provider === provider);
  const checkGiven = (given: Made | undefined, { key, updates, mayEnd }: SimulatedRequest): void => {
    if (given?.key !== key) return void faults.add("the provider of another key");
    const servers = given.stub.applied.at(-1)?.length ?? given.servers;
    // One that somebody ends has none while it drains.
    if (!mayEnd && !sets.slice(updates).includes(servers)) faults.add("servers from before");
  };
  const play = (step: Step): void => {
    switch (step.type) {
      case "want":
        return want(step.key, async (request) => {
          const provider = await pool.getOrCreate(step.key, { signal: request.controller.signal });
          checkGiven(ownerOf(provider), request);
        });
      case "lease":
        return want(step.key, async (request) => {
          const lease = await pool.lease(step.key, { signal: request.controller.signal });
          const of = ownerOf(lease.provider);
          checkGiven(of, request);
          if (of === undefined) return;
          // Somebody may end it in the turn in which it is lent, but not the pool.
          const isLate = of.crashedAt === undefined || requests.indexOf(request) >= of.crashedAt;
          if (of.closed && isLate && !request.mayEnd) faults.add("a lease of what is closed");
          of.leases += 1;
          leases.push({ lease, of, isHeld: true });
        });
      case "dispose":
        for (const request of requests) if (request.key === step.key) request.mayEnd = true;
        promised.push(pool.dispose(step.key));
        return undefined;
      case "call": {
        const one = made.find(({ key, closed }) => key === step.key && !closed);
        if (one !== undefined) one.stub.calls += 1;
        return undefined;
      }
      case "crash": {
        const one = made.find(({ key, closed }) => key === step.key && !closed);
        crashing = true;
        if (one !== undefined) one.crashedAt = requests.length;
        if (one !== undefined) promised.push(one.stub.provider.close("crashed"));
        crashing = false;
        return undefined;
      }
      case "release": {
        const held = nth(
          leases.filter(({ isHeld }) => isHeld),
          step.nth,
        );
        if (held === undefined) return undefined;
        held.isHeld = false;
        held.of.leases -= 1;
        held.lease.release();
        return undefined;
      }
      case "endCall": {
        const busy = nth(
          made.filter(({ stub }) => stub.calls > 0),
          step.nth,
        );
        busy?.stub.endCall();
        return undefined;
      }
      case "give-up":
        nth(
          requests.filter(({ isOpen }) => isOpen),
          step.nth,
        )?.controller.abort();
        return undefined;
      case "finish-make":
        nth(
          making.filter(({ isOver }) => !isOver),
          step.nth,
        )?.succeed();
        return undefined;
      case "fail-make":
        nth(
          making.filter(({ isOver }) => !isOver),
          step.nth,
        )?.fail();
        return undefined;
      case "finish-close":
        nth(
          made.filter(({ closed, gone }) => closed && !gone),
          step.nth,
        )?.finishClose();
        return undefined;
      case "update":
        sets.push(step.servers + 1);
        return pool.updateConfig(serversOf(step.servers));
      case "wait":
        return pass(step.ms);
      case "ticks":
      case "turn":
        return undefined;
    }
  };
  for (const { step, isFollowed } of program) {
    play(step);
    check();
    for (let left = step.type === "ticks" ? step.count : 0; left > 0; left -= 1) await Promise.resolve();
    // What follows in the same turn finds everything half done.
    isHalfDone = isFollowed;
    if (isFollowed) continue;
    await turn();
    check();
    const isStuck = (request: SimulatedRequest): boolean =>
      request.isOpen && request.stuckMs > limits.waitMs && !isMoving(request);
    if (requests.some(isStuck)) faults.add("a request that waits too long");
    if (step.type === "wait" && hasIdleWhileSomebodyWaits()) faults.add("one that nobody uses makes no room");
  }
  await settleAll();
  await wantOneMore();
  await endAll();
  return Array.from(faults);

  // Nobody uses anything any more, and whatever is on its way comes.
  async function settleAll(): Promise<void> {
    releaseAll();
    for (const { stub } of made) while (stub.calls > 0) stub.endCall();
    for (let round = 0; round < 20; round += 1) {
      await turn();
      for (const one of making) if (!one.isOver) one.succeed();
      for (const one of made) if (one.closed && !one.gone) one.finishClose();
      releaseAll();
      await turn();
      clock.advance(100);
      const isQuiet = making.every(({ isOver }) => isOver) && made.every(({ closed, gone }) => !closed || gone);
      if (isQuiet && !requests.some(({ isOpen }) => isOpen)) break;
    }
    await turn();
    if (requests.some(({ isOpen }) => isOpen)) faults.add("a request that never settles");
  }

  async function shutDown(): Promise<void> {
    await pool.shutdownAll();
    if (making.some(({ isOver }) => !isOver)) faults.add("shut down, and something is still made");
    if (made.some(({ closed, gone }) => closed && !gone)) faults.add("shut down, and something is left");
  }

  // What ends makes room for as many; another one that waits has what nobody uses.
  function hasIdleWhileSomebodyWaits(): boolean {
    const there = made.filter(({ closed }) => !closed);
    const wanted = new Set(requests.flatMap(({ key, isOpen }) => (isOpen ? [key] : [])));
    const waiting = Array.from(wanted).filter(
      (key) => !there.some((one) => one.key === key) && !making.some((one) => one.key === key && !one.isOver),
    );
    const ending = made.filter(({ closed, gone }) => closed && !gone).length;
    const isIdle = ({ key, leases: held, stub }: Made): boolean => held === 0 && stub.calls === 0 && !wanted.has(key);
    return waiting.length > ending && there.some(isIdle);
  }

  function releaseAll(): void {
    for (const held of leases.filter(({ isHeld }) => isHeld)) {
      held.isHeld = false;
      held.of.leases -= 1;
      held.lease.release();
    }
  }

  async function wantOneMore(): Promise<void> {
    let isThere = false;
    want("one more", async () => {
      await pool.getOrCreate("one more");
      isThere = true;
    });
    await settleAll();
    if (!isThere) faults.add("no room although nobody uses anything");
  }

  // Everything that is under way comes to its end, and nothing may be left.
  async function endAll(): Promise<void> {
    pool.onEvent(({ type, key }) => {
      if (type !== "create-failed") return;
      want(key, async () => void (await pool.getOrCreate(key)));
      for (const request of requests) request.mayEnd = true;
    });
    want("last", async () => void (await pool.getOrCreate("last")));
    await turn();
    for (const request of requests) request.mayEnd = true;
    promised.push(shutDown());
    await turn();
    for (let round = 0; round < 4; round += 1) {
      for (const one of making) if (!one.isOver) one.succeed();
      await turn();
      for (const one of made) if (one.closed) one.finishClose();
      await turn();
    }
    const isSettled = await Promise.race([
      Promise.all(promised).then(() => true),
      turn()
        .then(turn)
        .then(() => false),
    ]);
    if (!isSettled) faults.add("a promise that never settles");
    if (made.some(({ closed }) => !closed)) faults.add("a provider that nobody closed");
    if (pool.statuses().length > 0) faults.add("an entry is left");
    if (clock.pending() > 0) faults.add("a timer is left");
  }
}

function serversOf(count: number): readonly ServerSpec[] {
  return Array.from({ length: count + 1 }, (_, at) => ({ id: `s${at}`, type: "stdio", command: "node" }));
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
