import { createMemoryStore, type Connector, type ServerSpec, type ToolsChange } from "@hostside/core";
import { createHost, type HostOptions } from "hostside";
import { describe, expect, it } from "vitest";
import { createFakeConnector, namesOfServers } from "./fake-connector.ts";
import { createMemoryHub } from "./memory-hub.ts";
import { byName } from "./by-name.ts";

const docs: ServerSpec = { id: "docs", type: "stdio", command: "x" };

async function open(tools: readonly string[], options: HostOptions) {
  const inner = createFakeConnector({ docs: { tools } });
  const started: string[] = [];
  const connector: Connector = {
    ...inner,
    connect(spec, hooks, signal) {
      started.push(spec.id);
      return inner.connect(spec, hooks, signal);
    },
  };
  const host = await createHost({ connector, servers: byName([docs]), ...options });
  const names = (): readonly string[] => namesOfServers(host);
  return { host, started, names };
}

describe("tools of the last time", () => {
  it.each([
    ["a store alone", () => ({ store: createMemoryStore() })],
    ["what replicas share", () => createMemoryHub().state()],
  ])(
    "are on offer before anything is started, with %s; the first call connects, and tells changes",
    async (_, make) => {
      const state = make();
      const first = await open(["echo", "old"], { state });
      expect(first.started).toEqual(["docs"]);
      await first.host.close();

      const { host, started, names } = await open(["echo", "new"], { state });
      expect(started).toEqual([]);
      expect(names()).toEqual(["mcp_docs_echo", "mcp_docs_old"]);
      const changes: ToolsChange[] = [];
      host.onToolsChanged((change) => void changes.push(change));
      expect(await host.call("mcp_docs_echo")).toMatchObject({ isError: false });
      expect(started).toEqual(["docs"]);
      await expect.poll(names).toEqual(["mcp_docs_echo", "mcp_docs_new"]);
      expect(changes.flatMap(({ added }) => added)).toEqual(["mcp_docs_new"]);
      expect(changes.flatMap(({ removed }) => removed)).toEqual(["mcp_docs_old"]);
      await host.close();

      const third = await open(["echo"], { state });
      expect(third.names()).toEqual(["mcp_docs_echo", "mcp_docs_new"]);
      await third.host.close();
    },
  );

  it("are asked for anew with savedCatalogs: false, and of what is required", async () => {
    const state = { store: createMemoryStore() };
    await (await open(["old"], { state })).host.close();
    for (const more of [{ savedCatalogs: false }, { servers: byName([{ ...docs, required: true }]) }]) {
      const { host, started, names } = await open(["new"], { state, ...more });
      expect(started).toEqual(["docs"]);
      expect(names()).toEqual(["mcp_docs_new"]);
      await host.close();
    }
    await expect(open([], { savedCatalogs: "yes" as never })).rejects.toThrow("savedCatalogs must be true or false");
  });

  it("are not all that can be called: a server that may have a tool is asked for it, and no other", async () => {
    const state = { store: createMemoryStore() };
    const servers = byName([docs, { ...docs, id: "other" }]);
    await (await open(["old"], { state, servers })).host.close();
    const { host, started } = await open(["new"], { state, servers });
    await expect(host.call("nothing")).rejects.toMatchObject({ code: "unknown_tool" });
    expect(started).toEqual([]);
    expect(await host.call("mcp_docs_new")).toMatchObject({ isError: false });
    await expect(host.call("mcp_docs_nwe")).rejects.toMatchObject({ code: "unknown_tool" });
    expect(started).toEqual(["docs"]);
    await host.close();
  });

  it("are left out where they were spoilt in the store, and no start fails", async () => {
    const memory = createMemoryStore();
    const spoil = (value: unknown): unknown =>
      JSON.parse((JSON.stringify(value) ?? "null").replace('"inputSchema"', '"schema"'));
    const state = { store: { ...memory, get: async (key: string) => spoil(await memory.get(key)) ?? undefined } };
    await (await open(["old"], { state })).host.close();
    const { host, started, names } = await open(["new"], { state });
    expect([started, names()]).toEqual([["docs"], ["mcp_docs_new"]]);
    await host.close();
  });

  it("are a principal's at once when its connections are made again, and nobody else's", async () => {
    const options: HostOptions = { pool: {}, servers: byName([{ ...docs, sharing: "principal" as const }]) };
    const { host, started } = await open(["echo"], options);
    await using ada = await host.conversation({ id: "1", principal: "ada" });
    await host.pool?.dispose({ principal: "ada" }, "signed out");
    expect(started).toEqual(["docs"]);
    await using again = await host.conversation({ id: "2", principal: "ada" });
    expect(again.tools().map(({ name }) => name)).toContain("mcp_docs_echo");
    expect(started).toEqual(["docs"]);
    expect(await ada.call("mcp_docs_echo")).toMatchObject({ isError: false });
    expect(started).toEqual(["docs", "docs"]);
    await using _bob = await host.conversation({ id: "1", principal: "bob" });
    expect(started).toEqual(["docs", "docs", "docs"]);
    await host.close();
  });
});
