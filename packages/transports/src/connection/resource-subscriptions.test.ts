import { HostsideError } from "@hostside/core";
import { expect, it, vi } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { ResourceSubscriptions } from "./resource-subscriptions.ts";
import { createServerContext } from "../../test/server-context.ts";

it("asks once for a resource, however many want it, and tells when the last has left", async () => {
  const { resources, log, agree } = open();
  const both = [resources.subscribe("note://a", {}), resources.subscribe("note://a", {})];
  // Its first update may come together with the server's word.
  expect(resources.uris()).toEqual(["note://a"]);
  await agree();
  const [first, second] = await Promise.all(both);
  expect(resources.uris()).toEqual(["note://a"]);
  first?.();
  first?.();
  expect(log).toEqual(["begin note://a"]);
  second?.[Symbol.dispose]();
  await vi.waitFor(() => expect(log).toEqual(["begin note://a", "end note://a"]), 60_000);
  expect(resources.uris()).toEqual([]);
});

it("begins again only after the end has been told", async () => {
  const { resources, log, agree, forget } = open();
  const first = resources.subscribe("note://a", {});
  await agree();
  (await first)();
  const second = resources.subscribe("note://a", {});
  await vi.waitFor(() => expect(log).toEqual(["begin note://a", "end note://a"]), 60_000);
  forget();
  await vi.waitFor(() => expect(log).toHaveLength(3), 60_000);
  await agree();
  await second;
  expect(log[2]).toBe("begin note://a");
});

it("takes back what was agreed to after nobody wanted it any more", async () => {
  const { resources, log, agree } = open();
  const controller = new AbortController();
  const subscribing = resources.subscribe("note://a", { signal: controller.signal });
  controller.abort();
  await expect(subscribing).rejects.toMatchObject({ code: "aborted", serverId: "srv" });
  await agree();
  await vi.waitFor(() => expect(log).toEqual(["begin note://a", "end note://a"]), 60_000);
  expect(resources.uris()).toEqual([]);
});

it("waits no longer than it may, and forgets what was refused", async () => {
  const { resources, clock, refuse, log } = open();
  const slow = resources.subscribe("note://a", { timeoutMs: 50 });
  clock.advance(50);
  await expect(slow).rejects.toMatchObject({ code: "request_timeout", details: { timeoutMs: 50 } });
  const refused = resources.subscribe("note://b", {});
  const refusal = new HostsideError("no", { code: "server_error", serverId: "srv" });
  await vi.waitFor(() => expect(log).toContain("begin note://b"), 60_000);
  refuse(refusal);
  await expect(refused).rejects.toBe(refusal);
  void resources.subscribe("note://b", {}).catch(() => undefined);
  await vi.waitFor(() => expect(log.filter((line) => line === "begin note://b")).toHaveLength(2), 60_000);
});

it("refuses what is no URI, one that is too long, and one too many", async () => {
  const { resources, log } = open();
  for (const uri of ["", undefined, 7] as string[])
    await expect(resources.subscribe(uri, {})).rejects.toBeInstanceOf(TypeError);
  await expect(resources.subscribe("x".repeat(8193), {})).rejects.toMatchObject({ code: "invalid_arguments" });
  for (const name of ["a", "b"]) void resources.subscribe(`note://${name}`, {}).catch(() => undefined);
  await expect(resources.subscribe("note://c", {})).rejects.toMatchObject({ code: "overloaded", serverId: "srv" });
  expect(log).toEqual(["begin note://a", "begin note://b"]);
});

function open() {
  const clock = useManualClock();
  const log: string[] = [];
  const waiting: { resolve: () => void; reject: (error: Error) => void }[] = [];
  let forget = (): void => undefined;
  const limited = { limits: { maxResourceSubscriptions: 2 }, timeouts: { requestMs: 1000 } };
  const resources = new ResourceSubscriptions(createServerContext({}, limited), {
    begin(uri) {
      log.push(`begin ${uri}`);
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }));
    },
    end(uri) {
      log.push(`end ${uri}`);
      return new Promise((resolve) => (forget = resolve));
    },
  });
  return {
    resources,
    clock,
    log,
    forget: () => forget(),
    agree: async () => {
      await vi.waitFor(() => expect(waiting).not.toHaveLength(0), 60_000);
      waiting.shift()?.resolve();
    },
    refuse: (error: Error) => waiting.pop()?.reject(error),
  };
}
