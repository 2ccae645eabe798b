import type { ElicitationRequest, ServerTimeouts } from "@hostside/core";
import { startFaultServer } from "@hostside/fixtures";
import { describe, expect, it } from "vitest";
import { createConnector } from "../src/connector.ts";

/**
 * Connects to a server that plays a fault over HTTP, and counts the questions that reach a human,
 * who declines.
 */
async function meet(fault: string, timeouts: Partial<ServerTimeouts> = {}) {
  const server = await startFaultServer({ script: fault, transport: "http" });
  const asked: ElicitationRequest[] = [];
  const connection = await createConnector().connect(
    { id: "web", type: "http", url: server.url, timeouts },
    {
      onToolsChanged: () => undefined,
      onDown: () => undefined,
      async onElicit(request) {
        asked.push(request);
        if (fault === "call-question-and-silence") return new Promise(() => undefined);
        return { action: "decline" };
      },
    },
    new AbortController().signal,
  );
  return {
    asked,
    call: () => connection.callTool("echo", { text: "hello" }),
    async [Symbol.asyncDispose]() {
      await connection.close();
      await server.close();
    },
  };
}

describe("a call over HTTP", () => {
  it.each([
    ["stream-deep-answer", "protocol_error"],
    ["stream-broken-answer", "protocol_error"],
    ["http-brotli-bomb", "http_error"],
  ])("fails at once when its server plays %s, and the next one may work", async (fault, code) => {
    await using server = await meet(fault);
    await expect(server.call()).rejects.toMatchObject({ code, outcome: "unknown" });
    await expect(server.call()).resolves.toMatchObject({ content: [{ text: "hello" }] });
  });

  it("works on while its server asks 300 questions, of which a bounded number reaches a human", async () => {
    await using server = await meet("call-question-flood");
    await expect(server.call()).resolves.toMatchObject({ content: [{ text: "hello" }] });
    expect(server.asked.length).toBeGreaterThan(0);
    expect(server.asked.length).toBeLessThanOrEqual(16);
  });

  it("ends by its deadline when its server asks and falls silent", async () => {
    await using server = await meet("call-question-and-silence", { callMs: 500, elicitTotalMs: 500 });
    await expect(server.call()).rejects.toMatchObject({ code: "call_timeout", outcome: "unknown" });
    expect(server.asked).toHaveLength(1);
  });

  it("is not preceded by questions from before the handshake was over", async () => {
    await using server = await meet("handshake-early-question");
    await server.call();
    expect(server.asked).toEqual([]);
  });
});
