import {
  createMemoryLock,
  createMemoryStore,
  type Diagnostic,
  type JsonValue,
  type ServerSpec,
  type Store,
} from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createSharedServers, createHost, type Host } from "hostside";
import { useVirtualClock } from "../../../provider/test/simulation/virtual-clock.ts";
import { createFakeConnector } from "./fake-connector.ts";
import { createMemoryHub } from "./memory-hub.ts";
import { byName } from "./by-name.ts";

const spec = (id: string, command = "x"): ServerSpec => ({ id, type: "stdio", command });
const idsOf = (host: Host): readonly string[] => host.statuses().map(({ id }) => id);

/** Settles when these are the servers of a host. */
async function untilServers(host: Host, ids: readonly string[]): Promise<void> {
  await new Promise<void>((resolve) => {
    const look = (): void => {
      if (JSON.stringify(idsOf(host)) === JSON.stringify(ids)) resolve();
    };
    host.onStatusChanged(look);
    host.onStatusChanged(() => queueMicrotask(look));
    look();
  });
}

describe("createSharedServers()", () => {
  it("reaches the other replicas with what one writes, and ends there what is removed", async () => {
    const hub = createMemoryHub();
    const replicas = await Promise.all(
      [0, 1].map(async () => {
        const { store, lock, notices } = hub.state();
        const connector = createFakeConnector();
        const sharedServers = createSharedServers({ store, lock, notices });
        return {
          connector,
          sharedServers,
          host: await createHost({ connector, sharedServers, servers: byName([spec("own")]) }),
        };
      }),
    );
    const [one, other] = replicas;
    if (one === undefined || other === undefined) throw new Error("two replicas");
    expect(idsOf(other.host)).toEqual(["own"]);
    expect(await one.sharedServers.write(byName([spec("a"), spec("b"), spec("own", "refused")]))).toEqual({
      written: true,
      revision: 1,
    });
    await Promise.all(replicas.map(({ host }) => untilServers(host, ["a", "b", "own"])));
    await other.host.call("mcp_b_echo");
    expect(other.connector.open).toContain("b");
    const { revision, servers } = await other.sharedServers.read();
    const { b: _removed, ...others } = servers;
    await other.sharedServers.write(others, { expectedRevision: revision });
    await Promise.all(replicas.map(({ host }) => untilServers(host, ["a", "own"])));
    await Promise.all(replicas.map(({ host }) => host.close()));
    expect(replicas.map(({ connector }) => connector.open.size)).toEqual([0, 0]);
  });

  it("reaches the replica that writes at once, whichever of its own does", async () => {
    const state = createMemoryHub().state();
    const sharedServers = createSharedServers(state);
    // Nobody looks by the clock.
    useVirtualClock();
    const host = await createHost({ connector: createFakeConnector(), sharedServers });
    await createSharedServers(state).write(byName([spec("a")]));
    await untilServers(host, ["a"]);
    expect(idsOf(host)).toEqual(["a"]);
    await host.close();
  });

  it("writes nothing over what somebody else has written since", async () => {
    const { store, lock } = createMemoryHub().state();
    const shared = createSharedServers({ store, lock });
    expect(await shared.read()).toEqual({ revision: 0, servers: {} });
    await shared.write(byName([spec("a")]), { expectedRevision: 0 });
    expect(await shared.write(byName([spec("b")]), { expectedRevision: 0 })).toEqual({
      written: false,
      kept: { revision: 1, servers: byName([spec("a")]) },
    });
    const raced = await Promise.all(
      ["c", "d", "e"].map((id) => shared.write(byName([spec(id)]), { expectedRevision: 1 })),
    );
    expect(raced.map(({ written }) => written)).toEqual([true, false, false]);
  });

  const stdio = (more: object): ServerSpec => ({ id: "a", type: "stdio", command: "x", ...more });
  const http = (more: object): ServerSpec => ({
    id: "a",
    type: "http",
    url: "https://a.test/mcp",
    ...more,
  });
  it.each<[string, ServerSpec, string]>([
    ["a token of a process", stdio({ env: { GITHUB_TOKEN: "s3cret" } }), 'env["GITHUB_TOKEN"]'],
    ["a key as an argument", stdio({ args: ["--api-key=s3cret"] }), "args[0]"],
    ["a bearer token", http({ bearerToken: "s3cret" }), "bearerToken"],
    ["a header", http({ headers: { "X-API-Key": "s3cret" } }), 'headers["X-API-Key"]'],
    ["a password in a URL", http({ url: "https://u:s3cret@a.test" }), "url"],
    [
      "the key of a certificate",
      http({ tls: { cert: "-----BEGIN CERTIFICATE-----", key: "-----BEGIN PRIVATE KEY-----" } }),
      "tls.key",
    ],
    ["a client secret", http({ oauth: { clientSecret: "s3cret" } }), "oauth.clientSecret"],
    ["code", { id: "a", type: "memory", serve: () => undefined }, "type"],
  ])("refuses %s with invalid_spec, and writes nothing", async (_, bad, field) => {
    const store = createMemoryStore();
    const shared = createSharedServers({ store, lock: createMemoryLock() });
    const failure: unknown = await shared.write(byName([spec("good"), bad])).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "invalid_spec", serverId: "a", details: { field } });
    expect(JSON.stringify(failure)).not.toContain("s3cret");
    expect(await shared.read()).toEqual({ revision: 0, servers: {} });
  });

  it("writes nothing when it has lost the lock, also over a store that knows of no fencing tokens", async () => {
    const store = createMemoryStore();
    const plain: Store = {
      get: (key) => store.get(key),
      set: (key, value, ttlMs) => store.set(key, value, ttlMs),
      delete: (key) => store.delete(key),
    };
    const lost = new AbortController();
    const shared = createSharedServers({
      store: {
        ...plain,
        async get(key) {
          const found = await store.get(key);
          lost.abort(new Error("somebody else has it"));
          return found;
        },
      },
      lock: { withLock: (_key, _leaseMs, work) => work(lost.signal) },
    });
    await expect(shared.write(byName([spec("a")]))).rejects.toThrow("somebody else has it");
    expect(await createSharedServers({ store: plain, lock: createMemoryLock() }).read()).toMatchObject({ revision: 0 });
  });

  it("refuses what is no set of specs, and options that are wrong", async () => {
    const [store, lock] = [createMemoryStore(), createMemoryLock()];
    const shared = createSharedServers({ store, lock });
    await expect(shared.write({ a: { comand: "x" } as never })).rejects.toThrow(
      "comand is unknown; did you mean command?",
    );
    await expect(shared.write([spec("a")] as never)).rejects.toThrow(TypeError);
    await expect(shared.write({}, { revision: 1 } as never)).rejects.toThrow(TypeError);
    await expect(shared.write({}, { expectedRevision: 0.5 })).rejects.toThrow(TypeError);
    expect(() => createSharedServers({ store } as never)).toThrow("lock must have a method withLock()");
    expect(() => createSharedServers({ store, lock, key: "mine" } as never)).toThrow('no option "key"');
    await expect(createHost({ sharedServers: {} as never })).rejects.toThrow("sharedServers must have a method read()");
  });

  it("of a later version are left as they are: reported, and those from before go on", async () => {
    const kept = new Map<string, JsonValue>();
    const store: Store = {
      get: async (key) => kept.get(key),
      set: async (key, value) => kept.set(key, value),
      delete: async (key) => kept.delete(key),
    };
    const clock = useVirtualClock();
    const shared = createSharedServers({ store, lock: createMemoryLock() });
    await shared.write(byName([spec("a")]));
    const diagnostics: Diagnostic[] = [];
    const host = await createHost({
      connector: createFakeConnector(),
      sharedServers: shared,
      onDiagnostic: (one) => diagnostics.push(one),
    });
    kept.set("hostside:servers", { version: 2, value: "what nobody here knows" });
    await expect(shared.write({})).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringContaining("later version of Hostside (format 2"),
    });
    expect(kept.get("hostside:servers")).toEqual({ version: 2, value: "what nobody here knows" });
    for (let round = 0; round < 3; round += 1) {
      clock.advance(5000);
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
    }
    expect(diagnostics.filter(({ kind }) => kind === "not-kept").map(({ message }) => message)).toEqual([
      expect.stringContaining("shared servers could not be read, and those from before go on"),
    ]);
    expect(idsOf(host)).toEqual(["a"]);
    await host.close();
  });

  it("go on when the store has lost them, which is reported once, until they are written again", async () => {
    const clock = useVirtualClock();
    const [store, lock] = [createMemoryStore(), createMemoryLock()];
    const shared = createSharedServers({ store, lock });
    await shared.write(byName([spec("a")]));
    const diagnostics: Diagnostic[] = [];
    const connector = createFakeConnector();
    const onDiagnostic = (one: Diagnostic): void => void diagnostics.push(one);
    const host = await createHost({ connector, sharedServers: shared, onDiagnostic });
    const look = async (): Promise<void> => {
      clock.advance(5000);
      for (let turn = 0; turn < 50; turn += 1) await Promise.resolve();
    };
    await store.delete("hostside:servers");
    await look();
    await look();
    expect(idsOf(host)).toEqual(["a"]);
    expect(diagnostics.filter(({ kind }) => kind === "not-kept").map(({ message }) => message)).toEqual([
      expect.stringContaining("their store has lost them"),
    ]);
    // By the same number as those before.
    await createSharedServers({ store, lock }).write(byName([spec("b")]));
    await look();
    await untilServers(host, ["b"]);
    await host.close();
  });

  it("are found by looking where nobody gives notice, and what cannot be used here costs the others nothing", async () => {
    const clock = useVirtualClock();
    const [store, lock] = [createMemoryStore(), createMemoryLock()];
    const diagnostics: Diagnostic[] = [];
    const failing: Store = { ...store, get: () => Promise.reject(new Error("down")) };
    let isDown = true;
    const host = await createHost({
      connector: createFakeConnector(),
      sharedServers: createSharedServers({
        store: { ...store, get: (key) => (isDown ? failing : store).get(key) },
        lock,
      }),
      onDiagnostic: (one) => diagnostics.push(one),
    });
    expect(idsOf(host)).toEqual([]);
    await createSharedServers({ store, lock }).write(byName([spec("a"), spec("b", "refused")]));
    isDown = false;
    clock.advance(5000);
    await untilServers(host, ["a"]);
    expect(diagnostics.map(({ kind, serverId }) => `${kind} ${serverId}`)).toEqual(["not-kept ", "setting-unused b"]);
    await host.close();
    // Nothing looks any more.
    expect(clock.pending).toBe(0);
  });
});
