import { HostsideError } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { accountKey, readAccount, saveAuthorization, writeAccount } from "../src/accounts/account-documents.ts";
import { renew, settleRenewals, type RenewalRequest, leaseMs, type RenewalEnd } from "../src/tokens/renew.ts";
import { createRotatingServer, type RotatingServer, holdAnswers } from "./rotating-server.ts";
import { createAuthorization, createTokenWorld, type TokenWorld } from "./token-world.ts";
import { firstDate } from "../../provider/test/simulation/virtual-clock.ts";

const refused = (accessToken: string): RenewalRequest => ({ unwanted: { accessToken, isRefused: true } });
const ended = (accessToken: string): RenewalRequest => ({ unwanted: { accessToken, isRefused: false } });
const tokenOf = (end: RenewalEnd): string => (end.kind === "renewed" ? end.authorization.accessToken : end.kind);
const stored = async ({ parts, another }: TokenWorld) => await readAccount(parts, another());

async function signedIn(server: RotatingServer, patch = {}): Promise<TokenWorld> {
  const world = createTokenWorld((url, init) => server.fetch(url, init));
  await saveAuthorization(world.parts, world.account, createAuthorization(patch));
  return world;
}

/**
 * Somebody is signed in to a store that takes nothing from the moment on when a refresh token was
 * redeemed, until it is repaired.
 */
async function signedInToBreakingStore(patch = {}) {
  const server = createRotatingServer();
  const world = await signedIn(server, patch);
  let isBroken = false;
  const store = {
    ...world.parts.store,
    save: (...saved: Parameters<typeof world.parts.store.save>) =>
      isBroken ? Promise.reject(new HostsideError("full", { code: "store_failed" })) : world.parts.store.save(...saved),
  };
  server.play = async (answer) => {
    isBroken = true;
    return answer();
  };
  const repair = (): void => {
    isBroken = false;
    server.play = (answer) => Promise.resolve(answer());
  };
  return { world, server, repair, parts: { ...world.parts, store } };
}

/** As if the process had died that redeemed: its mark is there, and its lock is free. */
const mark = { redeeming: { by: "dead", since: firstDate } };

