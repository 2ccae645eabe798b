import { randomBytes } from "node:crypto";
import { consentTo, startAuthorizedServer, type AuthorizedServer } from "@hostside/fixtures";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createHost, type Conversation, type Host, type HostOptions, type HostState } from "hostside";
import { useVirtualClock } from "../../../provider/test/simulation/virtual-clock.ts";
import { createMemoryHub } from "./memory-hub.ts";

let server: AuthorizedServer;
beforeAll(async () => void (server = await startAuthorizedServer()));
afterAll(() => server.close());

const tool = "mcp_notes_whoami";
const wait = { timeout: 60_000 };
const sealing = [{ id: "k", key: randomBytes(32) }];

function open(more: HostOptions = {}): Promise<Host> {
  return createHost({
    servers: { notes: { url: server.url } },
    pool: {},
    auth: { redirect: "https://product.example/callback", clients: { notes: { clientId: "desk" } } },
    ...more,
  });
}

/**
 * Begins a sign-in as the conversation says, and gives what the product's page is called with: a
 * path and a query.
 */
async function comeBack(conversation: Conversation, user: string): Promise<string> {
  const [signIn] = await conversation.signIns();
  const begun = await signIn?.begin();
  const { pathname, search } = await consentTo(begun?.url ?? "", { user });
  return `${pathname}${search}`;
}

const shows = (conversation: Conversation): Promise<void> =>
  vi.waitFor(() => expect(conversation.tools().map(({ name }) => name)).toContain(tool), wait);

async function userOf(conversation: Conversation): Promise<unknown> {
  return (await conversation.call(tool)).content;
}

describe("a user who signs in", () => {
  it("has the tools in the open conversation and in a new one, and no other user has them", async () => {
    await using host = await open();
    const [ada, bob] = await Promise.all(
      ["ada", "bob"].map((principal) => host.conversation({ id: principal, principal })),
    );
    if (ada === undefined || bob === undefined) throw new Error("two were opened");
    expect(await ada.signIns()).toMatchObject([
      { serverId: "notes", title: "notes", state: "needs-auth", principal: "ada" },
    ]);
    const url = await comeBack(ada, "grace");
    await host.oauth?.complete(url, { principal: "ada" });
    await shows(ada);
    expect(await userOf(ada)).toMatchObject([{ text: expect.stringContaining('"user":"grace"') }]);
    expect(await ada.signIns()).toEqual([]);
    await using again = await host.conversation({ id: "2", principal: "ada" });
    expect(again.has(tool)).toBe(true);
    expect([bob.has(tool), (await bob.signIns()).length]).toEqual([false, 1]);
    await ada.close();
    await expect(ada.signIns()).rejects.toMatchObject({ code: "closed" });
  });

  it("has them without pool, and where nobody has a conversation", async () => {
    await using host = await open({ pool: undefined });
    const url = await comeBack(await host.conversation(), "grace");
    await host.oauth?.complete(url);
    await vi.waitFor(() => expect(host.statuses()).toMatchObject([{ id: "notes", state: "ready" }]), wait);
    expect((await host.conversation()).has(tool)).toBe(true);
  });

  it("has them where the connections had ended before", async () => {
    const clock = useVirtualClock();
    await using host = await open({ pool: { ttlMs: 1000 } });
    const ada = await host.conversation({ principal: "ada" });
    const ended = new Promise((resolve) => host.pool?.onEvent(({ type }) => type === "ended" && resolve(type)));
    const url = await comeBack(ada, "grace");
    for (let tick = 0; tick < 12; tick += 1) {
      clock.advance(100);
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
    }
    await ended;
    await host.oauth?.complete(url, { principal: "ada" });
    await shows(ada);
    expect(await ada.signIns()).toEqual([]);
  });

  it("has them on another replica, whose list and tools agree", async () => {
    const hub = createMemoryHub();
    const state = (): HostState => ({ ...hub.state(), keys: sealing });
    await using one = await open({ state: state(), authenticateTools: true });
    await using two = await open({ state: state(), authenticateTools: true });
    const [here, there] = await Promise.all([one, two].map((host) => host.conversation({ id: "1", principal: "ada" })));
    if (here === undefined || there === undefined) throw new Error("two were opened");
    expect(there.has("mcp_notes_authenticate")).toBe(true);
    await one.oauth?.complete(await comeBack(here, "grace"), { principal: "ada" });
    await shows(there);
    expect(await two.oauth?.list()).toMatchObject([{ serverId: "notes", principal: "ada" }]);
    expect([there.has("mcp_notes_authenticate"), await there.signIns()]).toEqual([false, []]);
    expect(await userOf(there)).toMatchObject([{ text: expect.stringContaining('"user":"grace"') }]);
  });
});

it("one page is enough for all calls by which the models of a user ask for a sign-in", async () => {
  await using host = await open({ authenticateTools: true });
  const conversations = await Promise.all(["1", "2"].map((id) => host.conversation({ id, principal: "ada" })));
  const bob = await host.conversation({ principal: "bob" });
  const pageOf = async (conversation: Conversation): Promise<string | undefined> => {
    const [block] = (await conversation.call("mcp_notes_authenticate")).content;
    return block?.type === "text" ? /^https?:.*$/m.exec(block.text)?.[0] : undefined;
  };
  const pages = await Promise.all(Array.from({ length: 10 }, () => conversations.map(pageOf)).flat());
  expect([new Set(pages).size, typeof pages[0]]).toEqual([1, "string"]);
  expect(await Promise.all(conversations.map(pageOf))).toEqual([pages[0], pages[0]]);
  expect(pages).not.toContain(await pageOf(bob));
});

describe("a link that comes back", () => {
  const spoiled = (url: string, change: (query: URLSearchParams) => void): string => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    change(searchParams);
    return `${pathname}?${searchParams.toString()}`;
  };

  it("redeems nothing for another user, nor with a wrong or missing state, and still counts for its user", async () => {
    await using host = await open();
    const ada = await host.conversation({ principal: "ada" });
    const url = await comeBack(ada, "grace");
    const refused = [
      host.oauth?.complete(url, { principal: "bob" }),
      host.oauth?.complete(url),
      host.oauth?.complete(
        spoiled(url, (query) => query.delete("state")),
        { principal: "ada" },
      ),
      host.oauth?.complete(
        spoiled(url, (query) => query.set("state", "A".repeat(43))),
        { principal: "ada" },
      ),
    ];
    for (const one of refused) await expect(one).rejects.toMatchObject({ code: "auth_required" });
    expect(await host.oauth?.list()).toEqual([]);
    await host.oauth?.complete(`http://10.0.0.7:8080${url}`, { principal: "ada" });
    await shows(ada);
  });
});
