import type {
  ConversationKey,
  ConversationLease,
  SharedOwner,
  SharedProviders,
  SharedProvidersOptions,
} from "@hostside/cluster";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { stubProvider } from "../stub-provider.ts";

/** One thing that somebody does to shared providers. Numbers are places in lists, counted round. */
import {
  type SharedStep,
  type SharedProgram,
  type Made,
  type Making,
  type SimulatedRequest,
  type Held,
  people,
  s,
  c,
  sets,
  sharedLimits,
  type Usage,
  settleApply,
  specsOf,
  kindsOf,
  sizeOf,
  takenBy,
  isFor,
  sameOwner,
  turn,
} from "./shared-parts.ts";

/** Plays a program against shared providers, and says what was wrong. Empty: nothing. */
export async function simulateShared(
  create: (options: SharedProvidersOptions) => SharedProviders,
  program: SharedProgram,
): Promise<readonly string[]> {
  const clock = useManualClock();
  const faults = new Set<string>();
  const made: Made[] = [];
  const making: Making[] = [];
  const leases: Held[] = [];
  const requests: SimulatedRequest[] = [];
  const promised: Promise<unknown>[] = [];
  let current = sets[0] ?? {};
  const history = [current];
  let crashing = false;
  let isHalfDone = false;
  const nth = <T>(list: readonly T[], at: number): T | undefined => list[list.length === 0 ? 0 : at % list.length];
  const there = (): readonly Made[] => made.filter(({ gone }) => !gone);

  const add = (owner: SharedOwner, servers: readonly string[]): Made => {
    const stub = stubProvider();
    const one: Made = {
      owner,
      stub,
      has: servers,
      applying: [],
      leases: 0,
      closed: false,
      gone: false,
      crashed: false,
      finishClose: () => undefined,
    };
    const end = new Promise<void>((resolve) => {
      one.finishClose = () => {
        one.gone = true;
        for (const { settle } of one.applying.splice(0)) settle(false);
        resolve();
      };
    });
    stub.onApply = () => {
      const before = one.has;
      one.has = (stub.applied.at(-1) ?? []).map(({ id }) => id);
      if (crashing || one.closed) return Promise.resolve();
      return new Promise((resolve, reject) => {
        one.applying.push({
          before,
          settle(isRefused) {
            if (isRefused) one.has = before;
            if (isRefused) reject(new Error("refused"));
            else resolve();
          },
        });
      });
    };
    stub.onClose = () => {
      one.closed = true;
      checkClose(one, stub.closedWith.at(-1) ?? "");
      return end;
    };
    if (there().some((other) => sameOwner(other.owner, owner))) faults.add("two of one owner");
    made.push(one);
    return one;
  };
  const checkClose = (one: Made, reason: string): void => {
    if (crashing) return;
    const isUsed = one.leases > 0 || one.stub.calls > 0;
    if (isUsed && (reason === "reap" || reason === "displaced")) faults.add(`${reason} while in use`);
    if (reason.startsWith("gone: ") && reason !== `gone: ${one.owner.principal}`) faults.add("ended for somebody else");
    if (reason === "gone: " && one.owner.sharing !== c) faults.add("ended with a conversation");
    if (reason === "displaced" && !requests.some(({ isOpen }) => isOpen)) faults.add("displaced for nobody");
  };
  const usage = (principal?: { readonly of: string | undefined }): Usage => {
    const isMine = ({ owner }: { readonly owner: SharedOwner }): boolean =>
      principal === undefined || (owner.sharing !== s && owner.principal === principal.of);
    const sizes = [
      ...there().filter(isMine).map(takenBy),
      ...making.filter((one) => !one.isOver && isMine(one)).map(({ servers }) => sizeOf(servers)),
    ];
    return {
      providers: sizes.length,
      connections: sizes.reduce((sum, { connections }) => sum + connections, 0),
      processes: sizes.reduce((sum, { processes }) => sum + processes, 0),
    };
  };
  const check = (): void => {
    const { providers, connections, processes } = usage();
    if (providers > sharedLimits.maxProviders) faults.add("more providers than there may be");
    if (connections > sharedLimits.maxConnections) faults.add("more connections than there may be");
    if (processes > sharedLimits.maxProcesses) faults.add("more processes than there may be");
    for (const { principal } of people)
      if (usage({ of: principal }).connections > sharedLimits.maxPerPrincipal)
        faults.add("more than a principal may have");
  };
  const shared = create({
    ...sharedLimits,
    servers: specsOf(current),
    make: ({ servers, signal, ...owner }) =>
      new Promise((resolve, reject) => {
        const ids = servers.map(({ id }) => id);
        const one: Making = {
          owner,
          servers: ids,
          isOver: false,
          succeed() {
            one.isOver = true;
            resolve(add(owner, ids).stub.provider);
          },
          fail() {
            one.isOver = true;
            reject(new Error("no"));
          },
        };
        if (ids.length === 0) faults.add("made without servers");
        if (ids.some((id) => (current[id] ?? owner.sharing) !== owner.sharing)) faults.add("made with what has moved");
        making.push(one);
        // Too late, and all the same.
        signal.addEventListener("abort", () => setImmediate(() => one.isOver || one.succeed()));
      }),
  });
  const isMoving = (): boolean =>
    made.some(({ closed, gone, applying }) => (closed && !gone) || (applying.length > 0 && !gone)) ||
    making.some(({ isOver }) => !isOver);
  const take = (lease: ConversationLease, { key, mayEnd, updates }: SimulatedRequest): void => {
    const of = lease.providers.flatMap((provider) => made.filter(({ stub }) => stub.provider === provider));
    const isRight = of.every(({ owner }) => isFor(owner, key));
    if (of.length !== lease.providers.length || !isRight) faults.add("the provider of somebody else");
    if (!mayEnd && of.some(({ closed, crashed }) => closed && !crashed)) faults.add("a lease of what is closed");
    const kinds = of.map(({ owner }) => owner.sharing).join();
    if (!history.slice(updates).some((set) => kindsOf(set) === kinds))
      faults.add("not the providers that have servers");
    for (const one of of) one.leases += 1;
    leases.push({ lease, of, isHeld: true });
  };
  const want = (key: ConversationKey, onLease?: () => void): void => {
    const request: SimulatedRequest = {
      key,
      controller: new AbortController(),
      isOpen: true,
      mayEnd: false,
      updates: history.length - 1,
      stuckMs: 0,
    };
    requests.push(request);
    const settled = shared.lease(key, { signal: request.controller.signal }).then(
      (lease) => {
        request.isOpen = false;
        take(lease, request);
        onLease?.();
        return undefined;
      },
      (error: unknown) => {
        request.isOpen = false;
        const code: unknown = error instanceof Error && "code" in error ? error.code : "make-failed";
        const known = ["aborted", "closed", "overloaded", "connect_timeout", "make-failed"];
        if (code === "closed" && !request.mayEnd) faults.add("ended, and nobody had asked for it");
        if (code === "aborted" && !request.controller.signal.aborted) faults.add("given up by somebody else");
        if (!known.includes(String(code))) faults.add(`rejected with ${String(code)}: ${String(error)}`);
      },
    );
    promised.push(settled);
  };
  const release = (held: Held | undefined): void => {
    if (held === undefined || !held.isHeld) return;
    held.isHeld = false;
    for (const one of held.of) one.leases -= 1;
    held.lease.release();
    held.lease.release();
  };
  const dispose = (key: ConversationKey, isWhole: boolean): void => {
    const { principal } = key;
    const isMine = (other: ConversationKey): boolean =>
      other.principal === principal && (isWhole || other.conversation === key.conversation);
    for (const request of requests) if (isMine(request.key)) request.mayEnd = true;
    const target = isWhole && principal !== undefined ? { principal } : key;
    const reason = isWhole && principal !== undefined ? `gone: ${principal}` : "gone:";
    const mine = made.filter(
      ({ owner, gone }) =>
        !gone &&
        owner.sharing !== s &&
        owner.principal === principal &&
        ((isWhole && principal !== undefined) || owner.conversation === key.conversation),
    );
    promised.push(
      shared.dispose(target, reason).then(() => {
        if (mine.some(({ gone }) => !gone)) faults.add("disposed of, and something is left");
        return undefined;
      }),
    );
  };
  const play = (step: SharedStep): void => {
    switch (step.type) {
      case "lease":
        return want(nth(people, step.who) ?? { conversation: "1" });
      case "dispose":
      case "dispose-principal":
        return dispose(nth(people, step.who) ?? { conversation: "1" }, step.type === "dispose-principal");
      case "release":
        return release(
          nth(
            leases.filter(({ isHeld }) => isHeld),
            step.nth,
          ),
        );
      case "call": {
        const one = nth(
          leases.filter(({ isHeld }) => isHeld).flatMap(({ of }) => of),
          step.nth,
        );
        if (one !== undefined && !one.closed) one.stub.calls += 1;
        return undefined;
      }
      case "endCall":
        return nth(
          made.filter(({ stub }) => stub.calls > 0),
          step.nth,
        )?.stub.endCall();
      case "give-up":
        return nth(
          requests.filter(({ isOpen }) => isOpen),
          step.nth,
        )?.controller.abort();
      case "crash": {
        const one = nth(
          made.filter(({ closed }) => !closed),
          step.nth,
        );
        if (one === undefined) return undefined;
        crashing = true;
        one.crashed = true;
        promised.push(one.stub.provider.close("crashed"));
        crashing = false;
        return undefined;
      }
      case "finish-make":
        return nth(
          making.filter(({ isOver }) => !isOver),
          step.nth,
        )?.succeed();
      case "fail-make":
        return nth(
          making.filter(({ isOver }) => !isOver),
          step.nth,
        )?.fail();
      case "finish-close":
        return nth(
          made.filter(({ closed, gone }) => closed && !gone),
          step.nth,
        )?.finishClose();
      case "finish-apply":
      case "refuse-apply":
        return settleApply(
          nth(
            made.filter(({ applying }) => applying.length > 0),
            step.nth,
          ),
          step.type === "refuse-apply",
        );
      case "update":
        current = nth(sets, step.set) ?? {};
        history.push(current);
        return shared.updateConfig(specsOf(current));
      case "wait":
        for (const request of requests) request.stuckMs = isMoving() || isHalfDone ? 0 : request.stuckMs + step.ms;
        return clock.advance(step.ms);
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
    const isMoved = ({ has, owner }: Made): boolean =>
      has.some((id) => (current[id] ?? owner.sharing) !== owner.sharing);
    if (made.some((one) => !one.closed && isMoved(one))) faults.add("a connection that it may not have any more");
    if (requests.some(({ isOpen, stuckMs }) => isOpen && stuckMs > sharedLimits.waitMs && !isMoving()))
      faults.add("a request that waits too long");
  }
  await settleAll();
  let isThere = false;
  want({ conversation: "one more", principal: "c" }, () => void (isThere = true));
  await settleAll();
  if (!isThere) faults.add("no room although nobody uses anything");
  await endAll();
  return Array.from(faults);

  // Nobody uses anything any more, and whatever is on its way comes.
  async function settleAll(): Promise<void> {
    for (let round = 0; round < 30; round += 1) {
      for (const held of leases) release(held);
      for (const { stub } of made) while (stub.calls > 0) stub.endCall();
      for (const one of making) if (!one.isOver) one.succeed();
      for (const one of made) if (one.closed && !one.gone) one.finishClose();
      for (const one of made) settleApply(one, false);
      await turn();
      check();
      clock.advance(100);
      if (!isMoving() && !requests.some(({ isOpen }) => isOpen)) break;
    }
    await turn();
    for (const held of leases) release(held);
    if (requests.some(({ isOpen }) => isOpen)) faults.add("a request that never settles");
  }

  async function endAll(): Promise<void> {
    for (const [at, key] of people.entries()) if (at < 3) want(key);
    for (const request of requests) request.mayEnd = true;
    await Promise.resolve();
    const shutDown = shared.shutdownAll().then(() => {
      if (making.some(({ isOver }) => !isOver)) faults.add("shut down, and something is still made");
      if (made.some(({ closed, gone }) => closed && !gone)) faults.add("shut down, and something is left");
      return undefined;
    });
    promised.push(shutDown);
    for (let round = 0; round < 4; round += 1) {
      await turn();
      for (const one of making) if (!one.isOver) one.succeed();
      await turn();
      for (const one of made) if (one.closed && !one.gone) one.finishClose();
    }
    const isSettled = await Promise.race([
      Promise.all(promised).then(() => true),
      turn()
        .then(turn)
        .then(() => false),
    ]);
    if (!isSettled) faults.add("a promise that never settles");
    if (made.some(({ closed }) => !closed)) faults.add("a provider that nobody closed");
    if (shared.statuses().length > 0) faults.add("an entry is left");
    if (clock.pending() > 0) faults.add("a timer is left");
  }
}