describe("renew()", () => {
  it("redeems once for all who ask together, and for another process that asks afterwards", async () => {
    const server = createRotatingServer();
    const { parts, account, another } = await signedIn(server);
    let turns = 0;
    const withLock: typeof parts.store.withLock = (...asked) => {
      turns += 1;
      return parts.store.withLock(...asked);
    };
    const counting = { ...parts, store: { ...parts.store, withLock } };
    const ends = await Promise.all([1, 2, 3].map(() => renew(counting, account, refused("access-0"))));
    expect(turns).toBe(1);
    ends.push(await renew(parts, another(), refused("access-0")));
    expect(ends.map(tokenOf)).toEqual(Array(4).fill("access-1"));
    expect(server.redeemed).toEqual(["refresh-0"]);
  });

  it("writes down that it redeems before it sends, and takes that back with the answer", async () => {
    const server = createRotatingServer();
    const world = await signedIn(server);
    let during: unknown;
    server.play = async (answer) => {
      during = (await stored(world))?.redeeming;
      return answer();
    };
    await renew(world.parts, world.account, refused("access-0"));
    expect(during).toEqual({ by: expect.stringMatching(/^[0-9a-f-]{36}$/), since: firstDate });
    expect(await stored(world)).not.toHaveProperty("redeeming");
  });

  it.each([
    ["no connection", () => Promise.reject(new TypeError("fetch failed")), "unreachable"],
    ["a 503", () => Promise.resolve(new Response("down", { status: 503 })), "http_error"],
    ["a page", () => Promise.resolve(new Response("<html>")), "http_error"],
    ["a 429", () => Promise.resolve(new Response("", { status: 429 })), "rate_limited"],
    ["a time that is over", () => Promise.reject(timeout()), "request_timeout"],
  ] as const)(
    "keeps all there is when the authorization server has %s, and leaves it alone for a while",
    async (_, play, code) => {
      const server = createRotatingServer();
      const world = await signedIn(server);
      let asked = 0;
      server.play = () => {
        asked += 1;
        return play();
      };
      const first = await renew(world.parts, world.account, refused("access-0"));
      expect(first).toMatchObject({ kind: "failed", error: { code, retryable: true, outcome: "not-sent" } });
      expect(await stored(world)).toMatchObject({ accessToken: "access-0", refreshToken: "refresh-0" });
      const second = await renew(world.parts, world.account, refused("access-0"));
      expect(second).toMatchObject({ kind: "failed", error: { code, details: { backOff: true } } });
      expect(asked).toBe(1);
      world.clock.advance(1000);
      server.play = (answer) => Promise.resolve(answer());
      expect(tokenOf(await renew(world.parts, world.account, refused("access-0")))).toBe("access-1");
    },
  );

  it("deletes the refresh token that is dead, and nothing else", async () => {
    const server = createRotatingServer();
    const world = await signedIn(server, { refreshToken: "refresh-other" });
    const end = await renew(world.parts, world.account, refused("access-0"));
    expect(end).toMatchObject({ kind: "unrenewable", error: { code: "auth_required" } });
    expect(await stored(world)).toMatchObject({ accessToken: "access-0" });
    expect(await stored(world)).not.toHaveProperty("refreshToken");
    expect(await renew(world.parts, world.account, refused("access-0"))).toMatchObject({ kind: "unrenewable" });
    expect(server.redeemed).toEqual(["refresh-other"]);
  });

  it("adopts what somebody saved who signed in, when its own refresh token is dead meanwhile", async () => {
    const server = createRotatingServer();
    const world = await signedIn(server, { refreshToken: "refresh-old" });
    const { parts, account } = world;
    server.play = async (answer) => {
      // A product that writes without the lock.
      const document = await parts.store.load(accountKey(account));
      const authorization = createAuthorization({ accessToken: "access-9", refreshToken: "refresh-9" });
      await parts.store.save(accountKey(account), {
        ...document,
        ...authorization,
        client: { clientId: "host", way: "dynamic" },
      });
      return answer();
    };
    expect(tokenOf(await renew(parts, account, refused("access-0")))).toBe("access-9");
    expect(await stored(world)).toMatchObject({ refreshToken: "refresh-9" });
  });

  it("forgets no client that it is refused as, and keeps the refresh token", async () => {
    const world = await signedIn(createRotatingServer());
    const account = {
      ...world.account,
      fetch: () => Promise.resolve(Response.json({ error: "invalid_client" }, { status: 401 })),
    };
    expect(await renew(world.parts, account, refused("access-0"))).toMatchObject({ kind: "unrenewable" });
    expect(account.hints.refusedClientId).toBe("host");
    expect(await stored(world)).toMatchObject({ refreshToken: "refresh-0" });
  });

  it("uses the access token as long as it lives after somebody died while they redeemed, then redeems once more", async () => {
    const server = createRotatingServer();
    const { parts, account, clock } = await signedIn(server, mark);
    clock.advance(599_000);
    expect(tokenOf(await renew(parts, account, ended("access-0")))).toBe("left");
    expect(server.redeemed).toEqual([]);
    clock.advance(1000);
    expect(tokenOf(await renew(parts, account, ended("access-0")))).toBe("access-1");
  });

  it("keeps the mark when nobody knows whether the refresh token was redeemed", async () => {
    const server = createRotatingServer();
    const world = await signedIn(server);
    server.play = (answer) => {
      answer();
      return Promise.reject(
        new TypeError("fetch failed", { cause: new HostsideError("cut", { code: "connection_closed" }) }),
      );
    };
    world.clock.advance(590_000);
    expect(tokenOf(await renew(world.parts, world.account, ended("access-0")))).toBe("failed");
    expect(await stored(world)).toHaveProperty("redeeming");
    expect(tokenOf(await renew(world.parts, world.another(), ended("access-0")))).toBe("left");
    expect(server.redeemed).toEqual(["refresh-0"]);
  });

  it("uses an answer that cannot be saved at once, saves it as soon as it can, and redeems nothing twice", async () => {
    const { world, parts, server, repair } = await signedInToBreakingStore();
    const { account, clock } = world;
    expect(tokenOf(await renew(parts, account, refused("access-0")))).toBe("access-1");
    expect((await readAccount(parts, account))?.accessToken).toBe("access-1");
    expect(await stored(world)).toMatchObject({ accessToken: "access-0" });
    repair();
    clock.advance(100);
    expect(tokenOf(await renew(parts, account, refused("access-1")))).toBe("access-2");
    expect(server.redeemed).toEqual(["refresh-0", "refresh-1"]);
    expect(await stored(world)).toMatchObject({ accessToken: "access-2" });
    expect(clock.pending).toBe(0);
  });

  it("keeps an answer that cannot be saved when the clock was set back meanwhile", async () => {
    const { world, parts } = await signedInToBreakingStore({ obtainedAt: firstDate + 3_600_000 });
    await renew(parts, world.account, refused("access-0"));
    expect((await readAccount(parts, world.account))?.accessToken).toBe("access-1");
  });

  it("saves with close() what could not be saved before", async () => {
    const { world, parts, repair } = await signedInToBreakingStore();
    const { account, close, clock } = world;
    const work = renew(parts, account, refused("access-0"));
    await passTime(world, work);
    repair();
    close.abort();
    await settleRenewals(parts, 1000);
    expect(await stored(world)).toMatchObject({ accessToken: "access-1" });
    expect(clock.pending).toBe(0);
  });

  it("saves with close() what nobody could save for a long time before", async () => {
    const { world, parts, repair } = await signedInToBreakingStore();
    await renew(parts, world.account, refused("access-0"));
    while (world.clock.pending > 0) {
      world.clock.advance(1000);
      await new Promise(setImmediate);
    }
    repair();
    await settleRenewals(parts, 1000);
    expect(await stored(world)).toMatchObject({ accessToken: "access-1" });
  });

  it("takes a token for one without a key that was asked for without one, whatever its answer says", async () => {
    const server = createRotatingServer();
    const world = await signedIn(server);
    server.play = async (answer) => {
      const said: unknown = await answer().json();
      return Response.json({ ...(said as object), token_type: "DPoP" });
    };
    expect(tokenOf(await renew(world.parts, world.account, refused("access-0")))).toBe("access-1");
    expect(await stored(world)).toMatchObject({ accessToken: "access-1", tokenType: "Bearer" });
  });

  it("takes no assertion for an access token", async () => {
    const server = createRotatingServer();
    const world = await signedIn(server);
    server.play = async (answer) => {
      const said: unknown = await answer().json();
      return Response.json({ ...(said as object), token_type: "N_A" });
    };
    expect(tokenOf(await renew(world.parts, world.account, refused("access-0")))).toBe("failed");
    expect(await stored(world)).toMatchObject({ accessToken: "access-0", tokenType: "Bearer" });
  });

  it("does not send what it was to redeem once its lock is lost", async () => {
    const server = createRotatingServer();
    const world = await signedIn(server);
    const { parts, clock } = world;
    const store = {
      ...parts.store,
      save: async (...saved: Parameters<typeof parts.store.save>) => {
        await parts.store.save(...saved);
        // The machine sleeps.
        clock.advance(leaseMs + 1);
      },
    };
    const end = await renew({ ...parts, store }, world.account, refused("access-0"));
    expect(end).toMatchObject({ kind: "failed", error: { code: "overloaded", outcome: "not-sent" } });
    expect(server.redeemed).toEqual([]);
    clock.advance(1000);
    expect(tokenOf(await renew(parts, world.another(), refused("access-0")))).toBe("access-1");
  });

  it("does not send it either when the lock is lost before its time", async () => {
    const server = createRotatingServer();
    const { parts, account } = await signedIn(server);
    const lost = new AbortController();
    const store: typeof parts.store = {
      ...parts.store,
      withLock: (_key, _ms, work) => work(lost.signal),
      save: async (...saved) => {
        await parts.store.save(...saved);
        lost.abort();
      },
    };
    const end = await renew({ ...parts, store }, account, refused("access-0"));
    expect(end).toMatchObject({ kind: "failed", error: { code: "overloaded", outcome: "not-sent" } });
    expect(server.redeemed).toEqual([]);
  });

  it.each([
    ["somebody else got in the meantime, with a refresh token that stays", { accessToken: "access-7" }, "access-7"],
    [
      "somebody who signed in got, without a refresh token",
      { accessToken: "access-8", refreshToken: undefined },
      "access-8",
    ],
    [
      "is new, when somebody else was refused meanwhile and deleted the refresh token",
      { refreshToken: undefined },
      "access-1",
    ],
  ])("leaves or saves what %s", async (_, meanwhile, kept) => {
    const server = createRotatingServer();
    const world = await signedIn(server);
    server.play = async (answer) => {
      const { refreshToken, ...rest } = createAuthorization(meanwhile);
      const authorization = refreshToken === undefined ? rest : { ...rest, refreshToken };
      await writeAccount(world.parts, world.another(), authorization);
      return answer();
    };
    expect(tokenOf(await renew(world.parts, world.account, refused("access-0")))).toBe(kept);
    expect(await stored(world)).toMatchObject({ accessToken: kept });
  });

  it("is not ended by close(): what is under way is waited for, and nothing more is sent", async () => {
    const server = createRotatingServer();
    const world = await signedIn(server);
    const { parts, account, another, close, clock } = world;
    const { sent, answered: released } = holdAnswers(server);
    const work = renew(parts, account, refused("access-0"));
    await sent.promise;
    close.abort();
    const settled = settleRenewals(parts, 1000);
    released.resolve();
    await settled;
    expect(await stored(world)).toMatchObject({ accessToken: "access-1" });
    expect(tokenOf(await work)).toBe("access-1");
    await expect(renew(parts, another(), refused("access-1"))).rejects.toMatchObject({ code: "closed" });
    expect(clock.pending).toBe(0);
  });

  it("uses the secret that is configured now", async () => {
    const world = await signedIn(createRotatingServer(), {
      client: { clientId: "host", clientSecret: "old-secret", way: "pre-registered" },
    });
    const sent: string[] = [];
    const account = {
      ...world.account,
      config: { clientId: "host", clientSecret: "new-secret" },
      fetch: (_: unknown, init?: RequestInit) => {
        sent.push(new Headers(init?.headers).get("authorization") ?? "");
        return Promise.reject(new TypeError("fetch failed"));
      },
    };
    await renew(world.parts, account, refused("access-0"));
    expect(sent).toEqual([`Basic ${btoa("host:new-secret")}`]);
  });

  it("rejects with overloaded when the lock is not to be had, and sends nothing", async () => {
    const server = createRotatingServer();
    const world = await signedIn(server);
    const parts = {
      ...world.parts,
      store: {
        ...world.parts.store,
        withLock: async () => {
          throw new HostsideError("1,000 wait for the lock already", { code: "overloaded" });
        },
      },
    };
    await expect(renew(parts, world.account, refused("access-0"))).rejects.toMatchObject({ code: "overloaded" });
    expect(server.redeemed).toEqual([]);
  });
});

function timeout(): TypeError {
  return new TypeError("fetch failed", { cause: new HostsideError("no answer", { code: "request_timeout" }) });
}

/** Lets the time pass that something waits for. */
async function passTime({ clock }: TokenWorld, work: Promise<unknown>): Promise<void> {
  const settled = work.then(() => true);
  while (!(await Promise.race([settled, new Promise((resolve) => setImmediate(resolve, false))]))) clock.advance(100);
}
