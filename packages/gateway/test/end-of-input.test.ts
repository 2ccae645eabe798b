import { PassThrough } from "node:stream";
import type { GatewayOptions } from "@hostside/gateway";
import { serveStdio, type StdioOptions } from "@hostside/gateway/node";
import type { JsonObject } from "@hostside/core";
import { describe, expect, it, vi } from "vitest";
import { useManualClock } from "../../../test/manual-clock.ts";
import { envelope } from "./raw-client.ts";
import { serveTools, tool } from "./static-world.ts";
import { openHeldCalls } from "./held-calls.ts";

const elicitation = { elicitation: { form: {} } };
const initialize: JsonObject = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: elicitation, clientInfo: { name: "raw", version: "1" } },
};
const call = (id: JsonObject[string], name: string, params: JsonObject = {}): JsonObject => ({
  jsonrpc: "2.0",
  id: id ?? null,
  method: "tools/call",
  params: { name, ...params },
});
const textOf = (...messages: readonly JsonObject[]): string => messages.map((one) => JSON.stringify(one)).join("\n");

/** A gateway on pipes that a test writes to, and what came out. */
function open(gateway: Parameters<typeof serveStdio>[0], options: StdioOptions = {}) {
  const clock = useManualClock();
  const [input, output] = [new PassThrough(), new PassThrough()];
  const received: JsonObject[] = [];
  output.on("data", (chunk: Buffer) => {
    for (const line of chunk.toString().trim().split("\n")) received.push(JSON.parse(line) as JsonObject);
  });
  const served = serveStdio(gateway, { input, output, ...options });
  return { clock, input, output, received, served, has: (id: unknown) => received.some((one) => one["id"] === id) };
}

function serveHeld(options: Partial<GatewayOptions> = {}) {
  const gates: (() => void)[] = [];
  const stopped: unknown[] = [];
  const hold = tool("hold", (_args, { signal }) => {
    return new Promise((resolve, reject) => {
      gates.push(() => resolve("held"));
      signal?.addEventListener("abort", () => {
        stopped.push(signal.reason);
        reject(signal.reason as Error);
      });
    });
  });
  return { ...serveTools([hold, tool("echo", () => "hi")], options), gates, stopped };
}

