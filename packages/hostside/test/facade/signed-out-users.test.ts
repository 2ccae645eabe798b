import { randomBytes } from "node:crypto";
import { consentTo, startAuthorizedServer, type AuthorizedServer } from "@hostside/fixtures";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createHost, type Host, type HostOptions, type HostState } from "hostside";
import { createMemoryHub } from "./memory-hub.ts";

let server: AuthorizedServer;
beforeAll(async () => void (server = await startAuthorizedServer({ resources: true })));
afterAll(() => server.close());

const tool = "mcp_notes_whoami";
const wait = { timeout: 60_000 };
const sealing = [{ id: "k", key: randomBytes(32) }];

function open(more: HostOptions = {}): Promise<Host> {
  return createHost({
    servers: { notes: { url: server.url, tools: { whoami: { effect: "pure" } } } },
    pool: {},
    auth: { redirect: "https://product.example/callback", clients: { notes: { clientId: "desk" } } },
    policy: { cache: { ttlMs: 3_600_000 } },
    resources: { cache: { ttlMs: 3_600_000 } },
    ...more,
  });
}

/** Signs a principal in at the authorization server, as one of its users. */
async function signIn(host: Host, user: string, principal?: string): Promise<void> {
  const begun = await host.oauth?.begin("notes", { principal });
  await host.oauth?.complete(await consentTo(begun?.url ?? "", { user }), { principal });
}

interface Caller {
  call(name: string): Promise<{ readonly content: readonly unknown[] }>;
}

async function userOf(caller: Caller): Promise<unknown> {
  const [block] = (await caller.call(tool)).content as [{ readonly text: string }];
  return (JSON.parse(block.text) as { readonly user: unknown }).user;
}

const needed = { code: "auth_required", serverId: "notes", outcome: "not-sent" };

describe("a user who signs out", () => {
  it("has the tools and the sign-in on the list at once, on every replica, and no call uses what was there", async () => {
    const hub = createMemoryHub();
    const state = (): HostState => ({ ...hub.state(), keys: sealing });
    await using one = await open({ state: state() });
    await using two = await open({ state: state() });
    const [here, there] = await Promise.all([one, two].map((host) => host.conversation({ id: "1", principal: "ada" })));
    const bob = await one.conversation({ id: "2", principal: "bob" });
    if (here === undefined || there === undefined) throw new Error("two were opened");
    // There is no prompt, so that authorize() would fail.
    const [{ error } = {}] = await here.statuses();
    expect(error?.message).toMatch(/: send the user to the URL of oauth\.begin\("notes", \{ principal: "ada" \}\)/);
    await Promise.all([signIn(one, "grace", "ada"), signIn(one, "hopper", "bob")]);
    for (const conversation of [here, there, bob])
      await vi.waitFor(() => expect(conversation.has(tool)).toBe(true), wait);
    expect([await userOf(here), await userOf(there), await userOf(bob)]).toEqual(["grace", "grace", "hopper"]);

    await one.oauth?.signOut("notes", { principal: "ada" });
    expect(await here.signIns()).toMatchObject([{ serverId: "notes", state: "needs-auth", principal: "ada" }]);
    await vi.waitFor(async () => expect(await there.signIns()).toHaveLength(1), wait);
    for (const conversation of [here, there]) {
      expect(conversation.has(tool)).toBe(true);
      await expect(conversation.call(tool)).rejects.toMatchObject(needed);
    }
    expect([await bob.signIns(), await userOf(bob)]).toEqual([[], "hopper"]);

    await signIn(two, "lovelace", "ada");
    await vi.waitFor(async () => expect(await userOf(here)).toBe("lovelace"), wait);
    expect(await userOf(there)).toBe("lovelace");
  });

  it("is without a connection, also where it is that of all users, and what forgets alone does the same", async () => {
    await using host = await open({ pool: undefined });
    await signIn(host, "grace");
    await vi.waitFor(() => expect(host.statuses()).toMatchObject([{ state: "ready" }]), wait);
    expect(await userOf(host)).toBe("grace");
    await host.oauth?.clear("notes");
    expect(host.statuses()).toMatchObject([{ state: "needs-auth", error: { code: "auth_required" }, toolCount: 11 }]);
    expect(host.statuses()[0]?.error?.message).toContain("its user signed out");
    await expect(host.call(tool)).rejects.toMatchObject(needed);
  });
});

describe("a user who signs in as another account", () => {
  it("gets nothing that was kept for the earlier one, and no connection of it, on every replica", async () => {
    const hub = createMemoryHub();
    const state = (): HostState => ({ ...hub.state(), keys: sealing });
    await using one = await open({ pool: undefined, state: state() });
    await using two = await open({ pool: undefined, state: state() });
    const attempts = (): readonly (number | undefined)[] => [one, two].map((host) => host.statuses()[0]?.attempts);
    const isReady = ([first, second]: readonly (number | undefined)[]): Promise<void> =>
      vi.waitFor(() => {
        for (const host of [one, two]) expect(host.statuses()).toMatchObject([{ state: "ready" }]);
        expect(attempts().every((count, index) => (count ?? 0) > ([first, second][index] ?? 0))).toBe(true);
      }, wait);
    const before = attempts();
    await signIn(one, "grace");
    await isReady(before);
    expect([await userOf(one), await userOf(two)]).toEqual(["grace", "grace"]);
    const reads = (): Promise<readonly unknown[]> =>
      Promise.all(
        [one, two].map(async ({ resources }) => {
          const { contents } = await resources.read({ serverId: "notes", uri: "notes://whoami" });
          return (JSON.parse(contents[0]?.text ?? "") as { readonly user: unknown }).user;
        }),
      );
    await reads();
    expect(await reads()).toEqual(["grace", "grace"]);
    expect(one.resources.stats().cacheEntries).toBe(1);

    const first = attempts();
    await signIn(one, "hopper");
    await isReady(first);
    expect([await userOf(one), await userOf(two)]).toEqual(["hopper", "hopper"]);
    expect(await reads()).toEqual(["hopper", "hopper"]);
  });
});
