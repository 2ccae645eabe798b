import { createMemoryLock, createMemoryStore, type CallContext, type Diagnostic } from "@hostside/core";
import type { ApprovalDecision } from "@hostside/policy";
import { createTrust } from "@hostside/config";
import { createHost, type Conversation, type Host, type HostOptions, type HostServerEntry } from "hostside";
import { describe, expect, it } from "vitest";
import { createTellingConnector, type TellingAnswer } from "./telling-connector.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

const tools = { tell: { effect: "pure" } } as const;
const entry = { command: "one", tools } satisfies HostServerEntry;

async function tell(from: Pick<Host | Conversation, "call">, context?: CallContext): Promise<TellingAnswer> {
  const { content } = await from.call("mcp_s_tell", {}, context && { context });
  return JSON.parse(String((content[0] as { text?: string }).text)) as TellingAnswer;
}

async function read(host: Host, context?: CallContext): Promise<TellingAnswer> {
  const { contents } = await host.resources.read({ serverId: "s", uri: "tell:it" }, context && { context });
  return JSON.parse(contents[0]?.text ?? "") as TellingAnswer;
}

const open = (options: HostOptions): Promise<Host> =>
  createHost({ connector: createTellingConnector(), policy: { cache: {} }, ...options });

describe("the cache of results", () => {
  it("gives a result again to the same principal and role alone", async () => {
    await using host = await open({ servers: { s: entry } });
    const admin = { principal: "ada", role: "admin" };
    const before = await tell(host, admin);
    expect(await tell(host, admin)).toEqual(before);
  });

  it.each<[string, HostOptions]>([
    ["with pool", { pool: {} }],
    ["without", {}],
  ])("gives no conversation what the connection of another one answered, %s", async (_, options) => {
    await using host = await open({ servers: { s: { ...entry, sharing: "conversation" } }, ...options });
    const [one, two] = [await host.conversation(), await host.conversation()];
    await one.call("mcp_s_note", { text: "one" });
    expect((await tell(one)).notes).toEqual(['"one"']);
    await two.call("mcp_s_note", { text: "two" });
    expect((await tell(two)).notes).toEqual(options.pool === undefined ? ['"one"', '"two"'] : ['"two"']);
  });

  it("keeps nothing of a server that hears of role and conversation", async () => {
    await using host = await open({ servers: { s: { ...entry, passContext: true } } });
    for (const role of ["admin", "guest"])
      for (const conversation of ["1", "2"])
        expect(await tell(host, { role, conversation })).toMatchObject({
          meta: { agent_id: role, session_id: conversation },
        });
  });

  it("keeps nothing of a server whose requests have headers of their own", async () => {
    const connector = createTellingConnector({ headersFor: ["s"] });
    await using host = await open({ connector, servers: { s: entry } });
    for (const conversation of ["1", "2"])
      expect(await tell(host, { conversation })).toMatchObject({ caller: { conversation } });
  });

  it.each<[string, Partial<HostServerEntry>]>([
    ["another program", { command: "two" }],
    ["another token", { env: { TOKEN: "new" } }],
    ["another URL", { command: undefined, url: "https://two.test/" }],
  ])("is empty after an edit to %s, and stays empty when the edit is undone", async (_, change) => {
    for (const pool of [undefined, {}]) {
      const first = { ...entry, sharing: "principal" } as HostServerEntry;
      await using host = await open({ servers: { s: first }, pool });
      const ada = await host.conversation({ principal: "ada" });
      const before = await tell(ada);
      await host.servers.update("s", { ...first, ...change } as HostServerEntry);
      ada.tools();
      const changed = await tell(await host.conversation({ principal: "ada" }));
      expect(changed).not.toEqual(before);
      await host.servers.update("s", first);
      const after = await tell(await host.conversation({ principal: "ada" }));
      expect(after.connection).toBeGreaterThan(changed.connection);
    }
  });

  it("is empty after a server was removed and its name given to another one", async () => {
    await using host = await open({ servers: { s: entry } });
    const before = await tell(host);
    await host.servers.remove("s");
    await host.servers.add("s", entry);
    expect((await tell(host)).connection).toBeGreaterThan(before.connection);
  });
});

