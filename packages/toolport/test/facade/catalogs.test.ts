import { createMemoryStore, type Connector, type ServerSpec, type ToolsChange } from "@toolport/core";
import { createToolport, type ToolportOptions } from "toolport";
import { describe, expect, it } from "vitest";
import { createFakeConnector } from "./fake-connector.ts";
import { createMemoryHub } from "./memory-hub.ts";

const docs: ServerSpec = { id: "docs", transport: { kind: "stdio", command: "x" } };

async function open(tools: readonly string[], options: ToolportOptions) {
  const inner = createFakeConnector({ docs: { tools } });
  const started: string[] = [];
  const connector: Connector = {
    ...inner,
    connect(spec, hooks, signal) {
      started.push(spec.id);
      return inner.connect(spec, hooks, signal);
    },
  };
  const toolport = await createToolport({ connector, servers: [docs], ...options });
  const names = (): readonly string[] => toolport.provider.definitions().map(({ name }) => name);
  return { toolport, started, names };
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
      await first.toolport.close();

      const { toolport, started, names } = await open(["echo", "new"], { state });
      expect(started).toEqual([]);
      expect(names()).toEqual(["mcp_docs_echo", "mcp_docs_old"]);
      const changes: ToolsChange[] = [];
      toolport.provider.onToolsChanged((change) => void changes.push(change));
      expect(await toolport.call("mcp_docs_echo")).toMatchObject({ isError: false });
      expect(started).toEqual(["docs"]);
      await expect.poll(names).toEqual(["mcp_docs_echo", "mcp_docs_new"]);
      expect(changes.flatMap(({ added }) => added)).toEqual(["mcp_docs_new"]);
      expect(changes.flatMap(({ removed }) => removed)).toEqual(["mcp_docs_old"]);
      await toolport.close();

      const third = await open(["echo"], { state });
      expect(third.names()).toEqual(["mcp_docs_echo", "mcp_docs_new"]);
      await third.toolport.close();
    },
  );

  it("are asked for anew with savedCatalogs: false, and of what is required", async () => {
    const state = { store: createMemoryStore() };
    await (await open(["old"], { state })).toolport.close();
    for (const more of [{ savedCatalogs: false }, { servers: [{ ...docs, required: true }] }]) {
      const { toolport, started, names } = await open(["new"], { state, ...more });
      expect(started).toEqual(["docs"]);
      expect(names()).toEqual(["mcp_docs_new"]);
      await toolport.close();
    }
    await expect(open([], { savedCatalogs: "yes" as never })).rejects.toThrow("savedCatalogs must be true or false");
  });

  it("are a principal's at once when its connections are made again, and nobody else's", async () => {
    const options: ToolportOptions = { pool: {}, servers: [{ ...docs, sharing: "principal" }] };
    const { toolport, started } = await open(["echo"], options);
    await using ada = await toolport.openConversation({ id: "1", principal: "ada" });
    await toolport.pool?.dispose({ principal: "ada" }, "signed out");
    expect(started).toEqual(["docs"]);
    await using again = await toolport.openConversation({ id: "2", principal: "ada" });
    expect(again.definitions().map(({ name }) => name)).toContain("mcp_docs_echo");
    expect(started).toEqual(["docs"]);
    expect(await ada.call("mcp_docs_echo")).toMatchObject({ isError: false });
    expect(started).toEqual(["docs", "docs"]);
    await using _bob = await toolport.openConversation({ id: "1", principal: "bob" });
    expect(started).toEqual(["docs", "docs", "docs"]);
    await toolport.close();
  });
});
