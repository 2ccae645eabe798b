import { SpanKind } from "@opentelemetry/api";
import type { ServerEntry } from "@hostside/core";
import { fixtureServer, startHttpFixture, type StdioFixture } from "@hostside/fixtures";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { briefSpan, createObservedHost, disableApi, registerApi } from "./observed-world.ts";

beforeAll(registerApi);
afterAll(disableApi);

interface Way {
  readonly transport: ServerEntry;
  readonly dispose?: () => PromiseLike<void>;
}

const overHttp = (server: { readonly url: string } & AsyncDisposable): Way => ({
  transport: { type: "http", url: server.url },
  dispose: () => server[Symbol.asyncDispose](),
});

async function overPipe(name: StdioFixture): Promise<Way> {
  return { transport: { type: "stdio", ...fixtureServer(name) } };
}

const modernVersion = "2026-07-28";
const legacyVersion = "2025-11-25";
const tcp = { "network.transport": "tcp", "server.address": "127.0.0.1", "server.port": "number" };
const pipe = { "network.transport": "pipe" };
const ways = [
  ["stdio, legacy", { version: legacyVersion, network: pipe, reach: () => overPipe("legacy-stdio") }],
  ["stdio, modern", { version: modernVersion, network: pipe, reach: () => overPipe("modern-only-stdio") }],
  [
    "HTTP, legacy",
    { version: legacyVersion, network: tcp, reach: async () => overHttp(await startHttpFixture("legacy-http")) },
  ],
  [
    "HTTP, modern",
    { version: modernVersion, network: tcp, reach: async () => overHttp(await startHttpFixture("modern-http")) },
  ],
] as const;

describe("a conversation over", () => {
  it.each(ways)("%s has these spans and these metrics", async (_name, { version, network, reach }) => {
    const { transport, dispose } = await reach();
    const host = await createObservedHost({ servers: [{ id: "s", ...transport }] });
    const { toolbox, exported, provider } = host;
    const context = { principal: "ada", conversation: "c-1", correlationId: "job-7" };
    await toolbox.call("mcp_s_echo", { text: "hello" }, { context });
    await toolbox.call("mcp_s_fail", {}, { context }).catch(() => undefined);
    await host[Symbol.asyncDispose]();
    await dispose?.();

    const peer = { "mcp.protocol.version": version, ...network };
    const server = { "hostside.server": "s" };
    const beginning = version === modernVersion ? "server/discover" : "initialize";
    const call = {
      "gen_ai.operation.name": "execute_tool",
      "mcp.method.name": "tools/call",
      ...server,
      ...peer,
      "hostside.effect": "external",
      "gen_ai.conversation.id": "c-1",
      "hostside.correlation.id": "job-7",
      "hostside.sends": 1,
      "hostside.session": 1,
      "hostside.wait": "number",
      "jsonrpc.request.id": "string",
      "hostside.sent_bytes": "number",
      "hostside.received_bytes": "number",
    };
    expect(exported.spans().map(briefSpan)).toEqual([
      {
        name: beginning,
        kind: SpanKind.CLIENT,
        attributes: { "mcp.method.name": beginning, ...server, ...peer, "hostside.session": 1 },
      },
      {
        name: "tools/list",
        kind: SpanKind.CLIENT,
        attributes: {
          "mcp.method.name": "tools/list",
          ...server,
          ...peer,
          "hostside.session": 1,
          "hostside.tools": expect.any(Number),
        },
      },
      {
        name: "tools/call echo",
        kind: SpanKind.CLIENT,
        attributes: { ...call, "gen_ai.tool.name": "echo", "hostside.tool": "mcp_s_echo", "hostside.outcome": "ok" },
      },
      {
        name: "tools/call fail",
        kind: SpanKind.CLIENT,
        status: "tool_error",
        attributes: {
          ...call,
          "gen_ai.tool.name": "fail",
          "hostside.tool": "mcp_s_fail",
          "hostside.outcome": "tool-error",
          "error.type": "tool_error",
        },
      },
    ]);
    const measured = await exported.points("mcp.client.operation.duration");
    expect(measured.map(({ attributes, value }) => [JSON.stringify(attributes).includes("tool_error"), value])).toEqual(
      expect.arrayContaining([
        [false, 1],
        [true, 1],
      ]),
    );
    expect(measured).toHaveLength(4);
    expect(await exported.points("mcp.client.session.duration")).toMatchObject([{ value: 1 }]);
    expect(await exported.points("hostside.sessions")).toEqual([{ attributes: server, value: 0 }]);
    expect(provider.closed).toBe(true);
  });
});
