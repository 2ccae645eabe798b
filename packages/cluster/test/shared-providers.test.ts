import { describe, expect, it } from "vitest";
import { sharedStage, threeKinds } from "./shared-stage.ts";
import { gate, server, settled } from "./stage.ts";
import { stubProvider } from "./stub-provider.ts";

const ada1 = { conversation: "c1", principal: "ada" };
const ada2 = { conversation: "c2", principal: "ada" };
const bob1 = { conversation: "c1", principal: "bob" };

describe("lease() of a conversation", () => {
  it("gives that of all, that of its principal and its own, in this order", async () => {
    const { shared, made, of } = sharedStage();
    const [one, two, other] = await Promise.all([shared.lease(ada1), shared.lease(ada2), shared.lease(bob1)]);
    expect(one.providers).toEqual(["all", "ada", "ada/c1"].map((whose) => of(whose).provider));
    expect(two.providers).toEqual(["all", "ada", "ada/c2"].map((whose) => of(whose).provider));
    expect(other.providers).toEqual(["all", "bob", "bob/c1"].map((whose) => of(whose).provider));
    expect(made.map(({ whose, servers }) => [whose, ...servers])).toEqual([
      ["all", "search"],
      ["ada", "mail"],
      ["ada/c1", "notes"],
      ["ada/c2", "notes"],
      ["bob", "mail"],
      ["bob/c1", "notes"],
    ]);
  });

  it("has one principal of all who name none, and no conversation of theirs is anybody else's", async () => {
    const { shared, made } = sharedStage();
    const [one, two] = await Promise.all([shared.lease({ conversation: "c1" }), shared.lease({ conversation: "c2" })]);
    expect(one).toMatchObject({ conversation: "c1" });
    expect("principal" in one).toBe(false);
    expect(one.providers[1]).toBe(two.providers[1]);
    expect(made.map(({ owner }) => owner)).toEqual([
      { sharing: "shared" },
      { sharing: "principal" },
      { sharing: "conversation", conversation: "c1" },
      { sharing: "conversation", conversation: "c2" },
    ]);
  });

  it("makes none without servers", async () => {
    const { shared, made } = sharedStage({ servers: [server("mail", { sharing: "principal" })] });
    expect((await shared.lease(ada1)).providers).toHaveLength(1);
    expect(made.map(({ whose }) => whose)).toEqual(["ada"]);
    expect((await sharedStage({ servers: [] }).shared.lease(ada1)).providers).toEqual([]);
  });

  it.each([
    [
      { conversation: "b", principal: "a" },
      { conversation: '","b', principal: "a" },
    ],
    [
      { conversation: 'b"]', principal: "a" },
      { conversation: "b", principal: 'a","b' },
    ],
    [{ conversation: "c" }, { conversation: "c", principal: "null" }],
    [{ conversation: "\ud800" }, { conversation: "\ud801" }],
    [{ conversation: "__proto__" }, { conversation: "constructor" }],
    [
      { conversation: "/", principal: "a" },
      { conversation: "/", principal: "a/" },
    ],
  ])("keeps %j and %j apart", async (one, other) => {
    const { shared } = sharedStage({ servers: [server("notes", { sharing: "conversation" })] });
    const [first, second] = await Promise.all([shared.lease(one), shared.lease(other)]);
    expect(first.providers[0]).not.toBe(second.providers[0]);
  });

  it("makes what is missing at once, and each only once for all who ask", async () => {
    const gates = [gate(), gate()];
    const asked: string[] = [];
    const { shared } = sharedStage({
      async make({ sharing, principal = "" }) {
        asked.push(`${sharing} ${principal}`);
        await gates[asked.length > 3 ? 1 : 0]?.passed;
        return stubProvider().provider;
      },
    });
    const leases = [shared.lease(ada1), shared.lease(ada1), shared.lease(bob1)];
    await settled();
    expect(asked).toEqual(["shared ", "principal ada", "conversation ada", "principal bob", "conversation bob"]);
    for (const { open } of gates) open();
    const [one, again] = await Promise.all(leases);
    expect(one?.providers).toEqual(again?.providers);
  });

  it("gives the others back where one fails, and the caller its error", async () => {
    const stubs = new Map<string, ReturnType<typeof stubProvider>>();
    const { passed, open } = gate();
    const { shared, events } = sharedStage({
      async make({ sharing }) {
        if (sharing === "principal") throw new Error("no mail today");
        const stub = stubProvider();
        stubs.set(sharing, stub);
        if (sharing === "conversation") await passed;
        return stub.provider;
      },
      ttlMs: 0,
    });
    await expect(shared.lease(ada1)).rejects.toThrow("no mail today");
    open();
    await settled();
    // Nobody waits for it any more; that of all is there for the next one.
    expect(stubs.get("conversation")?.closedWith).toEqual(["it came too late"]);
    expect(shared.statuses()).toMatchObject([{ sharing: "shared", state: "ready", leases: 0 }]);
    expect(events.filter(({ type }) => type === "create-failed")).toMatchObject([
      { sharing: "principal", principal: "ada", error: { message: "no mail today" } },
      { sharing: "conversation", principal: "ada", conversation: "c1", error: { code: "closed" } },
    ]);
  });

  it("is held until it is given back, once", async () => {
    const { shared, clock, of } = sharedStage({ ttlMs: 1000 });
    const one = await shared.lease(ada1);
    const two = await shared.lease(ada2);
    one.release();
    one.release();
    for (let passed = 0; passed < 3000; passed += 500) clock.advance(500);
    await settled();
    expect(of("ada/c1").closedWith).toEqual(["reap"]);
    expect([of("all"), of("ada"), of("ada/c2")].map(({ closedWith }) => closedWith)).toEqual([[], [], []]);
    two[Symbol.dispose]();
    for (let passed = 0; passed < 3000; passed += 500) clock.advance(500);
    await settled();
    expect(shared.statuses()).toEqual([]);
    expect(clock.pending()).toBe(0);
  });

  it("ends the wait of who aborts, and stops what nobody else waits for", async () => {
    const { passed, open } = gate();
    const { shared, made, events } = sharedStage({
      make: () => passed.then(() => stubProvider().provider),
    });
    const controller = new AbortController();
    const given = shared.lease(ada1, { signal: controller.signal });
    const kept = shared.lease(bob1);
    controller.abort();
    await expect(given).rejects.toMatchObject({ code: "aborted" });
    open();
    expect((await kept).providers).toHaveLength(3);
    expect(made).toEqual([]);
    expect(events.filter(({ type }) => type === "create-failed")).toHaveLength(2);
  });

  it.each([
    [{}, "conversation must be a text that is not empty"],
    [{ conversation: "" }, "conversation must be a text that is not empty"],
    [{ conversation: 7 }, "conversation must be a text that is not empty"],
    [{ conversation: "c", principal: "" }, "principal must be a text that is not empty"],
    [{ conversation: "c", principal: null }, "principal must be a text that is not empty"],
    [{ conversation: "c", user: "a" }, 'lease() has no option "user"'],
    ["c", "lease() takes its options as an object"],
  ])("refuses the key %j", async (key, message) => {
    const { shared, made } = sharedStage();
    await expect(shared.lease(key as never)).rejects.toThrow(TypeError);
    await expect(shared.lease(key as never)).rejects.toThrow(message);
    expect(made).toEqual([]);
  });

  it("refuses one provider for two owners", async () => {
    const { provider } = stubProvider();
    const { shared } = sharedStage({ make: () => provider });
    await expect(shared.lease(ada1)).rejects.toThrow("make() gave a provider that it has given before");
  });
});

