import { describe, expect, it } from "vitest";
import { errorOf } from "../../test/error-of.ts";
import { issuer, spec } from "../../test/fake-servers.ts";
import { createSignInWorld, until } from "../../test/sign-in-world.ts";
import { createOAuth } from "../create-oauth.ts";
import { createMemoryCredentials } from "../store/create-memory-credentials.ts";
import type { CredentialStore } from "../store/credential-store.ts";

/** Lets two seconds pass, and again. */
const pass = async (clock: { advance(ms: number): void }, times: number): Promise<void> => {
  for (let time = 0; time < times; time += 1) {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(2000);
  }
};

describe("authorize()", () => {
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

  it("ends when another process took the answer and nothing is heard of its end", async () => {
    const { hanging, all, servers, receiver, shown, clock } = createSignInWorld();
    const elsewhere = createOAuth({ ...all, redirect: "https://product.example/oauth/back" });
    const signingIn = errorOf(hanging.authorize(spec));
    await until(() => shown.length === 1);
    const back = servers.visit(shown[0]?.url ?? new URL(issuer));
    await elsewhere.complete(back);
    receiver.comeBack(back);
    await pass(clock, 30);
    expect(await signingIn).toMatchObject({ code: "auth_required" });
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
