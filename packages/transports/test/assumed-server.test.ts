import type { Connection, RemoteTool, ServerSpec, HostsideError, EntrySettings } from "@hostside/core";
import type { ConnectionHooks, KnownServer } from "@hostside/core/implement";
import { startHttpFixture } from "@hostside/fixtures";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { createConnector } from "../src/index.ts";
import { thrownBy } from "./open-http-transport.ts";
import { reply, replyAsLegacy, startLoopback, type LoopbackServer, type SeenRequest } from "./loopback-server.ts";

const region = { type: "string", "x-mcp-header": "Region" };
const tool: RemoteTool = { name: "echo", inputSchema: { type: "object", properties: { region } } };
const known: KnownServer = {
  server: { era: "modern", protocolVersion: "2026-07-28", capabilities: { tools: { listChanged: true } } },
  tools: [tool],
};

describe("a connection to a server that is known", () => {
  it("sends the first call first, with its headers, and listens to changes when that was answered", async () => {
    await using server = await startModern();
    const { connection } = await open(server);
    expect([connection.isAssumed, server.methods()]).toEqual([true, []]);
    // A connector that wraps another one hands out copies.
    expect({ ...connection }).toMatchObject({ isAssumed: true, sessionId: undefined });
    await connection.callTool("echo", { region: "eu" });
    expect(connection.isAssumed).toBe(false);
    expect(server.methods()[0]).toBe("tools/call");
    expect(server.seen[0]?.headers).toMatchObject({
      "mcp-protocol-version": "2026-07-28",
      "mcp-name": "echo",
      "mcp-param-region": "eu",
    });
    await expect.poll(() => server.methods()).toEqual(["tools/call", "subscriptions/listen"]);
    await connection.close();
  });

  it.each([400, 404, 405, 415])(
    "says that the call did not run when it is refused with HTTP %i, and is over",
    async (status) => {
      await using server = await startLoopback((_request, response) => reply(response, status));
      const { connection, down } = await open(server);
      const error = await thrownBy(connection.callTool("echo", {}));
      expect(error).toMatchObject({
        code: "unsupported_protocol",
        outcome: "failed",
        serverId: "srv",
        toolName: "echo",
      });
      expect(String(error)).toContain(`HTTP ${status}`);
      await expect.poll(() => down).toMatchObject([{ code: "unsupported_protocol" }]);
      expect(server.methods()).toEqual(["tools/call"]);
      await connection.close();
    },
  );

  it("takes the error for an unknown revision for the same", async () => {
    const error = { code: -32_022, message: "no", data: { supported: ["2027-01-01"] } };
    await using server = await startLoopback(({ message }, response) =>
      reply(response, 400, { jsonrpc: "2.0", id: message["id"], error }),
    );
    const { connection, down } = await open(server);
    const failure = { code: "unsupported_protocol", outcome: "failed" };
    expect(await thrownBy(connection.callTool("echo", {}))).toMatchObject(failure);
    await expect.poll(() => down).toMatchObject([failure]);
  });

  it("hands on an error that a tool could have said, and is over", async () => {
    const error = { code: -32_000, message: "Server not initialized" };
    await using server = await startLoopback(({ message }, response) =>
      reply(response, 200, { jsonrpc: "2.0", id: message["id"], error }),
    );
    const { connection, down } = await open(server);
    expect(await thrownBy(connection.callTool("echo", {}))).toMatchObject({ code: "server_error", outcome: "failed" });
    await expect.poll(() => down.map(({ code }) => code)).toEqual(["unsupported_protocol"]);
    expect(server.methods()).toEqual(["tools/call"]);
  });

  it("says that the tools changed when the server does not know the tool any more", async () => {
    await using server = await startLoopback((request, response) => {
      if (request.message["method"] !== "tools/call") return replyAsModern(request, response);
      const error = { code: -32_602, message: "Unknown tool: echo" };
      reply(response, 400, { jsonrpc: "2.0", id: request.message["id"], error });
    });
    const { connection, changes } = await open(server);
    expect(await thrownBy(connection.callTool("echo", {}))).toMatchObject({ code: "tool_removed" });
    expect(changes).toHaveLength(1);
    await connection.close();
  });

  it("learns nothing from a server that cannot be reached", async () => {
    const { connection, down } = await open({ url: "http://127.0.0.1:9/mcp" });
    expect(await thrownBy(connection.callTool("echo", {}))).toMatchObject({ code: "unreachable", outcome: "not-sent" });
    expect([connection.isAssumed, down]).toEqual([true, []]);
    await connection.close();
  });

  it("subscribes to a resource before any call", async () => {
    const server = await startHttpFixture("library-http");
    const capabilities = { tools: {}, resources: { subscribe: true } };
    const { connection } = await open(server, { known: { ...known, server: { ...known.server, capabilities } } });
    const end = await connection.subscribeResource("note://first");
    expect(end).toBeTypeOf("function");
    end();
    await connection.close();
    await server.close();
  });

  const legacy = { ...known, server: { ...known.server, era: "legacy", protocolVersion: "2025-11-25" } } as const;
  it.each<[string, Partial<EntrySettings>, KnownServer]>([
    ["that was a legacy one", {}, legacy],
    ["that the host says is one", { era: "legacy" }, known],
    ["of another revision", {}, { ...known, server: { ...known.server, protocolVersion: "2027-01-01" } }],
  ])("greets a server as ever %s", async (_what, spec, other) => {
    await using server = await startLoopback(replyAsLegacy);
    const { connection } = await open(server, { spec, known: other });
    expect(connection.server.era).toBe("legacy");
    expect(connection.isAssumed).toBe(false);
    expect(server.methods()).toContain("initialize");
    await connection.close();
  });
});

interface Opened {
  readonly connection: Connection;
  readonly down: readonly HostsideError[];
  readonly changes: readonly unknown[];
}

async function open(
  { url }: { readonly url: string },
  { spec = {}, known: what = known }: { readonly spec?: Partial<EntrySettings>; readonly known?: KnownServer } = {},
): Promise<Opened> {
  const down: HostsideError[] = [];
  const changes: unknown[] = [];
  const hooks: ConnectionHooks = {
    known: what,
    onToolsChanged: () => void changes.push(1),
    onDown: (error) => void down.push(error),
  };
  const signal = new AbortController().signal;
  const given: ServerSpec = { id: "srv", type: "http", url, ...spec };
  return { connection: await createConnector().connect(given, hooks, signal), down, changes };
}

function startModern(): Promise<LoopbackServer> {
  return startLoopback(replyAsModern);
}

function replyAsModern({ message }: SeenRequest, response: ServerResponse): void {
  const { id, method } = message;
  if (method === "subscriptions/listen") {
    response.writeHead(200, { "content-type": "text/event-stream" });
    return void response.write(": here\n\n");
  }
  const result = {
    resultType: "complete",
    ...(method === "server/discover"
      ? { supportedVersions: ["2026-07-28"], capabilities: { tools: {} } }
      : { content: [] }),
  };
  reply(response, 200, { jsonrpc: "2.0", id, result });
}