describe("the cache of reads", () => {
  const caching = { resourceCache: { ttlMs: 60_000 }, watch: { quietMs: 10 } };
  const file = { command: "one" };
  /** Writes the file anew, and waits until the edit is applied. */
  async function edited(host: Host, write: () => void): Promise<void> {
    const applied = new Promise((resolve) => host.onConfigReport(resolve));
    write();
    await applied;
  }

  /** Reads for two conversations, and returns which ones the server heard of. */
  const heard = async (host: Host): Promise<readonly unknown[]> => [
    (await read(host, { conversation: "1" })).meta?.["session_id"],
    (await read(host, { conversation: "2" })).meta?.["session_id"],
  ];

  it.each<[string, object, HostOptions["resources"]]>([
    ["a file asks", { ...caching, passContext: true }, {}],
    ["a file asks for the context, and code for a cache", { passContext: true }, { cache: {} }],
  ])("keeps nothing where %s for both a cache and the context", async (_, settings, resources) => {
    const config = createTemporaryFolder().write("hostside.json", { servers: { s: file }, settings });
    await using host = await open({ config, resources });
    expect(await heard(host)).toEqual(["1", "2"]);
  });

  it("keeps nothing of a server that an edit adds with the context, or gives the context", async () => {
    const folder = createTemporaryFolder();
    const write = (servers: object, settings: object): string =>
      folder.write("hostside.json", { servers, settings: { ...caching, ...settings } });
    await using host = await open({ config: write({ other: file }, {}) });
    await edited(host, () => write({ s: file, other: file }, {}));
    const kept = await read(host, { conversation: "1" });
    expect(await read(host, { conversation: "2" })).toEqual(kept);
    await edited(host, () => write({ s: { ...file, passContext: true }, other: file }, {}));
    expect(await heard(host)).toEqual(["1", "2"]);
    await edited(host, () => write({ s: file, other: file }, { passContext: true }));
    expect(await heard(host)).toEqual(["1", "2"]);
  });

  it("begins and ends with an edit", async () => {
    const folder = createTemporaryFolder();
    const write = (settings: object): string =>
      folder.write("hostside.json", { servers: { s: file }, settings: { watch: { quietMs: 10 }, ...settings } });
    await using host = await open({ config: write({}) });
    await read(host);
    expect(host.resources.stats().cacheEntries).toBe(0);
    await edited(host, () => write({ resourceCache: { ttlMs: 60_000 } }));
    await read(host);
    await read(host);
    expect(host.resources.stats()).toMatchObject({ cacheEntries: 1, servers: [{ cacheHits: 1 }] });
    await edited(host, () => write({ resourceCache: { enabled: false } }));
    await read(host);
    expect(host.resources.stats()).toMatchObject({ cacheEntries: 0, servers: [{ cacheHits: 1 }] });
  });
});

