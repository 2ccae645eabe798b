import { fixtureServer, startHttpFixture } from "@hostside/fixtures";
import type { Diagnostic, ElicitationRequest, ServerNotification, ServerEntry, EntrySettings } from "@hostside/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { connect, type ConnectOptions } from "../src/index.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

const startLegacy = async (): Promise<ServerEntry> => ({
  type: "stdio",
  ...fixtureServer("legacy-library"),
});

const rows: readonly { readonly name: string; readonly start: () => Promise<ServerEntry> }[] = [
  { name: "legacy over stdio", start: startLegacy },
  {
    name: "2026-07-28 over stdio",
    start: async () => ({ type: "stdio", ...fixtureServer("modern-library") }),
  },
  {
    name: "2026-07-28 over HTTP",
    start: async () => {
      const server = await startHttpFixture("library-http");
      closers.push(() => server.close());
      return { type: "http", url: server.url };
    },
  },
];

describe.each(rows)("resources and prompts: $name", ({ start }) => {
  it("tells of an update for as long as a resource is subscribed to", async () => {
    const onResourceUpdated = vi.fn<(uri: string) => void>();
    const connection = await open(start, { onResourceUpdated });
    const [first, second] = await Promise.all([
      connection.subscribeResource("note://first"),
      connection.subscribeResource("note://second"),
    ]);
    await connection.callTool("write", { name: "first", text: "one" });
    await vi.waitFor(() => expect(onResourceUpdated.mock.calls).toEqual([["note://first"]]), 60_000);
    first();
    await connection.callTool("write", { name: "second", text: "two" });
    // Perhaps twice, by the stream before and by the one after.
    await vi.waitFor(() => expect(onResourceUpdated).toHaveBeenLastCalledWith("note://second"), 60_000);
    second();
    await connection.callTool("write", { name: "first", text: "three" });
    expect(new Set(onResourceUpdated.mock.calls.slice(1).flat())).toEqual(new Set(["note://second"]));
  });

  it("asks for nothing on behalf of somebody who has left already", async () => {
    const onResourceUpdated = vi.fn<(uri: string) => void>();
    const connection = await open(start, { onResourceUpdated });
    const signal = AbortSignal.abort();
    const refused = await connection.subscribeResource("note://first", { signal }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "aborted", outcome: "not-sent" });
    await connection.callTool("write", { name: "first", text: "one" });
    expect(onResourceUpdated).not.toHaveBeenCalled();
  });

  it("tells that resources and prompts changed", async () => {
    const onResourcesChanged = vi.fn<() => void>();
    const onPromptsChanged = vi.fn<() => void>();
    const connection = await open(start, { onResourcesChanged, onPromptsChanged });
    await connection.callTool("write", { name: "third", text: "new" });
    await vi.waitFor(() => expect(onResourcesChanged).toHaveBeenCalled(), 60_000);
    await connection.callTool("add-prompt", { name: "later" });
    await vi.waitFor(() => expect(onPromptsChanged).toHaveBeenCalled(), 60_000);
  });

  it("calls no hook after close, and ends a subscription that is waited for", async () => {
    const onResourceUpdated = vi.fn<(uri: string) => void>();
    const connection = await open(start, { onResourceUpdated });
    const subscribing = connection.subscribeResource("note://first");
    const closing = connection.close();
    await expect(subscribing).rejects.toMatchObject({ code: "closed" });
    await closing;
    await expect(connection.subscribeResource("note://first")).rejects.toMatchObject({ code: "closed" });
    expect(onResourceUpdated).not.toHaveBeenCalled();
  });

  it("hands on every notification to whoever wants them all", async () => {
    const seen: ServerNotification[] = [];
    const connection = await open(start, { onNotification: (each) => seen.push(each) });
    await connection.callTool("add-prompt", { name: "later" });
    await vi.waitFor(
      () => expect(seen.map(({ method }) => method)).toContain("notifications/prompts/list_changed"),
      60_000,
    );
  });
});

it("refuses to subscribe where the server offers no subscriptions", async () => {
  for (const name of ["legacy-stdio", "modern-stdio"] as const) {
    const connection = await open(async () => ({ type: "stdio", ...fixtureServer(name) }), {});
    await expect(connection.subscribeResource("note://first")).rejects.toMatchObject({
      code: "unsupported_operation",
      outcome: "not-sent",
    });
  }
});

