import { createMemoryCredentials } from "@hostside/auth";
import { createMemoryLock, createMemoryStore, type Diagnostic, type JsonValue, type Store } from "@hostside/core";
import { createEvent } from "@hostside/core/implement";
import { consentTo, knownClients, startAuthorizedServer } from "@hostside/fixtures";
import { describe, expect, it } from "vitest";
import { createHost, type Host, type HostOptions, type HostState } from "hostside";
import { createFakeConnector } from "./fake-connector.ts";
import { createMemoryHub } from "./memory-hub.ts";

const keys = [{ id: "k1", key: new Uint8Array(32).fill(7) }];

/** A store that shows what is in it. */
function openStore(): Store & { readonly kept: Map<string, JsonValue> } {
  const kept = new Map<string, JsonValue>();
  return {
    kept,
    get: async (key) => kept.get(key),
    set: async (key, value) => kept.set(key, JSON.parse(JSON.stringify(value)) as JsonValue),
    delete: async (key) => kept.delete(key),
  };
}

describe("a state that is handed over", () => {
  /** A replica that signs in to the server by itself when it is asked to. */
  const replica = async (url: string, state: HostState, more: HostOptions = {}): Promise<Host> =>
    createHost({
      servers: { office: { type: "http", url, auth: "oauth" } },
      state,
      auth: {
        clients: { office: knownClients.desk },
        async prompt({ url: page }) {
          void fetch(await consentTo(page)).catch(() => undefined);
          return "completed";
        },
      },
      ...more,
    });

  it("signs a second replica in with what the first one kept, sealed", async () => {
    await using server = await startAuthorizedServer();
    const store = openStore();
    const state = { store, lock: createMemoryLock(), keys };
    await using first = await replica(server.url, state);
    expect(first.statuses()).toMatchObject([{ state: "needs-auth" }]);
    await first.oauth?.authorize("office");
    await using second = await replica(server.url, state);
    expect(second.statuses()).toMatchObject([{ state: "ready" }]);
    const all = JSON.stringify([...store.kept]);
    expect(all).not.toContain("access_token");
    expect(all).not.toContain(server.url);
  });

  it("keeps sign-ins in memory where there are no keys, says so once, and writes nothing of them", async () => {
    await using server = await startAuthorizedServer();
    const store = openStore();
    const diagnostics: Diagnostic[] = [];
    await using host = await replica(server.url, { store }, { onDiagnostic: (one) => diagnostics.push(one) });
    expect(diagnostics.filter(({ kind }) => kind === "not-kept")).toEqual([]);
    await host.oauth?.authorize("office");
    await host.servers.restart("office");
    expect(host.statuses()).toMatchObject([{ state: "ready" }]);
    expect(diagnostics.filter(({ kind }) => kind === "not-kept").map(({ message }) => message)).toEqual([
      expect.stringContaining("state has neither credentials nor keys"),
    ]);
    expect(JSON.stringify([...store.kept])).not.toContain("token");
  });

  it("shows the result that another replica kept, and passes on what is to be known of its engine", async () => {
    const hub = createMemoryHub();
    const engine = createEvent<{ readonly kind: "engine-down"; readonly message: string }>();
    const diagnostics: Diagnostic[] = [];
    const connector = createFakeConnector();
    const open = () =>
      createHost({
        connector,
        state: { ...hub.state(), onDiagnostic: engine.on },
        onDiagnostic: (one) => diagnostics.push(one),
      });
    const [one, other] = [await open(), await open()];
    const context = { conversation: "c1", principal: "ada" };
    const outcome = {
      content: [{ type: "text" as const, text: "long ".repeat(20_000) }],
      isError: false,
      origin: { serverId: "a", toolName: "t", qualifiedName: "mcp::a::t" },
      raw: {},
    };
    const { omitted } = await one.results.present(outcome, { context });
    const handle = omitted[0]?.handle ?? "";
    expect(await other.results.read({ handle }, { context })).toMatchObject({ kind: "text" });
    engine.emit({ kind: "engine-down", message: "redis does not answer" });
    expect(diagnostics).toEqual([
      { kind: "engine-down", serverId: "", message: "redis does not answer" },
      { kind: "engine-down", serverId: "", message: "redis does not answer" },
    ]);
    await one.close();
    engine.emit({ kind: "engine-down", message: "again" });
    expect(diagnostics).toHaveLength(3);
    await other.close();
    expect(engine.hasListeners).toBe(false);
  });

  it("has no user and no chat in the name of a value or a lock", async () => {
    const store = openStore();
    const lock = createMemoryLock();
    const names: string[] = [];
    const noting: HostState = {
      ...createMemoryHub().state(),
      store,
      lock: { withLock: (key, ...rest) => (names.push(key), lock.withLock(key, ...rest)) },
    };
    await using host = await createHost({
      connector: createFakeConnector({ files: { tools: ["write_note"] } }),
      servers: { files: { command: "x" } },
      policy: { requireApproval: ["files/*"] },
      state: noting,
    });
    const conversation = await host.conversation({ id: "chat-77", principal: "ada@example.com" });
    const outcome = {
      content: [{ type: "text" as const, text: "long ".repeat(20_000) }],
      isError: false,
      origin: { serverId: "files", toolName: "read", qualifiedName: "mcp::files::read" },
      raw: {},
    };
    await conversation.presenter.present(outcome);
    const [definition] = conversation.tools();
    if (definition !== undefined) await conversation.approval?.note({ id: "call-1", definition, args: {} });
    const all = [...names, ...store.kept.keys()].join();
    expect(all).toMatch(/results:list.*approval:suspended/);
    expect(all).not.toMatch(/ada@example|chat-77/);
  });

  it.each<[string, object]>([
    ["state.store must have a method get()", {}],
    ["state.lock must have a method withLock()", { store: createMemoryStore(), lock: {} }],
    ["state.notices must have a method publish()", { store: createMemoryStore(), notices: {} }],
    ["state.limitStore must have a method take()", { store: createMemoryStore(), limitStore: {} }],
    ["state.keys need a state.lock", { store: createMemoryStore(), keys }],
    ["go with no state.credentials", { store: createMemoryStore(), keys, credentials: createMemoryCredentials() }],
    [
      "keys[0]: key must be 32 bytes",
      { store: createMemoryStore(), lock: createMemoryLock(), keys: [{ id: "a", key: "QUJD" }] },
    ],
    ["state.onDiagnostic must be an event", { store: createMemoryStore(), onDiagnostic: {} }],
    ['state has no option "token"', { store: createMemoryStore(), token: 1 }],
  ])("is refused with a TypeError: %s", async (message, state) => {
    const failure: unknown = await createHost({ state: state as HostState }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TypeError);
    expect(String(failure)).toContain(message);
  });
});
