import { createMemoryLock, createMemoryStore, type ContentBlock } from "@hostside/core";
import { consentTo, startAuthorizedServer, type AuthorizedServer } from "@hostside/fixtures";
import {
  createHost,
  createSharedServers,
  type Conversation,
  type Host,
  type HostOptions,
  type HostServerEntry,
} from "hostside";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createTellingConnector, type TellingAnswer } from "./telling-connector.ts";

let server: AuthorizedServer;
beforeAll(async () => void (server = await startAuthorizedServer()));
afterAll(() => server.close());

const wait = { timeout: 60_000 };

/** The ways by which a server comes to a host that is open. */
const ways = [
  {
    way: "servers.add()",
    open: async (options: HostOptions) => {
      const host = await createHost({ ...options, pool: {} });
      return { host, add: (name: string, entry: HostServerEntry) => host.servers.add(name, entry) };
    },
  },
  {
    way: "sharedServers.write()",
    open: async (options: HostOptions) => {
      const sharedServers = createSharedServers({ store: createMemoryStore(), lock: createMemoryLock() });
      const host = await createHost({ ...options, sharedServers, pool: {} });
      return {
        host,
        async add(name: string, entry: HostServerEntry) {
          await sharedServers.write({ [name]: entry });
        },
      };
    },
  },
];

const textOf = ([block]: readonly ContentBlock[]): string => (block?.type === "text" ? block.text : "");

const openTwo = async (host: Host): Promise<readonly [Conversation, Conversation]> => {
  const [ann, bob] = await Promise.all(["ann", "bob"].map((principal) => host.conversation({ principal })));
  if (ann === undefined || bob === undefined) throw new Error("two were opened");
  return [ann, bob];
};

async function signIn(host: Host, conversation: Conversation, user: string): Promise<void> {
  const [pending] = await conversation.signIns();
  const begun = await pending?.begin();
  await host.oauth?.complete(await consentTo(begun?.url ?? "", { user }), { principal: pending?.principal });
}

async function userOf(conversation: Conversation): Promise<unknown> {
  const { content } = await conversation.call("mcp_notes_whoami");
  return (JSON.parse(textOf(content)) as { readonly user: unknown }).user;
}

describe.each(ways)("a server that comes by $way", ({ open }) => {
  it("has a connection for each principal, and none that all share", async () => {
    const { host, add } = await open({ connector: createTellingConnector() });
    await using _ = host;
    await add("mail", { command: "mail", sharing: "principal" });
    const opened = await vi.waitFor(async () => {
      const two = await openTwo(host);
      expect(two.every((one) => one.has("mcp_mail_tell"))).toBe(true);
      return two;
    }, wait);
    expect(host.tools().map(({ name }) => name)).not.toContain("mcp_mail_tell");
    await expect(host.call("mcp_mail_tell")).rejects.toMatchObject({ code: "unknown_tool" });
    const answers = await Promise.all(
      opened.map(async (conversation) => {
        const { content } = await conversation.call("mcp_mail_tell");
        return JSON.parse(textOf(content)) as TellingAnswer;
      }),
    );
    expect(answers.map(({ principal }) => principal)).toEqual(["ann", "bob"]);
    expect(new Set(answers.map(({ connection }) => connection)).size).toBe(2);
  });

  it("is asked with the token of the user whose conversation it is, and with no other", async () => {
    const { host, add } = await open({
      auth: { redirect: "https://product.example/callback", clients: { notes: { clientId: "desk" } } },
    });
    await using _ = host;
    await add("notes", { url: server.url });
    const [ann, bob] = await vi.waitFor(async () => {
      const two = await openTwo(host);
      for (const one of two) expect(await one.signIns()).toHaveLength(1);
      return two;
    }, wait);
    await signIn(host, ann, "grace");
    await vi.waitFor(() => expect(ann.has("mcp_notes_whoami")).toBe(true), wait);
    expect(await userOf(ann)).toBe("grace");
    expect([bob.has("mcp_notes_whoami"), (await bob.signIns()).length]).toEqual([false, 1]);
    await expect(bob.call("mcp_notes_whoami")).rejects.toMatchObject({ code: "unknown_tool" });
    await signIn(host, bob, "hopper");
    await vi.waitFor(() => expect(bob.has("mcp_notes_whoami")).toBe(true), wait);
    expect([await userOf(bob), await userOf(ann)]).toEqual(["hopper", "grace"]);
  });
});