describe("dispose() of shared providers", () => {
  it("ends those of a principal and of all its conversations, and nobody else's", async () => {
    const { shared, of, events } = sharedStage();
    await Promise.all([shared.lease(ada1), shared.lease(ada2), shared.lease(bob1)]);
    expect(await shared.dispose({ principal: "ada" }, "signed out")).toBe(true);
    expect(["ada", "ada/c1", "ada/c2"].map((whose) => of(whose).closedWith)).toEqual([
      ["signed out"],
      ["signed out"],
      ["signed out"],
    ]);
    expect(["all", "bob", "bob/c1"].map((whose) => of(whose).closedWith)).toEqual([[], [], []]);
    expect(events.at(-1)).toMatchObject({ type: "ended", principal: "ada", why: "disposed", reason: "signed out" });
    expect(await shared.dispose({ principal: "ada" })).toBe(false);
  });

  it("ends one conversation of one principal", async () => {
    const { shared, of } = sharedStage();
    await Promise.all([shared.lease(ada1), shared.lease(bob1)]);
    expect(await shared.dispose(ada1)).toBe(true);
    expect(of("ada/c1").closedWith).toEqual(["disposed"]);
    expect(of("bob/c1").closedWith).toEqual([]);
    expect(await shared.dispose({ conversation: "c1" })).toBe(false);
  });

  it("rejects who waits for one that is disposed of, and makes nothing for them", async () => {
    const { passed, open } = gate();
    const { shared } = sharedStage({ make: () => passed.then(() => stubProvider().provider) });
    const lease = shared.lease(ada1);
    await settled();
    const disposed = shared.dispose({ principal: "ada" }, "signed out");
    await expect(lease).rejects.toMatchObject({ code: "closed", message: expect.stringContaining("signed out") });
    open();
    expect(await disposed).toBe(true);
    await settled();
    expect(shared.statuses().filter(({ principal }) => principal === "ada")).toEqual([]);
  });

  it.each([[{}], [{ principal: "" }], [{ conversation: "c", principal: 7 }], [undefined], ["ada"]])(
    "refuses %j",
    async (target) => {
      const { shared, of } = sharedStage();
      await shared.lease(ada1);
      await expect(shared.dispose(target as never)).rejects.toThrow(TypeError);
      expect(of("ada").closedWith).toEqual([]);
    },
  );

  it("ends all, refuses new ones, and is the same a second time", async () => {
    const { shared, made, clock } = sharedStage();
    await Promise.all([shared.lease(ada1), shared.lease(bob1)]);
    const done = shared.shutdownAll("maintenance");
    expect(shared.shutdownAll("again")).toBe(done);
    await done;
    expect(made.every(({ stub }) => stub.closedWith.join() === "maintenance")).toBe(true);
    await expect(shared.lease(ada1)).rejects.toMatchObject({ code: "closed" });
    expect(() => shared.updateConfig([])).toThrow("was shut down");
    expect([clock.pending(), shared.statuses()]).toEqual([0, []]);
  });
});

