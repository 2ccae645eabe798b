import { HostsideError, type Diagnostic } from "@hostside/core";
import type { SubscribedUpdate } from "../../src/resources/resources.ts";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createWorld, failureOf, settle, specOf } from "./scripted-world.ts";

afterEach(() => vi.restoreAllMocks());

describe("subscribe()", () => {
  it("hears of the resource and of its parts, and of nothing else", async () => {
    const { resources, server } = createWorld({ servers: ["a", "b"] });
    const heard: string[] = [];
    await resources.subscribe({ serverId: "a", uri: "note://dir" }, ({ uri, updatedUri }) =>
      heard.push(`${uri} ${updatedUri}`),
    );
    await resources.subscribe({ serverId: "a", uri: "note://dir/x" }, () => {});
    await resources.subscribe({ serverId: "b", uri: "note://dir" }, () => {});
    for (const uri of ["note://dir", "note://dir/x", "note://dir2", "note://", "other"]) {
      server("a").hooks().onResourceUpdated?.(uri);
      server("b").hooks().onResourceUpdated?.(uri);
    }
    expect(heard).toEqual(["note://dir note://dir", "note://dir note://dir/x"]);
  });

  it.each([
    [undefined, "undefined"],
    [[], "an array"],
    ["listener", "a string"],
  ])("says that %j is no listener", async (given, kind) => {
    const { resources } = createWorld();
    const subscribing = resources.subscribe({ serverId: "a", uri: "note://one" }, given as never);
    await expect(subscribing).rejects.toThrow(new TypeError(`subscribe() takes a listener, not ${kind}`));
  });

  it.each([
    ["a", "a string"],
    [undefined, "undefined"],
    [7, "a number"],
  ])("says that %j is no target, whatever else is missing", async (given, kind) => {
    const { resources } = createWorld();
    const subscribing = resources.subscribe(given as never, "note://one" as never);
    await expect(subscribing).rejects.toThrow(new TypeError(`subscribe() needs { serverId, uri }, not ${kind}`));
  });

  it("comes back after a reconnect, and says that something may have been missed", async () => {
    const { resources, server, clock } = createWorld();
    const heard: SubscribedUpdate[] = [];
    await resources.subscribe({ serverId: "a", uri: "note://one" }, (update) => heard.push(update));
    server("a").hooks().onResourceUpdated?.("note://one");
    server("a").crash();
    for (let turn = 0; turn < 20; turn += 1) {
      clock.advance(500);
      await settle();
    }
    expect(server("a").sessions).toBe(2);
    server("a").hooks().onResourceUpdated?.("note://one");
    const update = { serverId: "a", uri: "note://one", updatedUri: "note://one" };
    expect(heard).toEqual([false, true, false].map((maybeMissed) => ({ ...update, maybeMissed })));
  });

  it("reports a listener whose promise rejects, ends nothing for it, and says nothing of its reasons", async () => {
    const unhandled = vi.fn<() => void>();
    process.on("unhandledRejection", unhandled);
    try {
      const diagnostics: Diagnostic[] = [];
      const { resources, server } = createWorld({ onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) });
      const reasons = [new HostsideError("secret", { code: "resource_not_found" }), new TypeError("secret"), "secret"];
      const listener = vi.fn<() => Promise<void>>(async () => Promise.reject(reasons.shift()));
      await resources.subscribe({ serverId: "a", uri: "note://one" }, listener);
      for (let turn = 0; turn < 3; turn += 1) server("a").hooks().onResourceUpdated?.("note://one");
      await settle();
      const said = (why: string): Diagnostic => ({
        kind: "defect",
        serverId: "a",
        message: `a listener of resource "note://one" of server "a" rejected: ${why}`,
      });
      expect(diagnostics).toEqual(["resource_not_found", "TypeError", "an unknown reason"].map(said));
      const silent = createWorld();
      await silent.resources.subscribe({ serverId: "a", uri: "note://one" }, () =>
        Promise.reject(new Error("nobody listens")),
      );
      silent.server("a").hooks().onResourceUpdated?.("note://one");
      await settle();
      expect([listener.mock.calls.length, unhandled.mock.calls]).toEqual([3, []]);
    } finally {
      process.off("unhandledRejection", unhandled);
    }
  });

  it("ends with its subscription, and with close()", async () => {
    const { resources, server } = createWorld();
    const listener = vi.fn<() => void>();
    const subscription = await resources.subscribe({ serverId: "a", uri: "note://one" }, listener);
    await resources.subscribe({ serverId: "a", uri: "note://two" }, listener);
    expect(server("a").subscribed).toEqual(["note://one", "note://two"]);
    subscription();
    subscription[Symbol.dispose]();
    server("a").hooks().onResourceUpdated?.("note://one");
    expect([server("a").subscribed, listener.mock.calls]).toEqual([["note://two"], []]);
    await resources.close();
    server("a").hooks().onResourceUpdated?.("note://two");
    expect([server("a").subscribed, listener.mock.calls]).toEqual([[], []]);
    await expect(resources.subscribe({ serverId: "a", uri: "note://two" }, listener)).rejects.toMatchObject({
      code: "closed",
    });
  });

  it("ends with the registration of its server: one that comes later under the same id is another server", async () => {
    const { resources, server, provider } = createWorld({ servers: ["a", "b"] });
    const old = vi.fn<() => void>();
    const late = vi.fn<() => void>();
    const other = vi.fn<() => void>();
    const ended = await resources.subscribe({ serverId: "a", uri: "note://one" }, old);
    await resources.subscribe({ serverId: "b", uri: "note://one" }, other);
    await provider.removeServer("a");
    await provider.addServer(specOf("a"));
    await resources.subscribe({ serverId: "a", uri: "note://one" }, late);
    server("a").hooks().onResourceUpdated?.("note://one");
    server("b").hooks().onResourceUpdated?.("note://one");
    expect([old, late, other].map(({ mock }) => mock.calls.length)).toEqual([0, 1, 1]);
    ended();
    expect(server("a").subscribed).toEqual(["note://one"]);
  });

  it("is refused when its server was replaced by one with the same id before it agreed", async () => {
    let agree = (): void => {};
    const pause = new Promise<void>((resolve) => (agree = resolve));
    const { resources, server, provider } = createWorld();
    const subscribeResource = provider.subscribeResource.bind(provider);
    vi.spyOn(provider, "subscribeResource").mockImplementation(async (id, uri) => {
      await pause;
      return subscribeResource(id, uri);
    });
    const failed = failureOf(resources.subscribe({ serverId: "a", uri: "note://one" }, () => {}));
    await settle();
    await provider.removeServer("a");
    await provider.addServer(specOf("a"));
    agree();
    expect(await failed).toMatchObject({ code: "server_removed", serverId: "a" });
    expect(server("a").subscribed).toEqual([]);
  });

  it.each(["abort", "time", "close"] as const)(
    "leaves nothing behind when it ends by %s before the server agreed",
    async (how) => {
      let agree = (): void => {};
      const pause = new Promise<void>((resolve) => (agree = resolve));
      const { resources, server, provider, clock } = createWorld();
      const subscribeResource = provider.subscribeResource.bind(provider);
      vi.spyOn(provider, "subscribeResource").mockImplementation(async (id, uri) => {
        await pause;
        return subscribeResource(id, uri);
      });
      const stop = new AbortController();
      const listener = vi.fn<() => void>();
      const work = resources.subscribe({ serverId: "a", uri: "note://one" }, listener, {
        signal: stop.signal,
        timeoutMs: 1000,
      });
      const code = { abort: "aborted", time: "request_timeout", close: "closed" }[how];
      const failed = failureOf(work);
      await settle();
      if (how === "abort") stop.abort();
      if (how === "time") clock.advance(1000);
      if (how === "close") await resources.close();
      expect(await failed).toMatchObject({ code });
      agree();
      await settle();
      expect(server("a").sessions).toBe(1);
      expect(server("a").subscribed).toEqual([]);
      server("a").hooks().onResourceUpdated?.("note://one");
      expect(listener).not.toHaveBeenCalled();
      expect(clock.pending()).toBe(0);
    },
  );

  it("hears an update that comes before the server's word that it agrees", async () => {
    const { resources, server, provider } = createWorld();
    await provider.init();
    const subscribeResource = provider.subscribeResource.bind(provider);
    vi.spyOn(provider, "subscribeResource").mockImplementation(async (id, uri) => {
      const subscription = await subscribeResource(id, uri);
      server("a").hooks().onResourceUpdated?.("note://one");
      await settle();
      return subscription;
    });
    const listener = vi.fn<() => void>();
    await resources.subscribe({ serverId: "a", uri: "note://one" }, listener);
    expect(listener).toHaveBeenCalledOnce();
  });

  it("is tried once more on another session, and throws what the server says otherwise", async () => {
    const { resources, provider } = createWorld();
    const lost = new HostsideError("lost", { code: "connection_closed" });
    const refused = new HostsideError("none", { code: "unsupported_operation", serverId: "a" });
    const subscribe = vi.spyOn(provider, "subscribeResource").mockRejectedValueOnce(lost);
    await resources.subscribe({ serverId: "a", uri: "note://one" }, () => {});
    expect(subscribe).toHaveBeenCalledTimes(2);
    subscribe.mockRejectedValueOnce(refused);
    await expect(resources.subscribe({ serverId: "a", uri: "note://one" }, () => {})).rejects.toBe(refused);
    expect(subscribe).toHaveBeenCalledTimes(3);
  });

  it.each<[unknown, string]>([
    [{ listener: () => {} }, "listener"],
    [{ context: { principal: "ann" } }, 'subscribe() has no option "context"'],
    [{ timeoutMs: 0 }, "timeoutMs"],
  ])("refuses the options %j", async (given, place) => {
    const { resources } = createWorld();
    await expect(resources.subscribe({ serverId: "a", uri: "note://one" }, () => {}, given as object)).rejects.toThrow(
      place,
    );
  });
});
