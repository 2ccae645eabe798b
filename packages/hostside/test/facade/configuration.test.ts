import { createMemoryCredentials } from "@hostside/auth";
import { createMemoryStore } from "@hostside/core";
import { createTrust, type TrustAnswer } from "@hostside/config";
import { loadConfig, type ConfigReport } from "@hostside/config/node";
import { describe, expect, it } from "vitest";
import { createHost, type Host } from "hostside";
import { createFakeConnector, namesOfServers } from "./fake-connector.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";
import { byName } from "./by-name.ts";

const states = (host: Host) => host.statuses().map(({ id, state }) => `${id} ${state}`);
const x = { type: "stdio", command: "x" } as const;
const nextReport = (host: Host): Promise<ConfigReport> =>
  new Promise((resolve) => {
    const end = host.onConfigReport((report) => {
      end();
      resolve(report);
    });
  });

describe("the servers of a hostside", () => {
  it("one that cannot be used is a problem with its place, and blocks nobody", async () => {
    const folder = createTemporaryFolder();
    const config = folder.write("mcp.json", {
      mcpServers: {
        good: { command: "x" },
        bad: { command: "refused" },
        "my-db": { command: "x" },
        my_db: { command: "y" },
      },
    });
    await using host = await createHost({ connector: createFakeConnector(), config });
    expect(states(host)).toEqual(["good ready", "my-db ready"]);
    const errors = host.config?.problems.filter(({ severity }) => severity === "error");
    expect(errors).toMatchObject([
      { code: "invalid_spec", serverId: "bad", file: config, line: 1, path: "mcpServers.bad.command" },
      { code: "ids_alike", serverId: "my_db", file: config, line: 1, path: "mcpServers.my_db" },
    ]);
    expect(host.config?.sources.map(({ serverId, state }) => `${serverId} ${state}`)).toEqual([
      "bad failed",
      "good on",
      "my-db on",
      "my_db failed",
    ]);
  });

  it("are the product's own before those of files, whatever the spelling", async () => {
    const folder = createTemporaryFolder();
    const config = folder.write("mcp.json", {
      mcpServers: { a: { command: "x" }, "B-b": { command: "x" }, c: { command: "x" } },
    });
    const own = (id: string) => ({ id, title: "own", type: "stdio", command: "own" }) as const;
    await using host = await createHost({
      connector: createFakeConnector(),
      config: { files: [config], allow: (id) => id !== "c" },
      servers: byName([own("a"), own("b_b")]),
    });
    expect(host.statuses().map(({ id, title }) => [id, title])).toEqual([
      ["a", "own"],
      ["b_b", "own"],
    ]);
    expect(host.config?.problems).toMatchObject([{ code: "ids_alike", serverId: "B-b" }]);
    expect(host.config?.servers).toEqual([]);
  });

  it("take nothing of an entry of their name that does not start, or that they are used in place of", async () => {
    const folder = createTemporaryFolder();
    const entry = { ...x, passContext: true, oauth: { clientId: "theirs" } };
    const project = folder.write("hostside.json", { servers: { a: entry } });
    const connector = createFakeConnector();
    for (const file of [project, { path: project, scope: "project", projectFolder: folder.path } as const]) {
      await using host = await createHost({
        connector,
        config: { files: [file], watch: false },
        servers: { a: x },
      });
      await (await host.conversation({ id: "c" })).call("mcp_a_echo");
      expect(host.config).toMatchObject({ sources: [{ state: "off" }], questions: [] });
    }
    expect(connector.sent.map(({ meta }) => meta)).toEqual([undefined, undefined]);
  });

  it("of a project start where the state has it that their user trusts them, and no others", async () => {
    const folder = createTemporaryFolder();
    const path = folder.write("hostside.json", { servers: { ours: { ...x } } });
    const store = createMemoryStore();
    const config = { files: [{ path, scope: "project", projectFolder: folder.path } as const], watch: false };
    const open = (): Promise<Host> =>
      createHost({
        connector: createFakeConnector(),
        config,
        state: { store, credentials: createMemoryCredentials() },
      });
    await using before = await open();
    expect(states(before)).toEqual(["ours disabled"]);
    const trust = createTrust({ store, ask: async () => "trust" });
    await loadConfig({ files: config.files, trust });
    await using after = await open();
    expect(states(after)).toEqual(["ours ready"]);
    folder.write("hostside.json", { servers: { ours: { ...x, args: ["--evil"] } } });
    await using changed = await open();
    expect(states(changed)).toEqual(["ours disabled"]);
  });

  it("come, change and go with edits while it runs, and a project's when it is trusted", async () => {
    const folder = createTemporaryFolder();
    const project = folder.write("hostside.json", { servers: { ours: { ...x } } });
    const config = folder.write("mcp.json", { mcpServers: { a: { command: "x" }, b: { command: "x" } } });
    let answer: ((answer: TrustAnswer) => void) | undefined;
    const answered = new Promise<TrustAnswer>((resolve) => (answer = resolve));
    const trust = createTrust({ store: createMemoryStore(), ask: () => answered });
    const connector = createFakeConnector();
    await using host = await createHost({
      connector,
      config: { files: [{ path: project, scope: "project", projectFolder: folder.path }, config], trust },
      servers: { own: { type: "stdio", command: "x" } },
    });
    expect(states(host)).toEqual(["a ready", "b ready", "ours disabled", "own ready"]);

    const edited = nextReport(host);
    folder.write("mcp.json", { mcpServers: { b: { command: "x" }, c: { command: "x" } } });
    expect(await edited).toMatchObject({ added: ["c"], removed: ["a"], updated: [], failed: [] });
    expect(states(host)).toEqual(["b ready", "c ready", "ours disabled", "own ready"]);
    expect(connector.open).toEqual(new Set(["b", "c", "own"]));

    expect(host.config?.questions).toMatchObject([{ serverId: "ours" }]);
    const trusted = nextReport(host);
    answer?.("trust");
    expect(await trusted).toMatchObject({ updated: ["ours"], config: { questions: [] } });
    expect(states(host)).toEqual(["b ready", "c ready", "ours ready", "own ready"]);
  });

  it("follow no edits where the settings say so", async () => {
    const folder = createTemporaryFolder();
    const settings = { watch: { enabled: false } };
    const config = folder.write("hostside.json", { servers: { a: { ...x } }, settings });
    await using host = await createHost({ connector: createFakeConnector(), config });
    expect(host.config?.problems).toEqual([]);
    expect(host.config?.settings.watch).toEqual({ enabled: false });
  });
});

