import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Account } from "../src/account.ts";
import { createServerCredentials } from "../src/credentials/create-server-credentials.ts";
import { signOut } from "../src/signing-out/sign-out.ts";
import type { CredentialStore } from "../src/store/credential-store.ts";
import type { StoredAuthorization } from "../src/accounts/stored-account.ts";
import { readAccount, saveAuthorization } from "../src/accounts/account-documents.ts";
import { leaseMs, renew } from "../src/tokens/renew.ts";
import { createRotatingServer, type RotatingServer } from "./rotating-server.ts";
import { createAuthorization, createTokenWorld, issuer, serverUrl, type TokenWorld } from "./token-world.ts";

const schedules = { numRuns: 60 };
const metadata = { issuer, token_endpoint: `${issuer}/token`, revocation_endpoint: `${issuer}/revoke` };

interface Race extends TokenWorld {
  readonly server: RotatingServer;
  /** Wants another token than that one, for an account of this process or of another one. */
  readonly renewOf: (account: Account, accessToken?: string) => Promise<unknown>;
  readonly stored: () => Promise<StoredAuthorization | undefined>;
  /** Runs all that is under way, in the order of the schedule. */
  readonly settle: (...work: readonly Promise<unknown>[]) => Promise<void>;
}

/**
 * Somebody is signed in; each step of the store and of the authorization server takes as long as
 * the schedule says.
 */
async function race(scheduler: fc.Scheduler): Promise<Race> {
  const server = createRotatingServer();
  const turn = (label: string): Promise<unknown> => scheduler.schedule(Promise.resolve(), label);
  const world = createTokenWorld(async (url, init) => {
    if (init?.method !== "POST") return new Response(null, { status: 404 });
    await turn("request");
    const response = await server.fetch(url, init);
    await turn("answer");
    return response;
  });
  await saveAuthorization(world.parts, world.another(), createAuthorization({ metadata }));
  const { store } = world.parts;
  const slow: CredentialStore = {
    ...store,
    load: async (key) => turn("load").then(() => store.load(key)),
    save: async (...saved) => turn("save").then(() => store.save(...saved)),
    clear: async (key) => turn("clear").then(() => store.clear(key)),
  };
  const parts = { ...world.parts, store: slow };
  return {
    ...world,
    parts,
    server,
    renewOf: (account, accessToken = "access-0") =>
      renew(parts, account, { unwanted: { accessToken, isRefused: true } }),
    stored: async () => await readAccount(world.parts, world.another()),
    async settle(...work) {
      const settled = Promise.allSettled(work);
      await scheduler.waitFor(settled);
    },
  };
}

const inAnyOrder = (property: (race: Race) => Promise<void>): Promise<void> =>
  fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => property(await race(scheduler))),
    schedules,
  );

describe("in whatever order it happens", () => {
  it("two renewals in one process and one in another redeem one refresh token, once", () =>
    inAnyOrder(async ({ account, another, renewOf, settle, server, stored }) => {
      const ends = [renewOf(account), renewOf(account), renewOf(another())];
      await settle(...ends);
      expect(server.redeemed).toEqual(["refresh-0"]);
      const authorization = await stored();
      expect(server.knows(authorization)).toBe(true);
      for (const end of await Promise.all(ends)) expect(end).toMatchObject({ kind: "renewed", authorization });
    }));

  it("who signed out stays signed out, and what was renewed meanwhile is revoked", () =>
    inAnyOrder(async ({ parts, account, another, renewOf, settle, server, stored }) => {
      const leaving = signOut(parts, account);
      await settle(renewOf(another()), leaving, renewOf(account));
      expect(await stored()).toBeUndefined();
      expect(await leaving).toEqual({ existed: true, revoked: true });
      expect(server.isReused).toBe(false);
      const last = server.redeemed.length === 0 ? "refresh-0" : "refresh-1";
      expect(server.revoked).toContain(last);
    }));

  it("who signed in has those tokens, or what came of them", () =>
    inAnyOrder(async ({ parts, account, another, renewOf, settle, server, stored }) => {
      const signIn = saveAuthorization(parts, another(), createAuthorization({ metadata, ...server.signIn() }));
      await settle(renewOf(account), signIn, renewOf(another()));
      expect(server.isReused).toBe(false);
      expect(await stored()).toMatchObject({ accessToken: "access-1" });
      expect(server.knows(await stored())).toBe(true);
    }));

  it("who gave up has their tokens saved all the same", () =>
    inAnyOrder(async ({ parts, account, renewOf, settle, server, stored }) => {
      const credentials = createServerCredentials(parts, account);
      const waits = [new AbortController(), new AbortController()].map((giveUp) => {
        const waiting = credentials.onRefused({
          status: 401,
          challenge: undefined,
          request: { method: "POST", url: new URL(serverUrl) },
          sent: { authorization: "Bearer access-0" },
          interactive: false,
          signal: giveUp.signal,
        });
        return { giveUp, waiting };
      });
      for (const { giveUp } of waits) giveUp.abort(new Error("enough"));
      const ends = waits.map(({ waiting }) => waiting);
      await settle(...ends, renewOf(account));
      for (const end of ends) await expect(end).rejects.toThrow("enough");
      expect(server.redeemed).toEqual(["refresh-0"]);
      expect(server.knows(await stored())).toBe(true);
    }));

  it("who lost the lock sends nothing afterwards, and overwrites nothing", () =>
    fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.nat(12), async (scheduler, steps) => {
        const { account, another, renewOf, server, stored, clock } = await race(scheduler);
        const work = Promise.allSettled([renewOf(account), renewOf(another())]);
        for (let step = 0; step < steps && scheduler.count() > 0; step += 1) await scheduler.waitOne();
        const before = server.redeemed.length;
        clock.advance(leaseMs + 1);
        await scheduler.waitFor(work);
        const authorization = await stored();
        // The one whose request was on its way when the lock was lost, and the last resort of the
        // other one: no more.
        expect(server.redeemed.length).toBeLessThanOrEqual(before === 0 ? 1 : 2);
        const isKnown = server.knows(authorization);
        // Where the answer was lost with its time, the sign-in goes on or has ended; nothing in
        // between.
        const hasEnded = before > 0 && server.isReused && authorization?.refreshToken === undefined;
        const isUnknown = before > 0 && authorization?.redeeming !== undefined;
        expect({ isKnown, hasEnded, isUnknown }).toSatisfy((seen) => seen.isKnown || seen.hasEnded || seen.isUnknown);
      }),
      schedules,
    ));
});
