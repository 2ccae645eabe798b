import { createMemoryCredentials } from "@hostside/auth";
import { createMemoryStore, type Diagnostic, type Store } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createHost, type HostOptions } from "hostside";
import { useManualClock, useTestClock } from "../../../../test/manual-clock.ts";
import { createUnsteadyStore } from "../unsteady-store.ts";
import { createFakeConnector, namesOfServers, type FakeServer } from "./fake-connector.ts";
import { byName } from "./by-name.ts";

/**
 * Starts a host over these servers with this store, and answers with the names of its tools and
 * what it reports.
 */
async function namesOf(
  servers: Readonly<Record<string, FakeServer>>,
  store: Store,
  options: HostOptions = {},
): Promise<{ readonly names: readonly string[]; readonly diagnostics: readonly Diagnostic[] }> {
  const diagnostics: Diagnostic[] = [];
  const host = await createHost({
    connector: createFakeConnector(servers),
    servers: byName(Object.keys(servers).map((id) => ({ id, type: "stdio", command: "x" }))),
    state: { store, credentials: createMemoryCredentials() },
    savedCatalogs: false,
    onDiagnostic: (one) => diagnostics.push(one),
    ...options,
  });
  const names = namesOfServers(host);
  await host.close();
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

  it("are written where they are others than what is kept, and nowhere else", async () => {
    const written: string[] = [];
    const memory = createMemoryStore();
    const store: Store = {
      ...memory,
      set: (key, value, ttlMs) => (written.push(JSON.stringify(value)), memory.set(key, value, ttlMs)),
    };
    const seen: number[] = [];
    for (const tools of [["one"], ["one"], ["one", "two"], ["two"], ["one", "two"]]) {
      await namesOf({ a: { tools }, b: {} }, store);
      seen.push(written.length);
    }
    expect(seen).toEqual([2, 2, 3, 3, 3]);
  });

  it("are kept of servers that come after all others went", async () => {
    const store = createMemoryStore();
    const connector = createFakeConnector({ a: { tools: ["get/it"] } });
    const a = { type: "stdio", command: "x" } as const;
    const state = { store, credentials: createMemoryCredentials() };
    const host = await createHost({ connector, servers: { b: a }, state });
    await host.servers.remove("b");
    await host.servers.add("a", a);
    await host.close();
    expect((await namesOf({ a: { tools: ["get.it", "get/it"] } }, store)).names).toContain("mcp_a_get_it");
  });

  it("take their time from that for servers where the store never answers", async () => {
    const never = (): Promise<never> => new Promise(() => {});
    const store = { get: never, set: never, delete: never };
    let now = 0;
    const waits: number[] = [];
    useTestClock({
      now: () => now,
      schedule(ms, run) {
        waits.push(ms);
        if (ms !== 3000) return () => undefined;
        // What is kept is read at the same time.
        now = ms;
        queueMicrotask(run);
        return () => undefined;
      },
    });
    const connector = createFakeConnector();
    const servers = [{ id: "a", type: "stdio", command: "x" }] as const;
    await createHost({
      connector,
      servers: byName(servers),
      state: { store, credentials: createMemoryCredentials() },
    });
    expect(waits).toContain(7000);
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
    kept.set(first, { version: 1, value: [["echo", "mcp_b_echo"]] });
    expect((await namesOf({ a: {}, b: {} }, store)).diagnostics).toEqual([]);
    kept.set(first, { version: 1, value: { no: "list" } });
    kept.set(second, { version: 1, value: [["echo", "no name!"]] });
    const { names, diagnostics } = await namesOf({ a: {}, b: {} }, store);
    expect(names).toEqual(["mcp_a_echo", "mcp_b_echo"]);
    expect(diagnostics.map(({ serverId, message }) => [serverId, message.includes("malformed")])).toContainEqual([
      "a",
      true,
    ]);
  });

  it("of a later version are left as they are, and given anew meanwhile", async () => {
    const kept = new Map<string, unknown>();
    const store: Store = {
      get: async (key) => kept.get(key),
      set: async (key, value) => kept.set(key, value),
      delete: async (key) => kept.delete(key),
    };
    await namesOf({ a: {} }, store);
    const [key = ""] = kept.keys();
    kept.set(key, { version: 2, value: "what nobody here knows" });
    const { names, diagnostics } = await namesOf({ a: {} }, store);
    expect(names).toEqual(["mcp_a_echo"]);
    expect(diagnostics.map(({ message }) => message)).toEqual([
      'names of tools of server "a" could not be read, and are given anew',
      'names of tools of server "a" could not be kept; after a restart they may be others',
    ]);
    expect(kept.get(key)).toEqual({ version: 2, value: "what nobody here knows" });
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

  it("that cannot be kept are reported once for each server, however often tools change", async () => {
    const store = createUnsteadyStore();
    store.isDown = true;
    const diagnostics: Diagnostic[] = [];
    const host = await createHost({
      connector: createFakeConnector(),
      servers: {},
      state: { store },
      savedCatalogs: false,
      onDiagnostic: (one) => diagnostics.push(one),
    });
    for (const id of ["a", "b", "a", "b"]) {
      await host.servers.add(id, { type: "stdio", command: "x" });
      await host.servers.remove(id);
      // What is under way is written by then.
      for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
    }
    await host.close();
    expect(diagnostics.filter(({ kind }) => kind === "not-kept").map(({ serverId }) => serverId)).toEqual(["a", "b"]);
  });

  it("that could not be kept are kept a minute later, also where no tool changes any more", async () => {
    const clock = useManualClock();
    const store = createUnsteadyStore();
    store.isDown = true;
    const connector = createFakeConnector({ a: { tools: ["get/it"] } });
    const host = await createHost({
      connector,
      servers: { a: { type: "stdio", command: "x" } },
      state: { store },
      savedCatalogs: false,
    });
    for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
    store.isDown = false;
    clock.advance(60_000);
    await host.close();
    const { names } = await namesOf({ a: { tools: ["get.it", "get/it"] } }, store);
    expect(names).toContain("mcp_a_get_it");
  });

  it("are not waited for by somebody who has given up", async () => {
    const controller = new AbortController();
    const store: Store = {
      ...createMemoryStore(),
      get: () => {
        controller.abort();
        return new Promise(() => {});
      },
    };
    const clock = useManualClock();
    const opening = namesOf({ a: {} }, store, { signal: controller.signal });
    await expect(opening).rejects.toMatchObject({ code: "aborted", details: { operation: "createHost" } });
    expect(clock.pending()).toBe(0);
  });
});
