import type { CallObserver, ServerEntry } from "@hostside/core";
import { fixtureServer, startFaultServer, startHttpFixture } from "@hostside/fixtures";
import { describe, expect, it } from "vitest";
import { connect } from "../src/index.ts";
import { createServerV1, memory } from "./in-process-servers.ts";

type CallExchange = Parameters<NonNullable<CallObserver["onExchange"]>>[0];

interface Reached extends AsyncDisposable {
  readonly transport: ServerEntry;
}

const nothing = async (): Promise<void> => {};

const ways = {
  "stdio, legacy": async () => reached({ type: "stdio", ...fixtureServer("legacy-stdio") }),
  "stdio, modern": async () => reached({ type: "stdio", ...fixtureServer("modern-only-stdio") }),
  "Streamable HTTP, legacy": async () => reachedOver(await startHttpFixture("legacy-http")),
  "Streamable HTTP, modern": async () => reachedOver(await startHttpFixture("modern-http")),
  "HTTP+SSE": async () => reachedOver(await startHttpFixture("sse-only")),
};

function reached(transport: ServerEntry, dispose = nothing): Reached {
  return { transport, [Symbol.asyncDispose]: dispose };
}

function reachedOver(server: { readonly url: string } & AsyncDisposable): Reached {
  return reached({ type: "http", url: server.url }, async () => server[Symbol.asyncDispose]());
}

describe("CallOptions.observer", () => {
  it.each(Object.entries(ways))("hears of the size of both messages over %s", async (_way, reach) => {
    await using server = await reach();
    const connection = await connect({ id: "s", ...server.transport });
    const exchanges: CallExchange[] = [];
    const observer = { onExchange: (exchange: CallExchange) => exchanges.push(exchange) };
    const small = await connection.callTool("echo", { text: "x" }, { observer });
    const large = await connection.callTool("echo", { text: "€".repeat(1000) }, { observer });
    await connection.callTool("echo", { text: "unobserved" });
    expect(exchanges).toHaveLength(2);
    const [first, second] = exchanges;
    expect(typeof first?.requestId).toBe("number");
    expect((second?.sentBytes ?? 0) - (first?.sentBytes ?? 0)).toBe(2999);
    const growth = Buffer.byteLength(JSON.stringify(large)) - Buffer.byteLength(JSON.stringify(small));
    expect((second?.receivedBytes ?? 0) - (first?.receivedBytes ?? 0)).toBe(growth);
    expect(first?.receivedBytes).toBeGreaterThan(Buffer.byteLength(JSON.stringify(small)));
    await connection.close();
  });

  it("says what left in memory, and that no answer came of what was given up", async () => {
    await using server = await startFaultServer({
      transport: "stdio",
      script: { rules: [{ on: "tools/call", do: [{ type: "hold", barrier: "for ever" }] }] },
    });
    const connection = await connect({ id: "s", ...server.spec });
    const exchanges: CallExchange[] = [];
    const observer = { onExchange: (exchange: CallExchange) => exchanges.push(exchange) };
    await expect(connection.callTool("echo", {}, { observer, timeoutMs: 100 })).rejects.toMatchObject({
      code: "call_timeout",
    });
    expect(exchanges).toMatchObject([{ sentBytes: expect.any(Number), receivedBytes: undefined }]);
    await connection.close();

    const inMemory = await connect({ id: "m", ...memory((end) => createServerV1().connect(end)) });
    await inMemory.request("tools/list", {}, { observer });
    expect(exchanges[1]?.sentBytes).toBeGreaterThan(30);
    await inMemory.close();
  });

  it("has the id of a session only where the server opened one", async () => {
    await using legacy = await startHttpFixture("legacy-http");
    await using modern = await startHttpFixture("modern-http");
    const first = await connect({ id: "a", type: "http", url: legacy.url });
    const second = await connect({ id: "b", type: "http", url: modern.url });
    expect([typeof first.sessionId, second.sessionId]).toEqual(["string", undefined]);
    await first.close();
    await second.close();
  });
});