describe("an answer for always, and a pin,", () => {
  const store = createMemoryStore();
  const state = { store, lock: createMemoryLock() };
  const projectFolder = "/";

  /** Calls as ada in a host with this server, and returns whether anybody was asked. */
  async function isAsked(options: HostOptions, state: HostOptions["state"]): Promise<boolean> {
    let asked = false;
    const handler = async (): Promise<ApprovalDecision> => {
      asked = true;
      return "always";
    };
    await using host = await open({ state, policy: { requireApproval: ["s/*"], approval: { handler } }, ...options });
    await host.call("mcp_s_tell", {}, { context: { principal: "ada" } });
    return asked;
  }

  it("holds for other credentials and limits, and for no other program or source under the same name", async () => {
    const folder = createTemporaryFolder();
    const inFile = (name: string, server: object): HostOptions => ({
      config: folder.write(name, { mcpServers: { s: server } }),
    });
    const mine = inFile("mine.json", { command: "one" });
    expect(await isAsked(mine, state)).toBe(true);
    expect(await isAsked(mine, state)).toBe(false);
    expect(await isAsked(inFile("mine.json", { command: "one", env: { TOKEN: "new" } }), state)).toBe(false);
    expect(await isAsked(inFile("mine.json", { command: "one", args: ["--all"] }), state)).toBe(true);
    expect(await isAsked(inFile("theirs.json", { command: "one" }), state)).toBe(true);
    expect(await isAsked({ servers: { s: { command: "one" } } }, state)).toBe(true);
    expect(await isAsked(inFile("mine.json", { command: "one" }), state)).toBe(false);
  });

  it("pins the tools of one program and source", async () => {
    const pinned = { store: createMemoryStore(), lock: createMemoryLock() };
    const holds = async (command: string): Promise<boolean> => {
      const policy = { pins: { unpinned: "quarantine" } } as const;
      await using host = await open({ state: pinned, servers: { s: { command } }, policy });
      await host.policy.ready();
      if (host.policy.held().length === 0) return false;
      if (command === "one") await host.policy.approveTools("s");
      return true;
    };
    expect(await holds("one")).toBe(true);
    expect(await holds("one")).toBe(false);
    expect(await holds("two")).toBe(true);
    expect(await holds("one")).toBe(false);
  });

  it("says that pins in memory are forgotten with the process", async () => {
    const messages: string[] = [];
    const onDiagnostic = ({ kind, message }: Diagnostic): unknown => kind === "not-kept" && messages.push(message);
    for (const options of [{ policy: {} }, { policy: { pins: {} }, state }]) {
      await using _ = await open({ onDiagnostic, ...options });
      expect(messages).toEqual([]);
    }
    await using _ = await open({ onDiagnostic, policy: { pins: {} } });
    expect(messages).toEqual([expect.stringContaining("first use again")]);
  });

  it("is taken back for every program that has had the name", async () => {
    const pinned = { store: createMemoryStore(), lock: createMemoryLock() };
    for (const command of ["one", "two"]) {
      await using host = await open({ state: pinned, servers: { s: { command } }, policy: { pins: {} } });
      await host.policy.ready();
    }
    await using host = await open({ state: pinned, servers: { s: { command: "two" } }, policy: { pins: {} } });
    await host.policy.ready();
    await host.policy.revoke("s");
    await using back = await open({ state: pinned, servers: { s: { command: "one" } }, policy: { pins: {} } });
    await back.policy.ready();
    expect(back.policy.held().map(({ toolName }) => toolName)).toEqual(["note", "tell"]);
  });

  it("leaves a user's server its name where a project has one that is the same in tools", async () => {
    const folder = createTemporaryFolder();
    const user = folder.write("user.json", { mcpServers: { s: { command: "one" } } });
    const project = folder.write("project.json", { mcpServers: { S: { command: "two" } } });
    const trust = createTrust({ store: createMemoryStore(), ask: async () => "trust" });
    const files = [
      { path: user, scope: "user" },
      { path: project, scope: "project", projectFolder },
    ] as const;
    await using host = await open({ config: { files, trust, watch: false } });
    expect(host.statuses().map(({ id }) => id)).toEqual(["s"]);
    expect(host.config?.problems).toContainEqual(expect.objectContaining({ code: "ids_alike", serverId: "S" }));
  });
});

describe("a conversation", () => {
  it.each([{ principal: "bob" }, { conversation: "2" }])("does nothing in the name of %o", async (context) => {
    await using host = await open({ servers: { s: { ...entry, sharing: "conversation" } }, pool: {} });
    const ada = await host.conversation({ principal: "ada", id: "1" });
    const refused = { name: "TypeError", message: expect.stringContaining("that of the conversation") as unknown };
    const outcome = await ada.call("mcp_s_tell", {}, { context: { principal: "ada", conversation: "1" } });
    await expect(ada.call("mcp_s_tell", {}, { context })).rejects.toMatchObject(refused);
    await expect(ada.selectTools({ tools: ["mcp_s_tell"] }, { context })).rejects.toMatchObject(refused);
    await expect(ada.searchTools({ query: "tell" }, { context })).rejects.toMatchObject(refused);
    await expect(ada.presenter.present(outcome, { context })).rejects.toMatchObject(refused);
  });
});
