import { HostsideError } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { errorOf } from "../../test/error-of.ts";
import { issuer, spec } from "../../test/fake-servers.ts";
import { createSignInWorld, until } from "../../test/sign-in-world.ts";
import { createOAuth } from "../create-oauth.ts";
import { createMemoryCredentials } from "../store/create-memory-credentials.ts";
import type { CredentialKey, CredentialStore } from "../store/credential-store.ts";

const storeFailed = new HostsideError("the store is away", { code: "store_failed" });

/** Lets two seconds pass, and again. */
const pass = async (clock: { advance(ms: number): void }, times: number): Promise<void> => {
  for (let time = 0; time < times; time += 1) {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(2000);
  }
};

describe("authorize() with the same store in another process", () => {
  const redirect = "https://product.example/back";

  it("is signed in within seconds by what that one completes", async () => {
    const world = createSignInWorld({ redirect });
    const events: string[] = [];
    world.oauth.onSignedIn(({ serverId }) => void events.push(serverId));
    const signingIn = world.oauth.authorize(spec);
    await until(() => world.shown.length === 1);
    const who = await createOAuth(world.all).complete(world.servers.visit(world.shown[0]?.url ?? new URL("none:")));
    world.clock.advance(2000);
    expect(await signingIn).toEqual(who);
    expect(events).toEqual(["notes"]);
    expect(world.clock.pending).toBe(0);
  });

  it("is signed in by that one's answer when the listener gets the same one too late", async () => {
    const { hanging, receiver, shown, servers, clock, all } = createSignInWorld();
    const signingIn = hanging.authorize(spec);
    await until(() => shown.length === 1);
    const back = servers.visit(shown[0]?.url ?? new URL("none:"));
    const who = await createOAuth(all).complete(back);
    receiver.comeBack(back);
    await pass(clock, 2);
    expect(await signingIn).toEqual(who);
    expect(receiver.ends).toEqual(["signed-in"]);
  });

  it("says so when no tokens came of it, or it was cancelled there", async () => {
    const world = createSignInWorld({ redirect });
    const signingIn = errorOf(world.oauth.authorize(spec));
    await until(() => world.shown.length === 1);
    expect(await createOAuth(world.all).cancel("notes")).toBe(true);
    await pass(world.clock, 32);
    const error = await signingIn;
    expect(error.code).toBe("auth_required");
    expect(error.message).toContain("another process");
  });

  it("goes on when the store is away for a moment", async () => {
    const memory = createMemoryCredentials();
    let isAway = false;
    const store = {
      ...memory,
      load: (key: CredentialKey) => (isAway ? Promise.reject(storeFailed) : memory.load(key)),
    };
    const world = createSignInWorld({ redirect, store });
    const signingIn = world.oauth.authorize(spec);
    await until(() => world.shown.length === 1);
    isAway = true;
    world.clock.advance(2000);
    await until(() => world.clock.pending === 2);
    isAway = false;
    const who = await createOAuth(world.all).complete(world.servers.visit(world.shown[0]?.url ?? new URL("none:")));
    world.clock.advance(2000);
    expect(await signingIn).toEqual(who);
  });

  it("says once who has signed in here, also while the store has the tokens and is not done with them", async () => {
    const memory = createMemoryCredentials();
    let unlock: () => void = () => {};
    const isUnlocked = new Promise<void>((resolve) => (unlock = resolve));
    let isSaved = false;
    const store: CredentialStore = {
      ...memory,
      async withLock(key, ms, work) {
        const result = await memory.withLock(key, ms, work);
        isSaved ||= key.kind === "account";
        if (key.kind === "account") await isUnlocked;
        return result;
      },
    };
    const { oauth, clock } = createSignInWorld({ store });
    const events: string[] = [];
    oauth.onSignedIn(({ serverId }) => void events.push(serverId));
    const signingIn = oauth.authorize(spec);
    await until(() => isSaved);
    await pass(clock, 3);
    unlock();
    expect(await signingIn).toMatchObject({ serverId: "notes" });
    await pass(clock, 2);
    expect(events).toEqual(["notes"]);
  });

  it("saves what an authorization server answers after the user has cancelled", async () => {
    const { oauth, servers, store } = createSignInWorld();
    const tokens = servers.routes.get(`POST ${issuer}/token`);
    let answer: () => void = () => {};
    servers.routes.set(`POST ${issuer}/token`, async (request) => {
      await new Promise<void>((resolve) => (answer = resolve));
      return tokens?.(request) ?? Response.error();
    });
    const signingIn = errorOf(oauth.authorize(spec));
    await until(() => servers.count(`POST ${issuer}/token`) === 1);
    expect(await oauth.cancel("notes")).toBe(true);
    expect((await signingIn).message).toMatch(/was cancelled$/);
    const signedIn = new Promise((resolve) => oauth.onSignedIn(resolve));
    answer();
    await signedIn;
    expect(await store.load({ kind: "account", serverId: "notes" })).toBeDefined();
  });
});
