import { HostsideError, type RequestInterceptor } from "@hostside/core";
import { describe, expect, it, vi } from "vitest";
import { libraryOf, librarySpec, settle } from "./library.ts";

describe("resources", () => {
  it("are told of while they are subscribed to, and by the session that is in use alone", async () => {
    const { provider, library, updates } = libraryOf();
    await provider.init();
    const first = await provider.subscribeResource("library", "note://a");
    const second = await provider.subscribeResource("library", "note://b");
    library.latest.hooks.onResourceUpdated?.("note://a");
    expect(updates).toEqual(["library note://a"]);
    first();
    first();
    expect(library.latest.subscribed()).toEqual(["note://b"]);
    second[Symbol.dispose]();
    expect(library.latest.subscribed()).toEqual([]);
    await provider.close();
  });

  it("are subscribed to again after a reconnect that nobody asked for, and count as changed", async () => {
    const { provider, library, clock, updates, lists } = libraryOf();
    await provider.init();
    await provider.subscribeResource("library", "note://a");
    await provider.subscribeResource("library", "note://a");
    await provider.subscribeResource("library", "note://b");
    const old = library.latest;
    old.crash();
    await settle(clock, () => expect(library.sessions).toHaveLength(2));
    await vi.waitFor(() => expect(updates.toSorted()).toEqual(["library note://a", "library note://b"]), 60_000);
    expect(library.latest.subscribed()).toEqual(["note://a", "note://a", "note://b"]);
    expect(lists).toEqual(["resources library", "prompts library"]);
    old.hooks.onResourceUpdated?.("note://late");
    old.hooks.onResourcesChanged?.();
    expect([updates, lists].flat()).toHaveLength(4);
    await provider.close();
    expect(clock.pending).toBe(0);
  });

  it("may have changed unheard while there was no session, and are told so", async () => {
    const { provider, library, clock } = libraryOf();
    await provider.init();
    const heard: unknown[] = [];
    provider.onResourceUpdated((update) => heard.push(update));
    await provider.subscribeResource("library", "note://a");
    library.latest.hooks.onResourceUpdated?.("note://a");
    library.latest.crash();
    await settle(clock, () => expect(heard).toHaveLength(2));
    expect(heard).toEqual([
      { serverId: "library", uri: "note://a" },
      { serverId: "library", uri: "note://a", maybeMissed: true },
    ]);
    await provider.close();
  });

  it("go on where the server's spec was replaced, and on the next session after one was ended by hand", async () => {
    const { provider, library, clock, updates } = libraryOf();
    await provider.init();
    await provider.subscribeResource("library", "note://a");
    await provider.updateServer({ ...librarySpec, args: ["--other"] });
    await vi.waitFor(() => expect(updates).toEqual(["library note://a"]), 60_000);
    expect(library.latest.subscribed()).toEqual(["note://a"]);
    await provider.disconnectServer("library");
    expect(library.sessions).toHaveLength(2);
    await provider.connection("library");
    await vi.waitFor(() => expect(updates).toHaveLength(2), 60_000);
    expect(library.latest.subscribed()).toEqual(["note://a"]);
    await provider.clearCredentials("library");
    // To come back by itself would sign in again whoever has just signed out.
    await settle(clock, () => undefined, 600_000);
    expect(library.sessions).toHaveLength(3);
    await provider.connection("library");
    await vi.waitFor(() => expect(updates).toHaveLength(3), 60_000);
    expect(library.latest.subscribed()).toEqual(["note://a"]);
    await provider.close();
  });

  it.each(["removeServer", "close"] as const)("are told of no more after %s", async (end) => {
    const { provider, library, clock, updates, lists } = libraryOf();
    await provider.init();
    const subscription = await provider.subscribeResource("library", "note://a");
    const ending = provider[end]("library");
    library.latest.hooks.onResourceUpdated?.("note://a");
    library.latest.hooks.onResourcesChanged?.();
    await ending;
    library.latest.hooks.onResourceUpdated?.("note://a");
    subscription();
    expect([updates, lists, clock.pending]).toEqual([[], [], 0]);
    await provider.close();
  });

  it("keep a session from being ended for want of use, and let it go with the last of them", async () => {
    const { provider, library, clock } = libraryOf({ idleMs: 1000 });
    await provider.init();
    const subscription = await provider.subscribeResource("library", "note://a");
    await settle(clock, () => undefined, 10_000);
    expect(library.latest.closed).toBe(false);
    subscription();
    await settle(clock, () => expect(library.latest.closed).toBe(true), 10_000);
    await provider.close();
  });

  it("do not hold up a session that drains", async () => {
    const { provider, library, updates } = libraryOf();
    const secret = {
      type: "http",
      url: "https://x.test/",
      headers: { "x-api-key": "first-key" },
    } as const;
    await provider.addServer({ ...secret, id: "keyed" });
    await provider.subscribeResource("keyed", "note://a");
    const old = library.latest;
    await provider.updateServer({
      ...secret,
      id: "keyed",
      headers: { "x-api-key": "second-key" },
    });
    await vi.waitFor(() => expect([old.closed, updates]).toEqual([true, ["keyed note://a"]]), 60_000);
    await provider.close();
  });

  it("are not subscribed to when the server refuses, or is not there", async () => {
    const { provider, library, clock } = libraryOf();
    await provider.init();
    library.refuse = new HostsideError("none", { code: "unsupported_operation", serverId: "library" });
    await expect(provider.subscribeResource("library", "note://a")).rejects.toBe(library.refuse);
    await expect(provider.subscribeResource("nowhere", "note://a")).rejects.toMatchObject({ code: "unknown_server" });
    library.latest.crash();
    await settle(clock, () => undefined);
    expect(library.sessions).toHaveLength(1);
    await provider.close();
    await expect(provider.subscribeResource("library", "note://a")).rejects.toMatchObject({ code: "closed" });
  });

  it("that cannot be subscribed to again are reported, and tried on the session after", async () => {
    const { provider, library, clock, updates, diagnostics } = libraryOf();
    await provider.init();
    await provider.subscribeResource("library", "note://a");
    library.refuse = new HostsideError("gone", { code: "server_error", serverId: "library" });
    library.latest.crash();
    await settle(clock, () => expect(diagnostics).toHaveLength(1));
    expect(diagnostics[0]).toContain("server_error");
    library.refuse = undefined;
    library.latest.crash();
    await settle(clock, () => expect(library.latest.subscribed()).toEqual(["note://a"]));
    await vi.waitFor(() => expect(updates).toEqual(["library note://a", "library note://a"]), 60_000);
    await provider.close();
  });

  it("go through the layers around requests", async () => {
    const seen: string[] = [];
    const { provider } = libraryOf({
      requestInterceptors: [
        (request, next) => {
          seen.push(JSON.stringify([request.method, request.params]));
          if (request.params?.["uri"] !== "note://secret") return next(request);
          throw new HostsideError("not for you", { code: "not_allowed" });
        },
      ],
    });
    await provider.init();
    await provider.subscribeResource("library", "note://a");
    await expect(provider.subscribeResource("library", "note://secret")).rejects.toMatchObject({ code: "not_allowed" });
    expect(seen).toEqual(["note://a", "note://secret"].map((uri) => JSON.stringify(["resources/subscribe", { uri }])));
    await provider.close();
  });
});