it("tells what the server says of a resource that it does not have", async () => {
  const connection = await open(startLegacy, {});
  await expect(connection.subscribeResource("note://nowhere")).rejects.toMatchObject({
    code: "server_error",
    details: { operation: "resources/subscribe", rpcCode: -32_002 },
  });
});

it.each(["2025-11-25", "2026-07-28"] as const)(
  "misses no update that comes right after the server agreed: %s",
  async (era) => {
    const onResourceUpdated = vi.fn<(uri: string) => void>();
    const connection = await open(async () => ({ type: "custom", open: () => createEagerServer(era) }), {
      onResourceUpdated,
    });
    await connection.subscribeResource("note://first");
    expect(onResourceUpdated.mock.calls).toEqual([["note://first"]]);
  },
);

/** A server whose resource changes in the very moment in which it agrees to tell of changes. */
function createEagerServer(era: "2025-11-25" | "2026-07-28"): object {
  const capabilities = { resources: { subscribe: true } };
  const updated = { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "note://first" } };
  const isModern = era === "2026-07-28";
  const transport = {
    onmessage: (_message: object): void => undefined,
    start: async () => undefined,
    close: async () => undefined,
    async send({ id, method, params }: { id?: number; method: string; params: object }) {
      const reply = (message: object): void => transport.onmessage({ jsonrpc: "2.0", ...message });
      if (id === undefined) return;
      queueMicrotask(() => {
        if (method === "server/discover" && isModern)
          return reply({ id, result: { supportedVersions: [era], capabilities, ttlMs: 0, cacheScope: "public" } });
        if (method === "initialize")
          return reply({ id, result: { protocolVersion: era, capabilities, serverInfo: { name: "e", version: "1" } } });
        if (method === "resources/subscribe") reply({ id, result: {} });
        else if (method === "subscriptions/listen") {
          const _meta = { "io.modelcontextprotocol/subscriptionId": id };
          const { notifications } = params as { notifications: object };
          reply({ method: "notifications/subscriptions/acknowledged", params: { _meta, notifications } });
        } else return reply({ id, error: { code: -32_601, message: "Method not found" } });
        transport.onmessage(updated);
      });
    },
  };
  return transport;
}

it("bounds a flood of updates", async () => {
  const onResourceUpdated = vi.fn<(uri: string) => void>();
  const diagnostics: Diagnostic[] = [];
  const options = { onResourceUpdated, onDiagnostic: (each: Diagnostic) => void diagnostics.push(each) };
  // Few enough that a slow machine is flooded as well.
  const connection = await open(startLegacy, options, { limits: { maxNotificationsPerSecond: 2 } });
  await connection.subscribeResource("note://first");
  await connection.callTool("rewrite-often", { times: 2000 });
  expect(onResourceUpdated.mock.calls.length).toBeLessThan(1000);
  await vi.waitFor(() => expect(onResourceUpdated).toHaveBeenCalledWith("note://first"), { timeout: 60_000 });
  expect(diagnostics.map(({ kind }) => kind)).toContain("notification-flood");
});

async function open(start: () => Promise<ServerEntry>, options: ConnectOptions, members: Partial<EntrySettings> = {}) {
  const connection = await connect({ id: "library", ...(await start()), ...members }, options);
  closers.push(() => connection.close());
  return connection;
}

describe.each(rows.slice(1))("a request that is no call: $name", ({ start }) => {
  it("has its questions answered as a call has, and its context reaches whoever answers", async () => {
    const asked: ElicitationRequest[] = [];
    const connection = await open(start, {
      onElicit: async (request) => {
        asked.push(request);
        return { action: "accept", content: { tone: "dry" } };
      },
    });
    const context = { conversation: "c-1" };
    const prompt = await connection.request("prompts/get", { name: "in-tone", arguments: { of: "x" } }, { context });
    expect(JSON.stringify(prompt)).toContain("Summarize x in dry tone.");
    expect(asked).toMatchObject([{ serverId: "library", message: "Which tone?", context }]);
  });
});
