import { createMemoryStore, type JsonObject } from "@hostside/core";
import { createProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { describe, expect, it } from "vitest";
import { createMemoryServer } from "../../../conformance/test/tools-in-memory.ts";
import { createSimulatedConnector } from "../../provider/test/simulation/simulated-connector.ts";
import { specOf } from "../../provider/test/simulation/simulated-server.ts";
import type { AdmissionOptions } from "../src/admission/create-admission.ts";
import { formatLock, lockTools } from "../src/index.ts";
import { createAdmissionWorld, entryOf, list, namesOf, startHost, type AdmissionWorld } from "./admission-world.ts";

describe("a lock", () => {
  const lock = lockTools([entryOf("read", "Reads."), entryOf("write", "Writes.")], undefined);

  it.each<[string, AdmissionOptions]>([
    ["the text of its file", { pins: { locks: { s: formatLock(lock) } } }],
    ["what is in it", { pins: { locks: { s: lock } } }],
  ])("as %s pins the tools of its server, from the first moment", async (_, options) => {
    const world = createAdmissionWorld();
    list(world, "s", entryOf("read", "Reads."), entryOf("write", "Writes!"), entryOf("new", "New."));
    // The store has nothing to say about what is as the lock has it.
    world.store = { ...world.store, get: () => new Promise(() => {}) };
    const admission = world.admission(options);
    const provider = world.guarded(admission, { servers: [specOf("s")] });
    await provider.init();
    expect(namesOf(provider)).toEqual(["mcp_s_read"]);
    await provider.close();
  });

  it("is not replaced by a first use, and tells what changed", async () => {
    const world = createAdmissionWorld();
    list(world, "s", entryOf("read", "Reads."), entryOf("write", "Writes!"), entryOf("new", "New."));
    const { admission, provider } = await startHost(world, { pins: { locks: { s: lock } } });
    expect(admission.held()).toMatchObject([
      { toolName: "new", rule: 'pins.locks["s"]', why: 'is held back, because it is not in pins.locks["s"]' },
      {
        toolName: "write",
        stage: "pins",
        why: 'is neither the one in pins.locks["s"] nor one that was approved',
        changes: [{ kind: "security", path: "description", what: 'was "Writes.", is "Writes!"' }],
      },
    ]);
    expect(await admission.approve("s", ["write"])).toEqual({ approved: ["write"], left: [] });
    expect(namesOf(provider)).toEqual(["mcp_s_read", "mcp_s_write"]);
    await provider.close();
  });

  it("of the kit is that of a provider's tools: a real server passes", async () => {
    const server = createMemoryServer("read", "write");
    const connector = createConnector();
    const servers = [{ id: "memory", ...server.spec }];
    await using provider = createProvider({ connector, servers });
    await provider.init();
    const connection = await provider.connection("memory");
    const { tools } = (await connection.request("tools/list", {})) as { tools: readonly JsonObject[] };
    const admission = createAdmissionWorld().admission({ pins: { locks: { memory: lockTools(tools, undefined) } } });
    await using pinned = createProvider({ connector, servers, admit: admission.admit });
    await pinned.init();
    expect(pinned.tools()).toHaveLength(2);
  });

  it.each<[string, unknown, RegExp]>([
    [
      "a lock of another format",
      { locks: { s: '{\n  "lockVersion": 2\n}' } },
      /^pins\.locks\["s"\]: no lock file of version 1$/,
    ],
    [
      "a lock that was edited",
      { locks: { s: formatLock(lock).replace("Writes.", "Writes!") } },
      /^pins\.locks\["s"\]: tools\[1\]\.hash is not that of its definition of "write": the file was edited by hand$/,
    ],
    ["no lock", { locks: { s: 1 } }, /^pins\.locks\["s"\]: no lock file of version 1$/],
    ["a list of locks", { locks: [lock] }, /^pins\.locks must be an object by server id$/],
    [
      "an unknown mode",
      { unpinned: "trust" },
      /^pins\.unpinned: "trust" is none of trust-on-first-use, quarantine, allow$/,
    ],
    ["a range that is none", { versions: { s: ">1" } }, /^pins\.versions\["s"\]: ">1" is no range/],
    ["an unknown field", { lock: {} }, /^pins has no option "lock"/],
  ])("refuses %s", (_, pins, message) => {
    // Of a caller without types.
    const create = () => createAdmissionWorld().admission({ pins } as AdmissionOptions);
    expect(create).toThrow(TypeError);
    expect(create).toThrow(message);
  });
});

describe("a version", () => {
  it("that is not wanted holds back everything of a server, and no approval changes that", async () => {
    const world = createAdmissionWorld();
    list(world, "s", entryOf("read", "Reads."));
    const simulated = createSimulatedConnector(world);
    let version: string | undefined = "2.0.0";
    const admission = world.admission({ pins: { versions: { s: "^1.2.0" } } });
    const provider = world.guarded(admission, {
      servers: [specOf("s")],
      connector: {
        async connect(spec, hooks, signal) {
          const connection = await simulated.connect(spec, hooks, signal);
          return { ...connection, server: { ...connection.server, ...(version !== undefined && { version }) } };
        },
      },
    });
    const restart = async (): Promise<void> => {
      for (const session of world.server("s").sessions) session.crash();
      await provider.refresh();
    };
    await admission.ready();
    await provider.init();
    const why =
      'is held back, because its server says that its version is "2.0.0", and pins.versions["s"] wants ^1.2.0';
    expect(admission.held()).toMatchObject([{ toolName: "read", rule: 'pins.versions["s"]', why, approvable: false }]);
    expect(await admission.approve("s")).toEqual({ approved: [], left: [{ toolName: "read", reason: why }] });
    version = "1.3.0";
    await restart();
    expect(namesOf(provider)).toEqual(["mcp_s_read"]);
    version = undefined;
    await restart();
    expect(namesOf(provider)).toEqual([]);
    await provider.close();
  });
});

describe("a tool without a fingerprint", () => {
  it("is trusted by no first use, no lock and no approval", async () => {
    const world = createAdmissionWorld();
    list(world, "s", entryOf("read", "Reads."));
    world.server("s").raw.push({ name: "huge", inputSchema: { type: "object" }, flags: ["extras-dropped"] });
    const { admission, provider } = await startHost(world, { pins: {} });
    expect(namesOf(provider)).toEqual(["mcp_s_read"]);
    expect(await admission.approve("s")).toMatchObject({ approved: [], left: [{ toolName: "huge" }] });
    const allowing = await startHost(withNewStore(world), { pins: { unpinned: "allow" } });
    expect(namesOf(allowing.provider)).toEqual(["mcp_s_huge", "mcp_s_read"]);
    await Promise.all([provider.close(), allowing.provider.close()]);
  });
});

/** The same servers, with a store of their own. */
function withNewStore(world: AdmissionWorld): AdmissionWorld {
  world.store = createMemoryStore();
  return world;
}