describe("statuses() of shared providers", () => {
  it("says whose each is, and what it takes", async () => {
    const { shared, clock, of } = sharedStage({
      servers: [...threeKinds, { id: "tool", type: "stdio", command: "node" }, server("off", { disabled: true })],
    });
    using _lease = await shared.lease(ada1);
    (await shared.lease({ conversation: "c" })).release();
    of("ada").calls = 1;
    clock.advance(500);
    const ready = {
      state: "ready",
      outdated: false,
      leases: 0,
      busy: false,
      idleMs: 500,
      connections: 1,
      processes: 0,
    };
    const fingerprint = expect.stringMatching(/^sha256-/);
    expect(shared.statuses()).toEqual(
      [
        { ...ready, fingerprint, sharing: "shared", leases: 1, connections: 2, processes: 1 },
        { ...ready, fingerprint, sharing: "principal" },
        { ...ready, fingerprint, sharing: "conversation", conversation: "c" },
        { ...ready, fingerprint, sharing: "principal", principal: "ada", leases: 1, busy: true },
        { ...ready, fingerprint, sharing: "conversation", principal: "ada", conversation: "c1", leases: 1 },
      ].toSorted((a, b) => order.indexOf(a.sharing) - order.indexOf(b.sharing)),
    );
  });
});

const order = ["shared", "principal", "conversation"];