describe("when the client closes its end of the pipe", () => {
  it("all that it wrote is answered, also a last line without an end, and then its conversation is closed", async () => {
    const { gateway } = serveHeld();
    const { input, received, served, clock } = open(gateway);
    input.end(textOf(initialize, call(1, "echo"), call(2, "echo")));
    expect(await served.ended).toBe("the client closed its end");
    expect(received.map(({ id, result }) => [id, result !== undefined])).toEqual([
      [0, true],
      [1, true],
      [2, true],
    ]);
    expect([gateway.stats().clients, clock.pending()]).toEqual([0, 0]);
    await gateway.close();
  });

  it("what is under way may finish, for drainMs and no longer", async () => {
    const { gateway, gates, stopped } = serveHeld();
    const { input, received, served, clock, has } = open(gateway, { drainMs: 500 });
    input.end(textOf(initialize, call(1, "hold"), call(2, "hold")));
    await expect.poll(() => gates.length).toBe(2);
    await expect.poll(() => clock.delays()).toContain(500);
    gates[0]?.();
    await expect.poll(() => has(1)).toBe(true);
    expect(stopped).toEqual([]);
    clock.advance(500);
    await served.ended;
    expect(stopped).toHaveLength(1);
    expect(received.find(({ id }) => id === 2)).toMatchObject({ error: { code: -32_000 } });
    await gateway.close();
  });

  it.each(["output fails", "gateway is closed"])("and then the %s, all ends at once", async (what) => {
    const { gateway, gates, stopped } = serveHeld();
    const { input, output, served, clock } = open(gateway);
    input.end(textOf(initialize, call(1, "hold")));
    await expect.poll(() => gates.length).toBe(1);
    await expect.poll(() => clock.delays()).toContain(2000);
    if (what === "output fails") output.destroy(new Error("EPIPE"));
    else {
      void gateway.close("over", { drainMs: 1 });
      await vi.waitUntil(() => clock.delays().includes(1), 60_000);
      clock.advance(1);
    }
    await served.ended;
    expect(stopped).toHaveLength(1);
    expect(clock.now()).toBeLessThan(2000);
    await expect.poll(() => clock.pending()).toBe(0);
    await gateway.close();
  });

  it("and it was not closed but broke, all ends at once", async () => {
    const { gateway, gates, stopped } = serveHeld();
    const { input, served, clock } = open(gateway);
    input.write(`${textOf(initialize, call(1, "hold"))}\n`);
    await expect.poll(() => gates.length).toBe(1);
    input.destroy(new Error("EIO"));
    await served.ended;
    expect([stopped.length, clock.pending()]).toEqual([1, 0]);
    await gateway.close();
  });

  it.each(["legacy", "modern"])(
    "a question that waits for its answer, and one that comes later, get none (%s)",
    async (era) => {
      const { gateway, jobs, close } = openHeldCalls();
      const { input, received, served } = open(gateway);
      const params = era === "modern" ? { _meta: envelope(elicitation) } : {};
      const messages = [call(1, "call", params), call(2, "call", params)];
      input.write(`${textOf(...(era === "modern" ? [] : [initialize]), ...messages)}\n`);
      await expect.poll(() => jobs.length).toBe(2);
      const asked = jobs[0]?.ask("Sure?");
      await expect.poll(() => JSON.stringify(received)).toContain("Sure?");
      input.end();
      expect(await asked).toBe("cancel null");
      expect(await jobs[1]?.ask("And now?")).toBe("cancel null");
      expect(JSON.stringify(received)).not.toContain("And now?");
      for (const job of jobs) job.end("done");
      await served.ended;
      expect(received.find(({ id }) => id === 2)).toMatchObject({ result: { content: [{ text: "done" }] } });
      await close();
    },
  );

  it("who only listens is not waited for", async () => {
    const { gateway } = serveHeld();
    const { input, received, served, has } = open(gateway);
    const params = { notifications: { toolsListChanged: true }, _meta: envelope() };
    input.write(`${textOf({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params })}\n`);
    await expect.poll(() => received.length).toBe(1);
    input.end(textOf({ jsonrpc: "2.0", id: 2, method: "subscriptions/listen", params }));
    await served.ended;
    expect([has(1), has(2)]).toEqual([true, true]);
    await gateway.close();
  });
});

describe("what a line on the pipes cannot be", () => {
  it("is bytes that are no UTF-8, of which no tool hears", async () => {
    const seen: unknown[] = [];
    const { gateway } = serveTools([tool("see", (args) => JSON.stringify(seen.push(args)))]);
    const { input, received, served } = open(gateway);
    const [head = "", tail = ""] = textOf(call(1, "see", { arguments: { text: "?" } })).split("?");
    input.write(`${textOf(initialize)}\n`);
    input.end(Buffer.concat([Buffer.from(head), Buffer.from([0xff]), Buffer.from(`${tail}\n`)]));
    await served.ended;
    expect(received.find(({ error }) => error !== undefined)).toMatchObject({ id: null, error: { code: -32_700 } });
    expect(seen).toEqual([]);
    await gateway.close();
  });

  it("is a request whose id no number here can say", async () => {
    const { gateway } = serveHeld();
    const { input, received, served } = open(gateway);
    input.end(`${textOf(initialize)}\n{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`);
    await served.ended;
    expect(received.find(({ error }) => error !== undefined)).toMatchObject({ id: null, error: { code: -32_600 } });
    await gateway.close();
  });
});

it.each([Number.NaN, -5, "x"])("no time to finish is %j", async (drainMs) => {
  const { gateway } = serveHeld();
  expect(() => serveStdio(gateway, { drainMs: drainMs as number })).toThrow(/^drainMs of serveStdio\(\) must be/);
  await gateway.close();
});
