import {
  createMemoryLock,
  createMemoryStore,
  HostsideError,
  type FencingToken,
  type Lock,
  type Store,
} from "@hostside/core";
import { describe, expect, it } from "vitest";
import { failureOf } from "../../provider/test/calm-world.ts";
import { specOf } from "../../provider/test/simulation/simulated-server.ts";
import { createAdmission, type AdmissionOptions, type ToolAdmission } from "../src/admission/create-admission.ts";
import { createPolicy } from "../src/policy.ts";
import type { PolicyParts } from "../src/refuse.ts";
import { createAdmissionWorld, entryOf, list, namesOf, type AdmissionWorld } from "./admission-world.ts";
import { createNoticeBus, type NoticeBus } from "./notice-bus.ts";

const pinsKey = "hostside:policy:pins";
const quarantine: AdmissionOptions = { pins: { unpinned: "quarantine" } };

/** Hosts of server `s` that share a store, a lock and notices. */
async function startReplicas(count: number, options: AdmissionOptions = quarantine) {
  const world = createAdmissionWorld();
  const bus = createNoticeBus();
  list(world, "s", entryOf("read", "Reads."), entryOf("write", "Writes."));
  const replicas = [];
  for (let index = 0; index < count; index += 1) replicas.push(await startReplica(world, bus, { options }));
  return { world, bus, replicas };
}

interface Replica {
  readonly admission: ToolAdmission;
  readonly provider: ReturnType<AdmissionWorld["guarded"]>;
}

async function startReplica(
  world: AdmissionWorld,
  bus: NoticeBus,
  { options = quarantine, parts = {} }: { options?: AdmissionOptions; parts?: Partial<PolicyParts> } = {},
): Promise<Replica> {
  const admission = createAdmission(options, { ...world.parts, notices: bus.replica(), ...parts });
  const provider = world.guarded(admission, { servers: [specOf("s")] });
  await admission.ready().catch(() => {});
  await provider.init();
  await admission.ready().catch(() => {});
  return { admission, provider };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 100; turn += 1) await Promise.resolve();
}

/** A lock whose holder has lost it, without a sign, to somebody who has written since. */
function lostLock(store: Store): Lock {
  const memory = createMemoryLock();
  return {
    withLock: (key, leaseMs, work) =>
      memory.withLock(key, leaseMs, async (signal) => {
        const newer: FencingToken = { key, number: 2 };
        await store.set("other", 1, undefined, newer);
        return work(signal, { key, number: 1 });
      }),
  };
}

