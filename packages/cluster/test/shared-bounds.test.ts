import { describe, expect, it } from "vitest";
import { sharedStage, threeKinds } from "./shared-stage.ts";
import { server, settled } from "./stage.ts";
import { useTestClock } from "../../../test/manual-clock.ts";

const key = (principal: string, conversation = "1") => ({ conversation, principal });
const notes = [server("notes", { sharing: "conversation" })] as const;
const processes = ["one", "two"].map((id) => ({ id, type: "stdio", command: "node" }) as const);

describe("bounds of shared providers", () => {
  it("have those make room that nobody used for the longest time, only as many as needed", async () => {
    const { shared, clock, of } = sharedStage({ servers: notes, maxConnections: 3 });
    for (const who of ["a", "b", "c"]) {
      (await shared.lease(key(who))).release();
      clock.advance(10);
    }
    using _used = await shared.lease(key("a"));
    using _more = await shared.lease(key("d"));
    expect([of("a/1").closedWith, of("b/1").closedWith, of("c/1").closedWith]).toEqual([[], ["displaced"], []]);
  });

  it("name the bound and its numbers when all are in use, and displace nobody in vain", async () => {
    const { shared, of } = sharedStage({ servers: [...notes, ...processes], maxProcesses: 2, maxConnections: 3 });
    using _held = await shared.lease(key("a"));
    await expect(shared.lease(key("b"))).rejects.toMatchObject({
      code: "overloaded",
      retryable: true,
      details: { policy: "maxConnections", usage: { used: 3, limit: 3 } },
      message: expect.stringMatching(
        /conversation "1" of principal "b": 3 of 3 connections are in use.* raise maxConnections/,
      ),
    });
    expect([of("all").closedWith, of("a/1").closedWith]).toEqual([[], []]);
  });

  it("have only a principal's own make room for maxPerPrincipal", async () => {
    const { shared, clock, of } = sharedStage({ servers: notes, maxPerPrincipal: 1 });
    (await shared.lease(key("b"))).release();
    clock.advance(10);
    (await shared.lease(key("a", "1"))).release();
    using _second = await shared.lease(key("a", "2"));
    expect([of("b/1").closedWith, of("a/1").closedWith]).toEqual([[], ["displaced"]]);
    await expect(shared.lease(key("a", "3"))).rejects.toMatchObject({ details: { policy: "maxPerPrincipal" } });
    await expect(shared.lease({ conversation: "1" })).resolves.toBeDefined();
  });

  it("let principals take turns: who floods waits behind the first request of each other one", async () => {
    const { shared } = sharedStage({ servers: notes, maxConnections: 1, waitMs: 60_000 });
    const first = await shared.lease(key("flood", "0"));
    const served: string[] = [];
    const requests = [key("flood", "1"), key("flood", "2"), key("flood", "3"), key("quiet"), key("calm")].map(
      async (request) => {
        const lease = await shared.lease(request);
        served.push(`${request.principal}/${request.conversation}`);
        lease.release();
      },
    );
    await settled();
    first.release();
    await Promise.all(requests);
    expect(served).toEqual(["flood/1", "quiet/1", "calm/1", "flood/2", "flood/3"]);
  });

  it("do not let who waits for its own bound hold up others", async () => {
    const { shared } = sharedStage({ servers: notes, maxConnections: 2, maxPerPrincipal: 1, waitMs: 1000 });
    using _held = await shared.lease(key("a", "1"));
    const waits = shared.lease(key("a", "2")).catch((error: unknown) => error);
    await settled();
    await expect(shared.lease(key("b"))).resolves.toBeDefined();
    await shared.shutdownAll();
    expect(await waits).toMatchObject({ code: "closed" });
  });

  it("let who waits keep nothing from others, so that two who need each other's do not wait for ever", async () => {
    const { shared, clock } = sharedStage({ servers: threeKinds.slice(1), maxConnections: 3, waitMs: 1000 });
    const [a, b] = [shared.lease(key("a")), shared.lease(key("b"))];
    (await a).release();
    clock.advance(50);
    await expect(b).resolves.toBeDefined();
  });

  it("refuse at once what could never fit, and change nothing", async () => {
    expect(() => sharedStage({ servers: threeKinds, maxConnections: 2 })).toThrow(
      expect.objectContaining({
        code: "overloaded",
        retryable: false,
        details: { policy: "maxConnections", usage: { used: 3, limit: 2 } },
      }),
    );
    expect(() => sharedStage({ servers: threeKinds, maxProviders: 2 })).toThrow("maxProviders allows 2");
    const { shared } = sharedStage({ servers: notes, maxProcesses: 1 });
    await shared.lease(key("a"));
    expect(() => shared.updateConfig(processes)).toThrow("maxProcesses allows 1");
    expect(shared.statuses()).toMatchObject([{ outdated: false }]);
  });

  it.each([
    ["maxConnections", 0],
    ["maxProcesses", -1],
    ["maxPerPrincipal", 1.5],
    ["maxProviders", "2"],
  ])("refuse %s of %j", (name, value) => {
    expect(() => sharedStage({ [name]: value })).toThrow(TypeError);
  });

  it("are not moved by a clock that jumps", async () => {
    const { clock: real, shared, of } = sharedStage({ ttlMs: 1000 });
    let offset = 1_000_000;
    useTestClock({ ...real, now: () => real.now() + offset });
    using _held = await shared.lease(key("a"));
    (await shared.lease(key("b"))).release();
    offset = 0;
    for (let passed = 0; passed < 1200; passed += 100) real.advance(100);
    await settled();
    expect([of("a/1").closedWith, of("b/1").closedWith]).toEqual([[], ["reap"]]);
    offset = 10_000_000;
    real.advance(100);
    await settled();
    expect(of("a/1").closedWith).toEqual([]);
  });
});

