import { createMemoryCredentials } from "@toolport/auth";
import { createMemoryStore, type Diagnostic, type Store } from "@toolport/core";
import { describe, expect, it } from "vitest";
import { createToolport, type ToolportOptions } from "toolport";
import { createFakeConnector, type FakeServer } from "./fake-connector.ts";

/** Starts a toolport over these servers with this store, and answers with the names of its tools and what it reports. */
async function namesOf(
  servers: Readonly<Record<string, FakeServer>>,
  store: Store,
  options: ToolportOptions = {},
): Promise<{ readonly names: readonly string[]; readonly diagnostics: readonly Diagnostic[] }> {
  const diagnostics: Diagnostic[] = [];
  const toolport = await createToolport({
    connector: createFakeConnector(servers),
    servers: Object.keys(servers).map((id) => ({ id, transport: { kind: "stdio", command: "x" } })),
    state: { store, credentials: createMemoryCredentials() },
    onDiagnostic: (one) => diagnostics.push(one),
    ...options,
  });
  const names = toolport.provider.definitions().map(({ name }) => name);
  await toolport.close();
  return { names, diagnostics: diagnostics.filter(({ kind }) => kind === "not-kept") };
}

describe("names of tools", () => {
  it("survive a restart, also beside a tool that would have made them others", async () => {
    const store = createMemoryStore();
    expect((await namesOf({ a: { tools: ["get/it"] } }, store)).names).toEqual(["mcp_a_get_it"]);
    const { names } = await namesOf({ a: { tools: ["get.it", "get/it"] } }, store);
    expect(names).toContain("mcp_a_get_it");
    const fresh = await namesOf({ a: { tools: ["get.it", "get/it"] } }, createMemoryStore());
    expect(fresh.names).not.toContain("mcp_a_get_it");
  });

  it("are not forgotten by a process that has other servers, or that saw fewer tools", async () => {
    const store = createMemoryStore();
    await namesOf({ a: { tools: ["get/it"] } }, store);
    await namesOf({ b: {} }, store);
    await namesOf({ a: { tools: ["other"] } }, store);
    expect((await namesOf({ a: { tools: ["get.it", "get/it"] } }, store)).names).toContain("mcp_a_get_it");
  });

  it("that are malformed, or given twice, are dropped, and block nobody", async () => {
    const kept = new Map<string, unknown>();
    const store: Store = {
      get: async (key) => kept.get(key),
      set: async (key, value) => kept.set(key, value),
      delete: async (key) => kept.delete(key),
    };
    await namesOf({ a: {}, b: {} }, store);
    const [first = "", second = ""] = kept.keys();
    kept.set(first, [["echo", "mcp_b_echo"]]);
    expect((await namesOf({ a: {}, b: {} }, store)).diagnostics).toEqual([]);
    kept.set(first, { version: 7 });
    kept.set(second, [["echo", "no name!"]]);
    const { names, diagnostics } = await namesOf({ a: {}, b: {} }, store);
    expect(names).toEqual(["mcp_a_echo", "mcp_b_echo"]);
    expect(diagnostics.map(({ serverId, message }) => [serverId, message.includes("malformed")])).toContainEqual([
      "a",
      true,
    ]);
  });

  it("cost a diagnostic where the store fails", async () => {
    const fails = async (): Promise<never> => {
      throw new Error("secret");
    };
    const { names, diagnostics } = await namesOf({ a: {} }, { get: fails, set: fails, delete: fails });
    expect(names).toEqual(["mcp_a_echo"]);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'names of tools of server "a" could not be read, and are given anew',
      'names of tools of server "a" could not be kept; after a restart they may be others',
    ]);
  });
});