describe("a layer around a subscription", () => {
  const asking = (times: number, fails: boolean): RequestInterceptor => {
    return async (request, next) => {
      let answer = await next(request);
      for (let again = 1; again < times; again += 1) answer = await next(request);
      if (fails) throw new HostsideError("no audit, no news", { code: "not_allowed" });
      return answer;
    };
  };

  it.each([1, 2])("leaves none behind when it fails after it had %i", async (times) => {
    const { provider, library } = libraryOf({ requestInterceptors: [asking(times, true)] });
    await provider.init();
    await expect(provider.subscribeResource("library", "note://a")).rejects.toMatchObject({ code: "not_allowed" });
    expect(library.latest.subscribed()).toEqual([]);
    await provider.close();
  });

  it("leaves none behind that nobody has when it asks twice", async () => {
    const { provider, library } = libraryOf({ requestInterceptors: [asking(2, false)] });
    await provider.init();
    const end = await provider.subscribeResource("library", "note://a");
    expect(library.latest.subscribed()).toEqual(["note://a"]);
    end();
    expect(library.latest.subscribed()).toEqual([]);
    await provider.close();
  });
});

it.each(["session_expired", "unsupported_protocol"] as const)(
  "a request that met %s is the last on its session, however late that says that it is over",
  async (code) => {
    for (const options of [
      {},
      { requestInterceptors: [async (request, next) => next(request)] as RequestInterceptor[] },
    ]) {
      const { provider, library } = libraryOf(options);
      const connection = await provider.connection("library");
      library.answer = () =>
        Promise.reject(new HostsideError("who?", { code, serverId: "library", outcome: "failed" }));
      await expect(connection.request("resources/read", { uri: "note://a" })).rejects.toMatchObject({ code });
      library.answer = async () => ({ contents: [] });
      const next = await provider.connection("library");
      expect(await next.request("resources/read", { uri: "note://a" })).toEqual({ contents: [] });
      expect(library.sessions).toHaveLength(2);
      await provider.close();
    }
  },
);

it("hands on every notification of a server, with its id", async () => {
  const { provider, library } = libraryOf();
  const seen: unknown[] = [];
  provider.onServerNotification((each) => seen.push(each));
  await provider.init();
  library.latest.hooks.onNotification?.({ method: "notifications/x", params: { serverId: "forged" } });
  expect(seen).toEqual([{ method: "notifications/x", params: { serverId: "forged" }, serverId: "library" }]);
  await provider.close();
});