describe("what a configuration says beside its servers", () => {
  it("a server that wants it gets conversation and role as _meta beside the arguments, another one nothing", async () => {
    const folder = createTemporaryFolder();
    const config = folder.write("hostside.json", {
      servers: { a: { ...x }, b: { ...x, passContext: false } },
      settings: { passContext: true },
    });
    const connector = createFakeConnector({ a: { resources: true }, b: { resources: true } });
    await using host = await createHost({ connector, config: { files: [config], watch: false } });
    const conversation = await host.conversation({ id: "c1", context: { role: "clerk" } });
    await conversation.call("mcp_a_echo", { text: "x" });
    await conversation.call("mcp_b_echo", { text: "x" });
    await host.call("mcp_a_echo", {}, { meta: { session_id: "mine" }, context: { conversation: "c2" } });
    for (const serverId of ["a", "b"])
      await host.resources.read({ serverId, uri: "file:///a" }, { context: conversation.context });
    const meta = { agent_id: "clerk", session_id: "c1" };
    expect(connector.sent).toEqual([
      { serverId: "a", method: "echo", params: { text: "x" }, meta },
      { serverId: "b", method: "echo", params: { text: "x" }, meta: undefined },
      { serverId: "a", method: "echo", params: {}, meta: { session_id: "mine" } },
      { serverId: "a", method: "resources/read", params: { uri: "file:///a", _meta: meta }, meta: undefined },
      { serverId: "b", method: "resources/read", params: { uri: "file:///a" }, meta: undefined },
    ]);
  });

  it("is asked about: tools of a server with approval, but for those that need none", async () => {
    const folder = createTemporaryFolder();
    const config = folder.write("hostside.json", {
      servers: {
        a: { ...x, approval: "always", tools: { look: { requireApproval: false } } },
        b: { ...x },
      },
    });
    const asked: string[] = [];
    await using host = await createHost({
      connector: createFakeConnector({ a: { tools: ["look", "write"] } }),
      config: { files: [config], watch: false },
      policy: { approval: { handler: async ({ tool }) => (asked.push(tool.qualifiedName), "conversation") } },
    });
    const conversation = await host.conversation({ id: "c1" });
    for (const name of ["mcp_a_look", "mcp_a_write", "mcp_a_write", "mcp_b_echo"]) await conversation.call(name);
    expect(asked).toEqual(["mcp::a::write"]);
    await conversation.close();
    await (await host.conversation({ id: "c1" })).call("mcp_a_write");
    expect(asked).toEqual(["mcp::a::write", "mcp::a::write"]);
  });

  it("is masked in results where the policy redacts: secrets, also those of a later edit, beside the product's own", async () => {
    const folder = createTemporaryFolder();
    const secrets = ["first-5b7d0a1f", "later-90c4e2aa", "product-77aa11"];
    const entry = (name: string) => ({
      servers: { a: { ...x, env: { A_TOKEN: `\${${name}}` } } },
      settings: { watch: { quietMs: 10 } },
    });
    const config = folder.write("hostside.json", entry("ONE_TOKEN"));
    await using host = await createHost({
      connector: createFakeConnector({ a: { tools: secrets } }),
      config: { files: [config], env: { ONE_TOKEN: secrets[0], TWO_TOKEN: secrets[1] } },
      policy: { redact: { values: ["product-77aa11"] } },
    });
    const shown = async (): Promise<readonly boolean[]> => {
      const names = namesOfServers(host);
      const texts = await Promise.all(names.map(async (name) => JSON.stringify((await host.call(name)).content)));
      return secrets.map((secret) => texts.some((text) => text.includes(secret)));
    };
    expect(await shown()).toEqual([false, true, false]);
    const edited = nextReport(host);
    folder.write("hostside.json", entry("TWO_TOKEN"));
    await edited;
    expect((await shown()).slice(1)).toEqual([false, false]);
  });

  it("holds to allowed URIs before anything is sent, and keeps what was read", async () => {
    const folder = createTemporaryFolder();
    const config = folder.write("hostside.json", {
      servers: { a: { ...x } },
      settings: { allowedResourceUris: ["file"], resourceCache: { enabled: true } },
    });
    const connector = createFakeConnector({ a: { resources: true } });
    await using host = await createHost({
      connector,
      config: { files: [config], watch: false, revise: (spec) => ({ ...spec, startup: "call" }) },
      resources: { allowedUris: ["FILE:///a", "http"] },
    });
    const read = (uri: string) => host.resources.read({ serverId: "a", uri });
    for (const uri of ["filesystem://a", "http://a", "file:///b"]) {
      await expect(read(uri)).rejects.toMatchObject({ code: "not_allowed", outcome: "not-sent" });
    }
    await expect(host.resources.subscribe({ serverId: "a", uri: "http://a" }, () => {})).rejects.toThrow(
      /allowedResourceUris/,
    );
    expect(connector.open.size).toBe(0);
    expect(host.resources.stats().servers).toMatchObject([{ refusedUris: 4, cacheMisses: 0 }]);
    await read("File:///a");
    await read("File:///a");
    expect(connector.sent).toMatchObject([{ params: { uri: "File:///a" } }]);
  });
});
