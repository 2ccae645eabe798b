import { createMemoryStore, type Store } from "@hostside/core";
import { createToolbox } from "@hostside/discovery";
import { describe, expect, it } from "vitest";
import { failureOf } from "../../provider/test/calm-world.ts";
import { specOf } from "../../provider/test/simulation/simulated-server.ts";
import type { AdmissionOptions } from "../src/admission/create-admission.ts";
import { createAdmissionWorld, entryOf, list, namesOf, pinEvents, startHost } from "./admission-world.ts";

const trusting: AdmissionOptions = { pins: {} };

describe("trust on first use", () => {
  it("takes the first list for what is to be, and holds back what changes or comes later", async () => {
    const world = createAdmissionWorld();
    list(world, "s", entryOf("read", "Reads."), entryOf("write", "Writes."));
    const { admission, provider } = await startHost(world, trusting);
    expect(namesOf(provider)).toEqual(["mcp_s_read", "mcp_s_write"]);
    expect(pinEvents(world)).toEqual([
      {
        type: "tools-trusted",
        at: expect.any(Number),
        serverId: "s",
        tools: ["read", "write"],
        reason: "it is the first use of the server: 2 tools trusted as listed",
      },
    ]);
    list(
      world,
      "s",
      entryOf("read", "Reads, and sends it to us."),
      entryOf("write", "Writes."),
      entryOf("send", "Sends."),
    );
    await provider.refresh();
    await admission.ready();
    expect(namesOf(provider)).toEqual(["mcp_s_write"]);
    expect(await failureOf(provider.call("mcp_s_read"))).toMatchObject({
      code: "tool_quarantined",
      outcome: "not-sent",
    });
    expect(pinEvents(world).slice(1)).toEqual([
      {
        type: "tools-drifted",
        at: expect.any(Number),
        serverId: "s",
        tools: ["read", "send"],
        reason: "2 tools are held back until approved (1 security-relevant)",
        changes: [
          {
            kind: "security",
            tool: "read",
            path: "description",
            what: 'was "Reads.", is "Reads, and sends it to us."',
          },
        ],
      },
    ]);
    expect(admission.held().map(({ toolName, why, approvable }) => [toolName, why, approvable])).toEqual([
      ["read", "is another one than the one of the first use of its server", true],
      ["send", "is held back, because it came after the first use of its server, or was revoked", true],
    ]);
    await provider.close();
  });

  it("sees what changes where no model looks", async () => {
    const world = createAdmissionWorld();
    list(world, "s", entryOf("read", "Reads."));
    const { provider } = await startHost(world, trusting, { tools: { read: { description: "Mine", title: "Mine" } } });
    expect(namesOf(provider)).toEqual(["mcp_s_read"]);
    list(world, "s", { ...entryOf("read", "Reads."), icons: [{ src: "https://x.example/logo" }] });
    await provider.refresh();
    expect(namesOf(provider)).toEqual([]);
    await provider.close();
  });

  it("takes a tool back that is as it was again", async () => {
    const world = createAdmissionWorld();
    list(world, "s", entryOf("read", "Reads."));
    const { provider } = await startHost(world, trusting);
    list(world, "s", entryOf("read", "Other."));
    await provider.refresh();
    expect(namesOf(provider)).toEqual([]);
    list(world, "s", entryOf("read", "Reads."));
    await provider.refresh();
    expect(namesOf(provider)).toEqual(["mcp_s_read"]);
    await provider.close();
  });

  it("remembers over a restart, and what changed since", async () => {
    const world = createAdmissionWorld();
    list(world, "s", entryOf("read", "Reads."), entryOf("write", "Writes."));
    const first = await startHost(world, trusting);
    await first.provider.close();
    list(world, "s", entryOf("read", "Reads."), entryOf("write", "Writes", { type: "object", required: ["id"] }));
    const second = await startHost(world, trusting);
    expect(namesOf(second.provider)).toEqual(["mcp_s_read"]);
    expect(second.admission.held()).toMatchObject([
      { toolName: "write", changes: [{ kind: "security" }, { kind: "breaking" }, { kind: "breaking" }] },
    ]);
    expect(pinEvents(world).at(-1)).toMatchObject({
      type: "tools-drifted",
      reason: "1 tool is held back until approved (2 breaking, 1 security-relevant)",
    });
    await second.provider.close();
  });

  it("is over for a server whose tools were all revoked", async () => {
    const world = createAdmissionWorld();
    list(world, "s", entryOf("read", "Reads."), entryOf("write", "Writes."));
    const { admission, provider } = await startHost(world, trusting);
    await admission.revoke("s", ["read"]);
    expect(namesOf(provider)).toEqual(["mcp_s_write"]);
    await admission.revoke("s");
    expect(namesOf(provider)).toEqual([]);
    expect(await admission.approve("s")).toEqual({ approved: ["read", "write"], left: [] });
    expect(namesOf(provider)).toEqual(["mcp_s_read", "mcp_s_write"]);
    expect(pinEvents(world).map(({ type, tools }) => [type, tools])).toEqual([
      ["tools-trusted", ["read", "write"]],
      ["tools-revoked", ["read"]],
      ["tools-held", ["read"]],
      ["tools-revoked", ["write"]],
      ["tools-held", ["write"]],
      ["tools-approved", ["read", "write"]],
    ]);
    await provider.close();
  });

  it("does not trust what another process saw otherwise first", async () => {
    const world = createAdmissionWorld();
    list(world, "s", entryOf("read", "Reads."));
    const [one, other] = [world.admission(trusting), world.admission(trusting)];
    await Promise.all([one.ready(), other.ready()]);
    const first = world.guarded(one, { servers: [specOf("s")] });
    const second = world.guarded(other, { servers: [specOf("s")] });
    // The second reads the list before the first has kept what it saw, and sees another one.
    await first.init();
    list(world, "s", entryOf("read", "Other."));
    await second.init();
    await Promise.all([one.ready(), other.ready()]);
    expect([namesOf(first), namesOf(second)]).toEqual([["mcp_s_read"], []]);
    await Promise.all([first.close(), second.close()]);
  });
});

