import { getEventListeners } from "node:events";
import { createMemoryCredentials } from "@hostside/auth";
import { createTrust } from "@hostside/config";
import { createMemoryStore, type ToolProvider } from "@hostside/core";
import { describe, expect, it, vi } from "vitest";
import { createHost } from "hostside";
import { createClosing } from "../../src/lifecycle/create-closing.ts";
import { createFakeConnector } from "./fake-connector.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";
import { byName } from "./by-name.ts";
import { useTestClock } from "../../../../test/manual-clock.ts";

const spec = (id: string) => ({ id, type: "stdio", command: "x" }) as const;
const never = new Promise(() => {});

describe("createHost()", () => {
  it("says which required server it waited for in vain, and leaves nothing", async () => {
    const connector = createFakeConnector({ late: { ready: never } });
    const servers = [spec("good"), { ...spec("late"), required: true }];
    await expect(createHost({ connector, servers: byName(servers), timeoutMs: 20 })).rejects.toMatchObject({
      code: "connect_timeout",
      message: expect.stringMatching(/within 20 ms \(timeoutMs of createHost\(\)\): "late" \(connecting\)$/),
    });
    expect(connector.open.size).toBe(0);
  });

  it("waits for nobody with a time of 0, and requires nobody", async () => {
    const connector = createFakeConnector({ late: { ready: never } });
    await using host = await createHost({
      connector,
      servers: byName([{ ...spec("late"), required: true }]),
      timeoutMs: 0,
    });
    expect(host.statuses()).toMatchObject([{ id: "late", state: "connecting" }]);
  });

  it("ends when its signal aborts, at any time, and leaves nothing", async () => {
    const connector = createFakeConnector({ late: { ready: never } });
    const controller = new AbortController();
    const opening = createHost({ connector, servers: byName([spec("good"), spec("late")]), signal: controller.signal });
    await vi.waitFor(() => expect(connector.open.size).toBe(1), 60_000);
    controller.abort();
    await expect(opening).rejects.toMatchObject({ code: "aborted" });
    expect(connector.open.size).toBe(0);
    await expect(
      createHost({ connector, servers: byName([spec("a")]), signal: AbortSignal.abort() }),
    ).rejects.toMatchObject({
      code: "aborted",
    });
  });
});

describe("the signal of createHost()", () => {
  it("ends the host at any time after it has resolved, as close() does", async () => {
    const connector = createFakeConnector();
    const controller = new AbortController();
    const host = await createHost({ connector, servers: byName([spec("a")]), signal: controller.signal });
    const conversation = await host.conversation();
    expect(connector.open.size).toBe(1);
    controller.abort();
    await expect(host.conversation()).rejects.toMatchObject({ code: "closed" });
    await host.close();
    expect(connector.open.size).toBe(0);
    await expect(conversation.call("mcp_a_echo")).rejects.toMatchObject({ code: "closed" });
  });

  it("has no listener of a host that is closed", async () => {
    const { signal } = new AbortController();
    const host = await createHost({ connector: createFakeConnector(), servers: byName([spec("a")]), signal });
    expect(getEventListeners(signal, "abort")).toHaveLength(1);
    await host.close();
    expect(getEventListeners(signal, "abort")).toEqual([]);
  });
});

describe("a configuration that takes too long to read", () => {
  it.each([true, false])("is an error, and nothing is left waiting (watch: %s)", async (watch) => {
    const tasks = new Map<object, { readonly ms: number; readonly run: () => void }>();
    useTestClock({
      now: () => 0,
      schedule(ms, run) {
        const key = {};
        tasks.set(key, { ms, run });
        return () => void tasks.delete(key);
      },
    });
    const folder = createTemporaryFolder();
    const path = folder.write("hostside.json", { servers: { a: { command: "x" } } });
    const trust = { ...createTrust({ store: createMemoryStore() }), decide: () => never as Promise<never> };
    const files = [{ path, scope: "project", projectFolder: folder.path } as const];
    const opening = createHost({ connector: createFakeConnector(), config: { files, trust, watch } });
    const failure = opening.catch((error: unknown) => error);
    await vi.waitFor(() => expect(tasks.size).toBe(1), 60_000);
    for (const { ms, run } of tasks.values()) if (ms === 10_000) run();
    expect(await failure).toMatchObject({ code: "invalid_config", details: { operation: "createHost" } });
    expect(tasks.size).toBe(0);
  });
});

