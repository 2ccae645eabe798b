import type { Diagnostic, ServerSpec, HttpEntry } from "@hostside/core";
import type { ServerResponse } from "node:http";
import { describe, expect, it } from "vitest";
import { connect, createConnector } from "../src/index.ts";
import { version } from "../src/opening/connection-context.ts";
import { reply, replyAsLegacy, startLoopback, type LoopbackServer, type SeenRequest } from "./loopback-server.ts";

describe("the probe over HTTP", () => {
  const probes: readonly { name: string; answer: (response: ServerResponse, id: unknown) => void }[] = [
    {
      name: "method not found",
      answer: (response, id) => reply(response, 200, { jsonrpc: "2.0", id, error: { code: -32_601, message: "?" } }),
    },
    {
      name: "400 with id null",
      answer: (response) => reply(response, 400, { jsonrpc: "2.0", id: null, error: { code: -32_600, message: "?" } }),
    },
    {
      name: "200 with id null",
      answer: (response) => reply(response, 200, { jsonrpc: "2.0", id: null, error: { code: -32_600, message: "?" } }),
    },
    {
      name: "404 and a page",
      answer: (response) => response.writeHead(404, { "content-type": "text/html" }).end("<h1>Not found</h1>"),
    },
    { name: "an empty result", answer: (response, id) => reply(response, 200, { jsonrpc: "2.0", id, result: {} }) },
    { name: "a null result", answer: (response, id) => reply(response, 200, { jsonrpc: "2.0", id, result: null }) },
    { name: "an empty object", answer: (response) => reply(response, 200, {}) },
    { name: "204", answer: (response) => reply(response, 204) },
    { name: "500", answer: (response) => reply(response, 500) },
    { name: "202 and nothing", answer: (response) => reply(response, 202) },
    { name: "a wrong id", answer: (response) => reply(response, 200, { jsonrpc: "2.0", id: 99, result: {} }) },
    {
      name: "a stream that ends",
      answer: (response) => response.writeHead(200, { "content-type": "text/event-stream" }).end(),
    },
    { name: "a reset", answer: (response) => response.destroy() },
    { name: "nothing, ever", answer: () => undefined },
    {
      name: "a silent stream",
      answer: (response) => response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders(),
    },
  ];

  it.each(probes)("falls back to initialize after $name", async ({ name, answer }) => {
    await using server = await startLoopback((request, response) => {
      const { message } = request;
      if (message["method"] === "server/discover") answer(response, message["id"]);
      else replyAsLegacy(request, response);
    });
    const isSilent = name === "nothing, ever" || name === "a silent stream";
    const connection = await connect(spec(server, isSilent ? { timeouts: { connectMs: 4000, probeMs: 10 } } : {}));
    expect(connection.server.era).toBe("legacy");
    await expect(connection.callTool("echo", {})).resolves.toEqual({ content: [] });
    await connection.close();
    expect(server.methods().filter((method) => method === "initialize")).toHaveLength(1);
  });

  it("waits for a slow server's answer, far beyond probeMs, before anything else is sent", async () => {
    await using server = await startLoopback((request, response) => {
      const discovery = setTimeout(() => replyAsModern(request, response), 300);
      response.on("close", () => clearTimeout(discovery));
    });
    const connection = await connect(spec(server, { timeouts: { probeMs: 10 } }));
    expect(connection.server.era).toBe("modern");
    await connection.close();
    expect(server.methods()).toEqual(["server/discover"]);
  });

  it.each(["ping first", "the probe first"])(
    "sends a server that is slow to answer anything no initialize (%s)",
    async (order) => {
      const held: (() => void)[] = [];
      await using server = await startLoopback((request, response) => {
        held.push(() => replyAsModern(request, response));
        if (request.message["method"] === "server/discover") return;
        for (const answer of order === "ping first" ? held.toReversed() : held) answer();
      });
      const connection = await connect(spec(server, { timeouts: { connectMs: 4000, probeMs: 10 } }));
      expect(connection.server.era).toBe("modern");
      await connection.close();
      expect(server.methods()).toEqual(["server/discover", "ping"]);
    },
  );

  it("falls back to initialize within a short connectMs, with the default probeMs", async () => {
    await using server = await startLoopback((request, response) => {
      if (request.message["method"] !== "server/discover") replyAsLegacy(request, response);
    });
    const connection = await connect(spec(server, { timeouts: { connectMs: 6000 } }));
    expect(connection.server.era).toBe("legacy");
    await connection.close();
  });

  it.each([
    ["503", (response: ServerResponse) => reply(response, 503)],
    ["429", (response: ServerResponse) => reply(response, 429)],
    [
      "a refusal of 2026-07-28",
      (response: ServerResponse, id: unknown) =>
        reply(response, 400, { jsonrpc: "2.0", id, error: { code: -32_020, message: "not without headers" } }),
    ],
  ] as const)("takes %s to ping for no sign of an old server", async (_, answer) => {
    await using server = await startLoopback((request, response) => {
      if (request.message["method"] === "ping") answer(response, request.message["id"]);
    });
    await expect(connect(spec(server, { timeouts: { connectMs: 1500, probeMs: 10 } }))).rejects.toMatchObject({
      code: "connect_timeout",
      details: { operation: "server/discover" },
    });
    expect(server.methods()).toEqual(["server/discover", "ping"]);
  });

  it.each([-32_020, -32_021, -32_022])(
    "leads back to 2026-07-28 when initialize is refused with %s after a probe that failed",
    async (code) => {
      let probes = 0;
      await using server = await startLoopback((request, response) => {
        const { id, method } = request.message;
        if (method === "server/discover" && (probes += 1) === 1) reply(response, 503);
        else if (method !== "initialize") replyAsModern(request, response);
        else reply(response, 400, { jsonrpc: "2.0", id, error: { code, message: "not in this revision" } });
      });
      const connection = await connect(spec(server));
      expect(connection.server.era).toBe("modern");
      await connection.close();
      expect(server.methods()).toEqual(["server/discover", "initialize", "server/discover"]);
    },
  );

  it.each([
    { status: 401, code: "auth_required" },
    { status: 403, code: "forbidden" },
  ])("ends with $code at $status, after one request: no fallback, no initialize, no SSE", async ({ status, code }) => {
    await using server = await startLoopback((_request, response) => reply(response, status));
    await expect(connect(spec(server))).rejects.toMatchObject({ code, serverId: "srv", outcome: "not-sent" });
    expect(server.methods()).toEqual(["server/discover"]);
  });

  it("ends at once when nobody listens", async () => {
    const { url } = await startLoopback(() => undefined).then(async (server) => {
      await server[Symbol.asyncDispose]();
      return server;
    });
    await expect(connect({ id: "srv", type: "http", url })).rejects.toMatchObject({
      code: "unreachable",
    });
  });
});