describe("replicas of a host that share a store and notices", () => {
  it("hear of an approval and of its revocation, and show and hide the tool, each asking for its tools once", async () => {
    const { replicas } = await startReplicas(3);
    const [first, ...others] = replicas;
    const changes = others.map(({ provider }) => {
      const heard: number[] = [];
      provider.onToolsChanged(() => void heard.push(1));
      return heard;
    });
    await first?.admission.approve("s", ["read"]);
    await settled();
    for (const { provider } of others) expect(namesOf(provider)).toEqual(["mcp_s_read"]);
    await others[0]?.admission.revoke("s", ["read"]);
    await settled();
    for (const { provider } of replicas) expect(namesOf(provider)).toEqual([]);
    expect(changes.map((heard) => heard.length)).toEqual([2, 2]);
  });

  it("hear of a first use, so that what one trusted is what all hold a server to", async () => {
    const { world, bus, replicas } = await startReplicas(1, { pins: {} });
    expect(bus.topics).toEqual([pinsKey]);
    list(world, "s", entryOf("read", "Reads, and more."));
    const late = await startReplica(world, bus, { options: { pins: {} } });
    expect(namesOf(late.provider)).toEqual([]);
    await replicas[0]?.admission.approve("s", []);
    expect(bus.topics).toEqual([pinsKey]);
  });

  it("read once for a storm of notices, and once more for those that came meanwhile", async () => {
    const { world, bus } = await startReplicas(1);
    let reads = 0;
    let most = 0;
    let underWay = 0;
    const held: (() => void)[] = [];
    const store: Store = {
      ...world.store,
      async get(key) {
        if (key !== pinsKey) return world.store.get(key);
        reads += 1;
        underWay += 1;
        most = Math.max(most, underWay);
        await new Promise<void>((resolve) => void held.push(resolve));
        underWay -= 1;
        return world.store.get(key);
      },
    };
    const starting = startReplica(world, bus, { parts: { store } });
    await settled();
    for (const resolve of held.splice(0)) resolve();
    await starting;
    const before = reads;
    const loud = bus.replica();
    for (let notice = 0; notice < 500; notice += 1) await loud.publish(pinsKey);
    await settled();
    while (held.length > 0) {
      for (const resolve of held.splice(0)) resolve();
      await settled();
    }
    expect(reads - before).toBe(2);
    expect(most).toBe(1);
  });

  it("read again what could not be read on a notice, and know meanwhile what they knew", async () => {
    const { world, bus, replicas } = await startReplicas(1);
    let isDown = false;
    const store: Store = {
      ...world.store,
      get: async (key) => {
        if (isDown) throw new Error("connection refused");
        return world.store.get(key);
      },
    };
    const other = await startReplica(world, bus, { parts: { store } });
    isDown = true;
    await replicas[0]?.admission.approve("s", ["read"]);
    await settled();
    expect(namesOf(other.provider)).toEqual([]);
    expect(world.events.filter(({ type }) => type === "part-failed")).toHaveLength(1);
    isDown = false;
    world.clock.advance(5000);
    await settled();
    expect(namesOf(other.provider)).toEqual(["mcp_s_read"]);
  });

  it("keep an approval that the others could not be told of, and say so", async () => {
    const { world, bus, replicas } = await startReplicas(2);
    bus.failure = new HostsideError("no connection", { code: "store_failed" });
    await replicas[0]?.admission.approve("s", ["read"]);
    await settled();
    expect(world.events.filter(({ type }) => type === "part-failed")).toMatchObject([{ part: "notices" }]);
    expect(replicas.map(({ provider }) => namesOf(provider))).toEqual([["mcp_s_read"], []]);
    await replicas[1]?.admission.reload();
    expect(replicas.map(({ provider }) => namesOf(provider))).toEqual([["mcp_s_read"], ["mcp_s_read"]]);
  });

  it("leave no subscription behind", () => {
    const bus = createNoticeBus();
    const policy = createPolicy({ pins: {}, state: { store: createMemoryStore(), notices: bus.replica() } });
    expect(bus.listeners).toBe(1);
    policy.close();
    policy.close();
    expect(bus.listeners).toBe(0);
    const state = { store: createMemoryStore(), notices: bus.replica() };
    expect(createPolicy({ allow: ["*/*"], state }) && bus.listeners).toBe(0);
  });
});

describe("what a later version of Hostside has kept", () => {
  const later = { version: 2, value: { servers: "in some other way" } };

  it("is left as it is: tools stay held back, and an approval fails with store_failed", async () => {
    const world = createAdmissionWorld();
    const bus = createNoticeBus();
    list(world, "s", entryOf("read", "Reads."));
    await world.store.set(pinsKey, later);
    const { admission, provider } = await startReplica(world, bus);
    expect(namesOf(provider)).toEqual([]);
    await expect(admission.ready()).rejects.toMatchObject({
      code: "store_failed",
      message: expect.stringContaining("by a later version of Hostside"),
    });
    await expect(admission.approve("s")).rejects.toMatchObject({ code: "store_failed" });
    await expect(admission.revoke("s")).rejects.toMatchObject({ code: "store_failed" });
    expect(await world.store.get(pinsKey)).toEqual(later);
    expect(namesOf(provider)).toEqual([]);
  });

  it("is known by what was known, when it comes while a replica runs", async () => {
    const { world, bus, replicas } = await startReplicas(1);
    await replicas[0]?.admission.approve("s", ["read"]);
    await world.store.set(pinsKey, later);
    await bus.replica().publish(pinsKey);
    await settled();
    expect(replicas.map(({ provider }) => namesOf(provider))).toEqual([["mcp_s_read"]]);
    await expect(replicas[0]?.admission.approve("s", ["write"])).rejects.toMatchObject({ code: "store_failed" });
    expect(await world.store.get(pinsKey)).toEqual(later);
    replicas[0]?.admission.close();
  });
});

