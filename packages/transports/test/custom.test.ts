import { describe, expect, it, vi } from "vitest";
import { connect } from "../src/index.ts";
import { custom } from "./in-process-servers.ts";
import { useManualClock } from "../../../test/manual-clock.ts";

describe("a transport of one's own", () => {
  it.each([
    { name: "401 of the v1 line", thrown: Object.assign(new Error("HTTP 401"), { code: 401 }), code: "auth_required" },
    {
      name: "403 of the v2 line",
      thrown: Object.assign(new Error("no"), { code: "X", status: 403 }),
      code: "forbidden",
    },
  ])("ends the search with $code when it throws $name: nothing else is tried", async ({ thrown, code }) => {
    const sent: unknown[] = [];
    const open = () => ({
      start: async () => undefined,
      send: async (message: unknown) => {
        sent.push(message);
        throw thrown;
      },
      close: async () => undefined,
    });
    await expect(connect({ id: "srv", ...custom(open) })).rejects.toMatchObject({
      code,
      serverId: "srv",
      outcome: "not-sent",
      message: expect.stringContaining(thrown.message),
    });
    expect(sent).toHaveLength(1);
  });

  it("is told to be gone, however soon after the handshake it closes", async () => {
    for (let turns = 0; turns < 40; turns += 1) {
      const onDown = vi.fn<() => void>();
      const connecting = connect({ id: "srv", era: "legacy", ...custom(() => closingAfter(turns)) }, { onDown });
      const connected = await connecting.then(
        () => true,
        () => false,
      );
      await new Promise((resolve) => setImmediate(resolve));
      expect([turns, onDown.mock.calls.length]).toEqual([turns, connected ? 1 : 0]);
    }
  });
});

// Answers `initialize`, and closes so many microtasks after it was told that the handshake is over.
function closingAfter(turns: number) {
  const transport = {
    start: async () => undefined,
    close: async () => undefined,
    onmessage: undefined as ((message: unknown) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    async send(message: unknown) {
      const { id, method } = message as { readonly id?: number; readonly method: string };
      const result = { protocolVersion: "2025-11-25", capabilities: {} };
      if (method === "initialize") queueMicrotask(() => transport.onmessage?.({ jsonrpc: "2.0", id, result }));
      else void closeLater();
    },
  };
  const closeLater = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
    transport.onclose?.();
  };
  return transport;
}

describe("what open() of a custom spec returns", () => {
  it.each([{ value: undefined }, { value: {} }, { value: "transport" }])(
    "is refused when it is $value",
    async ({ value }) => {
      const connecting = connect({ id: "srv", ...custom(() => value) });
      await expect(connecting).rejects.toMatchObject({ code: "internal_error", outcome: "not-sent" });
    },
  );

  it("is unreachable when it throws, with the cause", async () => {
    const cause = new Error("no tunnel");
    const connecting = connect({ id: "srv", ...custom(() => Promise.reject(cause)) });
    await expect(connecting).rejects.toMatchObject({ code: "unreachable", cause });
  });

  it("is closed when it comes after the deadline", async () => {
    const clock = useManualClock();
    const close = vi.fn<() => Promise<void>>(async () => undefined);
    let arrive: (value: unknown) => void = () => undefined;
    const arriving = new Promise((resolve) => {
      arrive = resolve;
    });
    const connecting = connect({ id: "srv", ...custom(() => arriving), timeouts: { connectMs: 10 } });
    clock.advance(10);
    await expect(connecting).rejects.toMatchObject({ code: "connect_timeout" });
    arrive({ start: async () => undefined, send: async () => undefined, close });
    await vi.waitFor(() => expect(close).toHaveBeenCalledOnce(), 60_000);
  });

  it("is given up when it does not close in time", async () => {
    const hanging = {
      start: async () => undefined,
      send: async () => undefined,
      close: () => new Promise(() => undefined),
    };
    const connecting = connect({
      id: "srv",
      ...custom(() => hanging),
      timeouts: { connectMs: 50, probeMs: 20, closeMs: 20 },
    });
    await expect(connecting).rejects.toMatchObject({ code: "connect_timeout" });
  });
});