describe("the fallback to SSE", () => {
  it.each([400, 404, 405, 415])("is tried at %s, and when that fails, too, both failures are told", async (status) => {
    await using server = await startLoopback((_request, response) => reply(response, status));
    const failure: unknown = await connect(spec(server)).catch((error: unknown) => error);
    expect(server.methods()).toEqual(["server/discover", "initialize", "GET"]);
    expect(failure).toMatchObject({
      code: "http_error",
      details: { httpStatus: status, operation: "initialize" },
      cause: { errors: [{ code: "http_error" }, { code: "http_error" }, { code: "http_error" }] },
    });
  });

  it.each([402, 410, 500])("is not tried at %s", async (status) => {
    await using server = await startLoopback((_request, response) => reply(response, status));
    await expect(connect(spec(server))).rejects.toMatchObject({ details: { httpStatus: status } });
    expect(server.methods()).toEqual(["server/discover", "initialize"]);
  });

  it("is not tried when the mode is streamable", async () => {
    await using server = await startLoopback((_request, response) => reply(response, 405));
    await expect(connect(spec(server, {}, "streamable"))).rejects.toMatchObject({ code: "http_error" });
    expect(server.methods()).toEqual(["server/discover", "initialize"]);
  });

  it("comes first when the mode is sse", async () => {
    await using server = await startLoopback((_request, response) => reply(response, 405));
    await expect(connect(spec(server, {}, "sse"))).rejects.toMatchObject({ code: "http_error" });
    expect(server.methods()).toEqual(["GET"]);
  });
});

describe("what was found out about a server", () => {
  it("saves the probe from then on, in one connector", async () => {
    await using server = await startLoopback(replyAsLegacy);
    const connector = createConnector();
    for (let count = 0; count < 2; count += 1) await open(connector, server);
    expect(server.methods().filter((method) => method === "server/discover")).toHaveLength(1);
  });

  it("is kept for each address and credentials", async () => {
    await using server = await startLoopback(replyAsLegacy);
    const connector = createConnector();
    for (const bearerToken of ["s3cret-token", "s3cret-token", "other-token"]) {
      await open(connector, server, { bearerToken });
    }
    expect(server.methods().filter((method) => method === "server/discover")).toHaveLength(2);
  });

  it("is not kept when a server was only slow", async () => {
    await using server = await startLoopback((request, response) => {
      if (request.message["method"] !== "server/discover") replyAsLegacy(request, response);
    });
    const connector = createConnector();
    for (let count = 0; count < 2; count += 1)
      await open(connector, server, { timeouts: { connectMs: 4000, probeMs: 10 } });
    expect(server.methods().filter((method) => method === "server/discover")).toHaveLength(2);
  });
});

