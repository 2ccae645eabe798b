import type { McpProvider, ProviderOptions, ServerStatus } from "@hostside/provider";
import { describe, expect, it } from "vitest";
import { startSubject, type Subject, type TransportRow } from "./transport-rows.ts";

/** A host that calls a server: itself, or through something in between. */
export interface LifecycleHost extends AsyncDisposable {
  /** Calls, under the names `mcp_s_…`. */
  readonly provider: McpProvider;
  /** Is connected to the server. */
  readonly upstream: McpProvider;
  /** How a call failed. */
  failureOf(call: Promise<unknown>): Promise<unknown>;
}

const slow = { timeout: 60_000 };

/**
 * What becomes of a server's life, seen by who calls it, with the server's ledger to say what ran.
 */
export function describeLifecycle(
  rows: readonly TransportRow[],
  open: (subject: Subject, options?: Partial<ProviderOptions>) => Promise<LifecycleHost>,
): void {
  describe.each(rows)("the life of a server over $name", (row) => {
    it("announces a change, and it shows by itself where the provider refreshes eagerly", slow, async () => {
      await using subject = await startSubject(row);
      await using host = await open(subject, { refresh: "debounced", debounce: { quietMs: 20, maxMs: 100 } });
      const changed = new Promise((resolve) => host.provider.onToolsChanged(resolve));
      await subject.control.perform(announce);
      expect(await changed).toEqual({ added: ["mcp_s_extra"], removed: [], changed: [] });
    });

    it("changes its tools without end: each call runs once, and what it has at last is shown", slow, async () => {
      await using subject = await startSubject(row);
      await using host = await open(subject, { refresh: "debounced", debounce: { quietMs: 20, maxMs: 100 } });
      const shown = new Promise<void>((resolve) => {
        host.provider.onToolsChanged(() => {
          const names = new Set(host.provider.tools().map(({ name }) => name));
          if (storm.every(({ name }) => names.has(`mcp_s_${name}`))) resolve();
        });
      });
      const calls: Promise<unknown>[] = [];
      for (const [index, tool] of storm.entries()) {
        calls.push(host.provider.call("mcp_s_append", { text: `${index}` }));
        await subject.control.perform([{ type: "change-tools", add: [tool] }, changed]);
        // What changes nothing is said, too.
        await subject.control.perform([changed, changed]);
      }
      expect(await Promise.all(calls)).toHaveLength(storm.length);
      await shown;
      const ran = subject.control.ledger().map(({ args }) => args["text"]);
      expect([ran.length, new Set(ran).size]).toEqual([storm.length, storm.length]);
      expect(host.upstream.statuses()[0]).toMatchObject({ state: "ready", inFlight: 0, waiting: 0, attempts: 1 });
    });

    it("dies while nobody calls, and is back with the next call, once for all who race", slow, async () => {
      await using subject = await startSubject(row, { inChild: true });
      await using host = await open(subject);
      if (row.transport === "stdio") {
        const down = statusOf(host.upstream, ({ state }) => state === "down");
        for (const pid of subject.livePids()) process.kill(pid, "SIGKILL");
        await down;
      } else {
        await subject.revive();
      }
      const calls = Array.from({ length: 100 }, (_, i) => host.provider.call("mcp_s_echo", { text: `${i}` }));
      expect(await Promise.all(calls)).toHaveLength(100);
      expect(host.upstream.statuses()[0]?.attempts).toBeLessThanOrEqual(2);
      expect(subject.control.ledger()).toHaveLength(100);
      expect(new Set(subject.control.ledger().map(({ args }) => args["text"])).size).toBe(100);
    });

    it("dies after it ran a tool: the call says so and is not repeated, the next one works", slow, async () => {
      await using subject = await startSubject(row, { rules: [runAndDie({ process: 1, "params.name": "append" })] });
      await using host = await open(subject);
      const error = await host.failureOf(host.provider.call("mcp_s_append", { text: "once" }));
      expect(error).toMatchObject({ outcome: "unknown" });
      await subject.revive();
      await host.provider.call("mcp_s_echo", { text: "after" });
      expect(subject.control.ledger().map(({ tool }) => tool)).toEqual(["append", "echo"]);
    });

    it("is told when a caller gives up, and goes on working", slow, async () => {
      await using subject = await startSubject(row, {
        rules: [{ on: "tools/call", where: { "params.name": "append" }, do: [{ type: "hold", barrier: "append" }] }],
      });
      await using host = await open(subject);
      const abort = new AbortController();
      const given = host.failureOf(host.provider.call("mcp_s_append", { text: "x" }, { signal: abort.signal }));
      await subject.control.reached("append");
      abort.abort();
      expect(await given).toMatchObject({ code: "aborted", outcome: "unknown" });
      // In 2026-07-28 over HTTP the end of the response stream is the cancel.
      if (row.transport !== "http" || row.era === "legacy") await subject.control.occurred("notifications/cancelled");
      await host.provider.call("mcp_s_echo", { text: "after" });
      expect(host.upstream.statuses()[0]).toMatchObject({ state: "ready", inFlight: 0, waiting: 0, attempts: 1 });
      subject.control.open("append");
    });

    it("leaves nothing behind on close, with calls under way", slow, async () => {
      await using subject = await startSubject(row, {
        rules: [{ on: "tools/call", do: [{ type: "hold", barrier: "call" }] }],
      });
      const host = await open(subject);
      const calls = [1, 2, 3].map((i) => host.failureOf(host.provider.call("mcp_s_append", { text: `${i}` })));
      await subject.control.reached("call", 3);
      await host[Symbol.asyncDispose]();
      for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: "closed", outcome: "unknown" });
      expect(subject.livePids()).toEqual([]);
    });
  });
}

const extra = { name: "extra", inputSchema: { type: "object" } };
const storm = Array.from({ length: 12 }, (_, index) => ({ ...extra, name: `extra_${index}` }));
const changed = { type: "send", message: { method: "notifications/tools/list_changed" } } as const;
const announce = [{ type: "change-tools", add: [extra] }, changed] as const;
const runAndDie = (where: Record<string, string | number>) => ({
  on: "tools/call",
  where,
  do: [{ type: "execute" }, { type: "exit", code: 7 }] as const,
});

/** The first status of a server that is wanted. */
export function statusOf(provider: McpProvider, wanted: (status: ServerStatus) => boolean): Promise<ServerStatus> {
  return new Promise((resolve) => {
    const subscription = provider.onStatusChanged((status) => {
      if (!wanted(status)) return;
      subscription();
      resolve(status);
    });
  });
}