describe("an approval", () => {
  it("of an update that flips hundreds of tools is one event, one approval and one change", async () => {
    const world = createAdmissionWorld();
    const names = Array.from({ length: 300 }, (_, index) => `tool_${String(index).padStart(3, "0")}`);
    list(world, "s", ...names.map((name) => entryOf(name, "One.")));
    const { admission, provider } = await startHost(world, trusting);
    const changes: number[] = [];
    provider.onToolsChanged(({ added, removed }) => changes.push(added.length - removed.length));
    list(world, "s", ...names.map((name) => entryOf(name, "Two.")));
    await provider.refresh();
    await admission.ready();
    expect(namesOf(provider)).toEqual([]);
    const { approved, left } = await admission.approve("s");
    expect([approved.length, left]).toEqual([300, []]);
    expect(namesOf(provider)).toHaveLength(300);
    expect(changes).toEqual([-300, 300]);
    expect(pinEvents(world).map(({ type, tools, reason }) => [type, tools.length, reason])).toEqual([
      ["tools-trusted", 300, "it is the first use of the server: 300 tools trusted as listed"],
      ["tools-drifted", 300, "300 tools are held back until approved (300 security-relevant)"],
      ["tools-approved", 300, "somebody approved 300 tools"],
    ]);
    await provider.close();
  });

  it("is for what somebody looked at, and for nothing that came meanwhile", async () => {
    const world = createAdmissionWorld();
    list(world, "s", entryOf("read", "Reads."), entryOf("write", "Writes."));
    const { admission, provider } = await startHost(world, { pins: { unpinned: "quarantine" } });
    const [read] = admission.held();
    list(world, "s", entryOf("read", "Reads, and sends."), entryOf("write", "Writes."));
    await provider.refresh();
    expect(await admission.approve("s", read && [read, "nothing"])).toEqual({
      approved: [],
      left: [
        { toolName: "read", reason: "is not the one any more that was looked at" },
        { toolName: "nothing", reason: "is not held back" },
      ],
    });
    expect(namesOf(provider)).toEqual([]);
    expect(await admission.approve("s", ["write"])).toEqual({ approved: ["write"], left: [] });
    expect(namesOf(provider)).toEqual(["mcp_s_write"]);
    await provider.close();
  });

  it("lifts a quarantine by default, and is bound to the fingerprint", async () => {
    const world = createAdmissionWorld();
    list(world, "s", entryOf("read", "Reads."), entryOf("drop", "Drops."));
    const options: AdmissionOptions = {
      defaultDecision: "allow",
      deny: "*/drop",
      stricter: [{ labels: "scope:project" }],
    };
    const { admission, provider } = await startHost(world, options, { labels: { scope: "project" } });
    expect([namesOf(provider), provider.quarantined().length]).toEqual([[], 1]);
    await admission.approve("s");
    expect(namesOf(provider)).toEqual(["mcp_s_read"]);
    list(world, "s", entryOf("read", "Reads more."), entryOf("drop", "Drops."));
    await provider.refresh();
    expect(namesOf(provider)).toEqual([]);
    // Another process knows the approval, and the approval of the earlier one as well.
    const other = await startHost(world, options, { labels: { scope: "project" } });
    list(world, "s", entryOf("read", "Reads."));
    await other.provider.refresh();
    expect(namesOf(other.provider)).toEqual(["mcp_s_read"]);
    await Promise.all([provider.close(), other.provider.close()]);
  });

  it("does not count when it cannot be kept", async () => {
    const world = createAdmissionWorld();
    const store = createMemoryStore();
    let isDown = false;
    world.store = { ...store, set: (...args) => (isDown ? Promise.reject(new Error("down")) : store.set(...args)) };
    list(world, "s", entryOf("read", "Reads."));
    const { admission, provider } = await startHost(world, { pins: { unpinned: "quarantine" } });
    isDown = true;
    expect(await failureOf(admission.approve("s"))).toMatchObject({ message: "down" });
    expect(namesOf(provider)).toEqual([]);
    isDown = false;
    await admission.approve("s");
    expect(namesOf(provider)).toEqual(["mcp_s_read"]);
    await provider.close();
  });

  it("needs somebody to ask what is held back", async () => {
    const admission = createAdmissionWorld().admission(trusting);
    expect(await failureOf(admission.approve("s"))).toEqual(
      new TypeError("nothing is attached: call attach(provider) first, so that it is known what is held back"),
    );
    expect(() => admission.attach({} as never)).toThrow(TypeError);
  });

  it("of another process counts after reload()", async () => {
    const world = createAdmissionWorld();
    list(world, "s", entryOf("read", "Reads."));
    const one = await startHost(world, { pins: { unpinned: "quarantine" } });
    const other = await startHost(world, { pins: { unpinned: "quarantine" } });
    await one.admission.approve("s");
    expect(namesOf(other.provider)).toEqual([]);
    await other.admission.reload();
    expect(namesOf(other.provider)).toEqual(["mcp_s_read"]);
    await Promise.all([one.provider.close(), other.provider.close()]);
  });
});