describe("initialize on the wire", () => {
  it.each([
    { name: "nothing", options: {}, capabilities: {} },
    {
      name: "elicitation, when somebody answers",
      options: { onElicit: async () => ({ action: "decline" }) as const },
      capabilities: { elicitation: { form: {}, url: {} } },
    },
  ])("offers $name; no roots, no sampling, no logging", async ({ options, capabilities }) => {
    await using server = await startLoopback(replyAsLegacy);
    const connection = await connect(spec(server), options);
    await connection.close();
    const initialize = server.seen.find(({ message }) => message["method"] === "initialize");
    expect(initialize?.message["params"]).toEqual({
      protocolVersion: "2025-11-25",
      capabilities,
      clientInfo: { name: "hostside", version },
    });
  });
});

describe("the handshake of a legacy server", () => {
  it("is over before the connection is handed out: initialize with id 0, then the notification", async () => {
    await using server = await startLoopback(replyAsLegacy);
    const connection = await connect(spec(server, { era: "legacy" }));
    const posted = server.seen.filter(({ httpMethod }) => httpMethod === "POST").map(({ message }) => message);
    expect(posted).toMatchObject([
      { jsonrpc: "2.0", id: 0, method: "initialize" },
      { jsonrpc: "2.0", method: "notifications/initialized" },
    ]);
    expect(posted[1]).not.toHaveProperty("id");
    await connection.close();
  });
});

describe("an era that the spec insists on", () => {
  it("goes straight to initialize for legacy", async () => {
    await using server = await startLoopback(replyAsLegacy);
    await open(createConnector(), server, { era: "legacy" });
    expect(server.methods()[0]).toBe("initialize");
  });

  it("never goes to initialize for 2026-07-28", async () => {
    await using server = await startLoopback(replyAsLegacy);
    const connecting = open(createConnector(), server, { era: "2026-07-28" });
    await expect(connecting).rejects.toMatchObject({ code: "unsupported_protocol", details: { httpStatus: 400 } });
    expect(server.methods()).toEqual(["server/discover"]);
  });
});

describe("another revision than the one that was asked for", () => {
  it.each(["2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"])("is taken: %s", async (revision) => {
    await using server = await startLoopback((request, response) => {
      if (request.message["method"] !== "initialize") return replyAsLegacy(request, response);
      const result = {
        protocolVersion: revision,
        capabilities: { tools: {} },
        serverInfo: { name: "old", version: "1" },
      };
      reply(response, 200, { jsonrpc: "2.0", id: request.message["id"], result });
    });
    const connection = await connect(spec(server, { era: "legacy" }));
    expect(connection.server.protocolVersion).toBe(revision);
    await connection.close();
  });
});

describe("the deadline of a connection", () => {
  it("is one for all attempts together, and has an error of its own that names what was not answered", async () => {
    await using server = await startLoopback(() => undefined);
    const connecting = connect(spec(server, { timeouts: { connectMs: 400, probeMs: 100 } }));
    await expect(connecting).rejects.toMatchObject({
      code: "connect_timeout",
      details: { timeoutMs: 400, operation: "server/discover" },
    });
  });

  it("gives way to the caller's abort", async () => {
    const controller = new AbortController();
    await using server = await startLoopback(() => controller.abort("enough"));
    const connecting = connect(spec(server), { signal: controller.signal });
    await expect(connecting).rejects.toMatchObject({ code: "aborted", outcome: "not-sent" });
    expect(server.methods()).toEqual(["server/discover"]);
  });
});

describe("a fallback", () => {
  it("is told when it is out of the ordinary, and not when a legacy server merely does not know the probe", async () => {
    const tell = async (
      answer: (request: SeenRequest, response: ServerResponse) => void,
    ): Promise<readonly string[]> => {
      await using server = await startLoopback(answer);
      const diagnostics: Diagnostic[] = [];
      const connection = await connect(spec(server), { onDiagnostic: (each) => diagnostics.push(each) });
      await connection.close();
      return diagnostics.filter(({ kind }) => kind === "fallback").map(({ message }) => message);
    };
    await expect(tell(replyAsLegacy)).resolves.toEqual([]);
    const reported = await tell((request, response) =>
      request.message["method"] === "server/discover" ? reply(response, 502) : replyAsLegacy(request, response),
    );
    expect(reported).toEqual([
      expect.stringMatching(/^server "srv": server\/discover failed with http_error; trying initialize \(.*HTTP 502/),
    ]);
  });
});

function replyAsModern({ message }: SeenRequest, response: ServerResponse): void {
  const result = { supportedVersions: ["2026-07-28"], capabilities: {} };
  reply(response, 200, { jsonrpc: "2.0", id: message["id"], result });
}

function spec({ url }: LoopbackServer, members: Partial<HttpEntry> = {}, mode?: "streamable" | "sse"): ServerSpec {
  return { id: "srv", type: "http", url, ...(mode && { mode }), ...members };
}

async function open(
  connector: ReturnType<typeof createConnector>,
  server: LoopbackServer,
  members: Partial<HttpEntry> = {},
): Promise<void> {
  const hooks = { onToolsChanged: () => undefined, onDown: () => undefined };
  const connection = await connector.connect(spec(server, members), hooks, new AbortController().signal);
  await connection.close();
}