describe("updateConfig() of shared providers", () => {
  it("takes a server at once from those who shared it, and has it elsewhere with the next lease", async () => {
    const { shared, of, made } = sharedStage({ servers: [server("a"), server("b")] });
    using held = await shared.lease(key("ada"));
    let finish = (): void => undefined;
    of("all").onApply = () => new Promise((resolve) => void (finish = resolve));
    shared.updateConfig([server("a"), server("b", { sharing: "principal" })]);
    expect(of("all").applied).toEqual([[server("a")]]);
    const next = shared.lease(key("ada"));
    finish();
    expect((await next).providers).toHaveLength(2);
    expect(made.map(({ whose, servers }) => [whose, ...servers])).toEqual([
      ["all", "a", "b"],
      ["ada", "b"],
    ]);
    expect(held.providers).toHaveLength(1);
  });

  it("ends one that does not let go of what it may not have any more", async () => {
    const { shared, of } = sharedStage({ servers: [server("a"), server("b")] });
    using _held = await shared.lease(key("ada"));
    of("all").onApply = () => Promise.reject(new Error("no"));
    shared.updateConfig([server("a"), server("b", { sharing: "principal" })]);
    await settled();
    expect(of("all").closedWith).toEqual(["a server could not be taken from it"]);
    expect((await shared.lease(key("ada"))).providers).toHaveLength(2);
  });

  it("changes nothing for a set that says the same in another order or with other timeouts", async () => {
    const { shared, of } = sharedStage({ servers: threeKinds });
    using _held = await shared.lease(key("ada"));
    const before = shared.statuses().map(({ fingerprint }) => fingerprint);
    shared.updateConfig(threeKinds.toReversed().map((spec) => ({ ...spec, timeouts: { callMs: 5 } })));
    using _again = await shared.lease(key("ada"));
    expect(shared.statuses().map(({ fingerprint }) => fingerprint)).toEqual(before);
    expect(of("ada").closedWith).toEqual([]);
  });
});
