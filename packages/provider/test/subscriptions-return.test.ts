import { HostsideError, type ErrorDetails, type HostsideErrorCode } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { failureOf } from "./calm-world.ts";
import { libraryOf, settle } from "./library.ts";

describe("a server with subscriptions that does not start again", () => {
  const fault = (code: HostsideErrorCode, details: ErrorDetails = {}): HostsideError =>
    new HostsideError("it does not start", { code, serverId: "library", outcome: "not-sent", details });
  const backoff = { baseMs: 1000, maxMs: 8000 };

  it.each([{}, { background: false }])(
    "is tried ever more seldom, however alike its ends, with %j",
    async (options) => {
      const { provider, library, clock, updates } = libraryOf({ backoff: { ...backoff, ...options } });
      await provider.init();
      await provider.subscribeResource("library", "note://a");
      library.broken = fault("server_exited", { exitCode: 4 });
      library.latest.crash();
      await settle(clock, () => undefined, 30_000);
      const waits = library.starts.slice(1).map((at, index) => at - (library.starts[index] ?? 0));
      expect(waits.slice(0, 7)).toEqual([500, 1000, 2000, 4000, 4000, 4000, 4000]);
      expect(provider.statuses()[0]).toMatchObject({ state: "failed", error: { code: "server_exited" } });
      library.broken = undefined;
      await settle(clock, () => expect(library.latest.subscribed()).toEqual(["note://a"]), 4000);
      expect([provider.statuses()[0]?.state, updates]).toEqual(["ready", ["library note://a"]]);
      await provider.close();
      expect(clock.pending).toBe(0);
    },
  );

  it("is left alone when nobody is subscribed any more, and while the host keeps it disconnected", async () => {
    const { provider, library, clock } = libraryOf({ backoff });
    await provider.init();
    const end = await provider.subscribeResource("library", "note://a");
    library.broken = fault("server_exited", { exitCode: 4 });
    library.latest.crash();
    await settle(clock, () => undefined, 10_000);
    await provider.disconnectServer("library");
    const { length } = library.starts;
    await settle(clock, () => expect(library.starts).toHaveLength(length));
    await failureOf(provider.refreshServer("library"));
    await settle(clock, () => expect(library.starts.length).toBeGreaterThan(length + 2), 30_000);
    end();
    expect(clock.pending).toBe(0);
    await provider.close();
  });

  it.each(["spawn_failed", "auth_required", "unsupported_protocol"] as const)(
    "is left alone after %s, which does not pass by itself, until somebody asks for it",
    async (code) => {
      const { provider, library, clock } = libraryOf({ backoff });
      await provider.init();
      await provider.subscribeResource("library", "note://a");
      library.broken = fault(code);
      library.latest.crash();
      await settle(clock, () => expect(library.starts).toHaveLength(2));
      expect(clock.pending).toBe(0);
      library.broken = undefined;
      await provider.refreshServer("library");
      await settle(clock, () => expect(library.latest.subscribed()).toEqual(["note://a"]));
      await provider.close();
    },
  );
});

it("a status has no time to try again that has passed", async () => {
  const { provider, library, clock } = libraryOf({ backoff: { baseMs: 1000 } });
  library.broken = new HostsideError("none", { code: "spawn_failed", serverId: "library" });
  await provider.init();
  const retryAt = (): number | undefined => provider.statuses()[0]?.retryAt;
  expect(retryAt()).toBeTypeOf("number");
  clock.advance(500);
  expect([provider.statuses()[0]?.state, retryAt()]).toEqual(["failed", undefined]);
  await provider.close();
});