describe("close()", () => {
  it("ends once what was made here, and nothing that was handed in", async () => {
    const connector = createFakeConnector();
    const close = vi.fn<() => Promise<void>>(async () => {});
    const handedIn = { ...emptyProvider(), close };
    const credentials = createMemoryCredentials();
    const host = await createHost({
      connector,
      servers: byName([spec("a")]),
      providers: [handedIn],
      state: { store: createMemoryStore(), credentials },
    });
    const conversation = await host.conversation();
    const closing = host.close("enough");
    expect(host.close()).toBe(closing);
    await closing;
    expect([connector.open.size, close.mock.calls.length]).toEqual([0, 0]);
    await expect(conversation.call("mcp_a_echo")).rejects.toMatchObject({ code: "closed" });
    await expect(host.conversation()).rejects.toMatchObject({ code: "closed" });
    await expect(host.servers.add("b", { command: "x" })).rejects.toMatchObject({ code: "closed" });
  });

  it.each([{}, { pool: {} }])("has whatever is read or called afterwards throw closed, with %j", async (options) => {
    const host = await createHost({ connector: createFakeConnector(), servers: byName([spec("a")]), ...options });
    const conversation = await host.conversation();
    await host.close();
    for (const read of [() => host.tools(), () => conversation.tools(), () => conversation.groups()]) {
      expect(read).toThrow(expect.objectContaining({ code: "closed", message: expect.stringContaining("the host") }));
    }
    await expect(conversation.searchTools({ query: "echo" })).rejects.toMatchObject({ code: "closed" });
    await expect(host.call("mcp_a_echo")).rejects.toMatchObject({ code: "closed" });
  });

  it("ends an edit that is being applied, and what it started", async () => {
    const folder = createTemporaryFolder();
    const settings = { watch: { quietMs: 10 } };
    const [a, late] = [{ command: "x" }, { command: "x" }];
    const config = folder.write("hostside.json", { servers: { a }, settings });
    const connector = createFakeConnector({ late: { ready: never } });
    const host = await createHost({ connector, config });
    folder.write("hostside.json", { servers: { a, late }, settings });
    await vi.waitFor(() => expect(host.statuses()).toMatchObject([{ id: "a" }, { state: "connecting" }]), 60_000);
    const reports: unknown[] = [];
    host.onConfigReport((report) => reports.push(report));
    await host.close();
    expect([connector.open.size, reports]).toEqual([0, []]);
  });

  it("closes every part, the last one first, also when others fail or hang", async () => {
    const closed: string[] = [];
    const closing = createClosing();
    closing.add(() => closed.push("first"));
    closing.add(() => {
      throw new Error("one");
    });
    closing.add(() => never, 5);
    closing.add(() => Promise.reject(new Error("two")));
    closing.add((reason) => closed.push(`last ${reason}`));
    await expect(closing.close("why")).rejects.toMatchObject({ errors: [new Error("two"), new Error("one")] });
    expect(closed).toEqual(["last why", "first"]);
  });
});

describe("a conversation", () => {
  it("waits for a tool of a server that is on its way, and refuses calls when it is closed", async () => {
    let arrive = (): void => {};
    const ready = new Promise<void>((resolve) => (arrive = resolve));
    const connector = createFakeConnector({ late: { ready } });
    await using host = await createHost({ connector, servers: byName([spec("late")]), timeoutMs: 1 });
    const conversation = await host.conversation({ context: { principal: "ada" } });
    const call = conversation.call("mcp_late_echo");
    arrive();
    expect(await call).toMatchObject({ content: [{ text: "late did echo" }] });
    expect(conversation.context).toEqual({ principal: "ada", conversation: conversation.id });
    await conversation.close();
    await expect(conversation.call("mcp_late_echo")).rejects.toMatchObject({ code: "closed" });
    await expect(conversation.searchTools({ query: "echo" })).rejects.toMatchObject({ code: "closed" });
    const reads = [
      () => conversation.tools(),
      () => conversation.undeclared(),
      () => conversation.selection(),
      () => conversation.compact(),
      () => conversation.groups(),
      () => conversation.has("mcp_late_echo"),
      () => conversation.listGroups({ query: "*" }),
    ];
    for (const read of reads) expect(read).toThrow(expect.objectContaining({ code: "closed" }));
    await expect(conversation.whenListed()).rejects.toMatchObject({ code: "closed" });
    await (await host.conversation()).call("mcp_late_echo");
  });
});

function emptyProvider(): ToolProvider {
  return {
    name: "mine",
    revision: 1,
    closed: false,
    tools: () => [],
    groups: () => [],
    has: () => false,
    init: async () => {},
    refresh: async () => {},
    call: async () => {
      throw new TypeError("has no tools");
    },
    onToolsChanged: () => Object.assign(() => {}, { [Symbol.dispose]: () => {} }),
    close: async () => {},
  };
}