describe("a store that fails", () => {
  const rubbish: unknown[] = [
    0,
    "x",
    [],
    {},
    { version: 1 },
    { version: "1", value: {} },
    { version: 1, value: { servers: {} } },
  ];

  it.each(rubbish.map((value) => [value]))(
    "lets nothing be used when it answers %j, and approves nothing",
    async (value) => {
      const world = createAdmissionWorld();
      list(world, "s", entryOf("read", "Reads."));
      const store: Store = { ...world.store, get: async () => value };
      const { admission, provider } = await startReplica(world, createNoticeBus(), { parts: { store } });
      expect(namesOf(provider)).toEqual([]);
      await expect(admission.approve("s")).rejects.toMatchObject({ code: "store_failed" });
      expect(await failureOf(provider.call("mcp_s_read"))).toMatchObject({
        code: expect.stringMatching(/unknown_tool|tool_quarantined/),
      });
      expect(await world.store.get(pinsKey)).toBeUndefined();
    },
  );

  it("has an approval rejected within 10 s when it hangs, and does not keep it afterwards", async () => {
    const world = createAdmissionWorld();
    list(world, "s", entryOf("read", "Reads."));
    const held: (() => void)[] = [];
    let hangs = false;
    const store: Store = {
      ...world.store,
      async get(key) {
        if (hangs) await new Promise<void>((resolve) => void held.push(resolve));
        return world.store.get(key);
      },
    };
    const { admission, provider } = await startReplica(world, createNoticeBus(), { parts: { store } });
    hangs = true;
    const approving = failureOf(admission.approve("s", ["read"]));
    await settled();
    world.clock.advance(10_000);
    expect(await approving).toMatchObject({ code: "store_failed", outcome: "unknown" });
    hangs = false;
    for (const resolve of held.splice(0)) resolve();
    await settled();
    expect(await world.store.get(pinsKey)).toBeUndefined();
    expect(namesOf(provider)).toEqual([]);
    await admission.approve("s", ["read"]);
    expect(namesOf(provider)).toEqual(["mcp_s_read"]);
  });
});

describe("a lock that went to another replica", () => {
  it("keeps nothing of an approval: the store refuses the fencing token", async () => {
    const world = createAdmissionWorld();
    list(world, "s", entryOf("read", "Reads."));
    const lock = lostLock(world.store);
    const { admission, provider } = await startReplica(world, createNoticeBus(), { parts: { lock } });
    await expect(admission.approve("s")).rejects.toMatchObject({ code: "store_failed" });
    expect(await world.store.get(pinsKey)).toBeUndefined();
    expect(namesOf(provider)).toEqual([]);
  });

  it("does not let a suspended call go on, and another replica does, once", async () => {
    const store = createMemoryStore();
    const ran: string[] = [];
    const approval = { mode: "all", suspend: { key: new Uint8Array(32).fill(3) } } as const;
    const lock = createMemoryLock();
    // Others have had it before.
    for (const key of ["a", "b", "c"]) await lock.withLock(key, 1000, async () => {});
    const replica = (own: Lock) => createPolicy({ approval, state: { store, lock: own } });
    const [policy] = replica(lock).interceptors;
    const [lost] = replica(lostLock(store)).interceptors;
    const [other] = replica(lock).interceptors;
    const call = (interceptor: typeof policy, token?: string) => {
      const origin = { serverId: "s", toolName: "t", qualifiedName: "mcp::s::t" };
      const made = {
        origin,
        definition: { name: "t", description: "", inputSchema: {}, fingerprint: "sha256-1", origin },
        args: {},
        options: { context: token === undefined ? {} : { approval: token } },
      };
      if (interceptor === undefined) throw new Error("no interceptor");
      return interceptor(made, async () => {
        ran.push("ran");
        return { content: [], isError: false, origin, raw: { content: [] } };
      });
    };
    const suspended = await failureOf(call(policy));
    const token = replica(lock).approveCall((suspended as HostsideError).details.approval);
    expect(await failureOf(call(lost, token))).toMatchObject({ code: "call_refused", cause: { code: "store_failed" } });
    expect(ran).toEqual([]);
    await call(other, token);
    expect(await failureOf(call(policy, token))).toMatchObject({ details: { denied: "used" } });
    expect(ran).toEqual(["ran"]);
  });
});