describe("a store", () => {
  function slow(store: Store): { readonly store: Store; readonly answer: () => void } {
    let answer: () => void = () => {};
    const open = new Promise<void>((resolve) => (answer = resolve));
    return { store: { ...store, get: (key) => open.then(() => store.get(key)) }, answer: () => answer() };
  }

  it("that has not answered yet holds everything back that depends on it, and then it is offered", async () => {
    const world = createAdmissionWorld();
    const { store, answer } = slow(world.store);
    world.store = store;
    list(world, "s", entryOf("read", "Reads."));
    const admission = world.admission(trusting);
    const provider = world.guarded(admission, { servers: [specOf("s")] });
    await provider.init();
    expect(namesOf(provider)).toEqual([]);
    expect(admission.held()).toMatchObject([
      { why: "is held back until what was approved has been read from the store" },
    ]);
    answer();
    await admission.ready();
    expect(namesOf(provider)).toEqual(["mcp_s_read"]);
    await provider.close();
  });

  it("that fails, hangs or has rubbish holds everything back and says so, and works when it does again", async () => {
    for (const get of [
      () => Promise.reject(new Error("down")),
      () => new Promise<unknown>(() => {}),
      () => Promise.resolve({ version: 2 }),
    ]) {
      const world = createAdmissionWorld();
      let isDown = true;
      const { store } = world;
      world.store = { ...store, get: (key) => (isDown ? get() : store.get(key)) };
      list(world, "s", entryOf("read", "Reads."));
      const admission = world.admission(trusting);
      const provider = world.guarded(admission, { servers: [specOf("s")] });
      const failure = failureOf(admission.ready());
      await provider.init();
      world.clock.advance(10_000);
      expect(await failure).toBeInstanceOf(Error);
      expect(namesOf(provider)).toEqual([]);
      expect(world.events).toMatchObject([{ type: "part-failed", part: "store" }]);
      isDown = false;
      await admission.ready();
      expect(namesOf(provider)).toEqual(["mcp_s_read"]);
      await provider.close();
    }
  });

  it("is not read where nothing depends on it", async () => {
    const world = createAdmissionWorld();
    world.store = { ...world.store, get: () => Promise.reject(new Error("read")) };
    const { provider } = await startHost(world, { defaultDecision: "approval", deny: "*/drop" });
    expect(world.events).toEqual([]);
    await provider.close();
  });
});

describe("a toolbox", () => {
  it("can be asked instead of a provider, and asks again after an approval", async () => {
    const world = createAdmissionWorld();
    list(world, "s", entryOf("read", "Reads."));
    const admission = world.admission({ pins: { unpinned: "quarantine" } });
    const provider = world.provider({ servers: [specOf("s")] });
    const toolbox = createToolbox({
      providers: [provider],
      admit: admission.admit,
      interceptors: admission.interceptor ? [admission.interceptor] : [],
    });
    admission.attach(toolbox);
    await toolbox.init();
    await admission.ready();
    expect(toolbox.tools()).toEqual([]);
    await admission.approve("s");
    expect(toolbox.tools().map(({ name }) => name)).toEqual(["mcp_s_read"]);
    toolbox.close();
    // One that was closed is let go.
    await admission.revoke("s");
    expect(world.events.filter(({ type }) => type === "part-failed")).toEqual([]);
    await provider.close();
  });
});
