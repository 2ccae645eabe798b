import type { ServerSpec } from "@hostside/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startHttpFixture } from "@hostside/fixtures";
import {
  connect,
  createConnector,
  type AuthorizationRequest,
  type HeaderRequest,
  type ServerCredentials,
} from "../src/index.ts";
import { startRecordingServer, type RecordingServer } from "./recording-server.ts";

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

describe("a principal", () => {
  it("reaches the authorization provider with whether a user waits, and no server", async () => {
    const server = await record();
    const asked: AuthorizationRequest[] = [];
    const authProvider = (_spec: ServerSpec, request: AuthorizationRequest): ServerCredentials => {
      asked.push(request);
      return {
        headersFor: async () => ({ authorization: `Bearer token-of-${request.principal}` }),
        onRefused: async () => undefined,
      };
    };
    for (const principal of ["ann", "bob"]) {
      const connection = await connect(specOf(server, { auth: "oauth" }), {
        authProvider,
        principal,
        isInteractive: () => false,
      });
      closers.push(() => connection.close());
      await connection.callTool("echo", { text: "x" });
      const sent = server.requests.at(-1);
      expect(sent?.headers["authorization"]).toBe(`Bearer token-of-${principal}`);
      expect(sent?.body).not.toContain(principal);
    }
    expect(asked).toEqual(
      ["ann", "bob"].map((principal) => ({ principal, interactive: false, fetch: expect.any(Function) })),
    );
  });

  it("has what is held for them cleared, and nothing where there is nothing", async () => {
    const asked: AuthorizationRequest[] = [];
    const forgotten: string[] = [];
    const source = {
      headersFor: async () => ({ authorization: "Bearer token-1" }),
      onRefused: async () => undefined,
      clear: async () => void forgotten.push("all"),
    };
    const connector = createConnector({
      authProvider(_spec, request) {
        asked.push(request);
        return source;
      },
    });
    const oauth = { id: "a", type: "http", url: "https://a.test/", auth: "oauth" } as const;
    await connector.clearCredentials?.(oauth, { principal: "ann" });
    expect(forgotten).toEqual(["all"]);
    expect(asked).toEqual([{ principal: "ann", interactive: false, fetch: expect.any(Function) }]);
    await connector.clearCredentials?.({ id: "a", type: "stdio", command: "a" });
    await connector.clearCredentials?.({ id: "a", type: "http", url: "https://a.test/" });
    expect(forgotten).toHaveLength(1);
  });
});

it("hands the context of a call to no transport that somebody else wrote", async () => {
  const given: string[] = [];
  const transport = {
    onmessage: (_message: object): void => undefined,
    start: async () => undefined,
    close: async () => undefined,
    async send({ id, method }: { id?: number; method: string }, options?: object) {
      given.push(JSON.stringify(options ?? {}));
      const result =
        method === "initialize"
          ? { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "own", version: "1" } }
          : { content: [] };
      if (id !== undefined) queueMicrotask(() => transport.onmessage({ jsonrpc: "2.0", id, result }));
    },
  };
  const spec: ServerSpec = { id: "own", type: "custom", open: () => transport, era: "legacy" };
  const connection = await connect(spec);
  closers.push(() => connection.close());
  await connection.callTool("echo", {}, { context: { principal: "ann" } });
  expect(given.join()).not.toContain("ann");
});

describe("headers of the host's own", () => {
  it("are made for each request from what it is and for whom, and go beside those of the spec", async () => {
    const server = await record();
    const asked: HeaderRequest[] = [];
    const connection = await connect(specOf(server, { headers: { "x-fixed": "1", "x-tenant": "none" } }), {
      principal: "ann",
      headersFor(spec, request) {
        expect(spec.id).toBe("srv");
        asked.push(request);
        return request.context === undefined ? undefined : { "X-Tenant": request.context.conversation ?? "" };
      },
    });
    closers.push(() => connection.close());
    await connection.callTool("echo", { text: "x" }, { context: { conversation: "c-7" } });
    const sent = server.requests.at(-1);
    expect(sent?.headers).toMatchObject({ "x-fixed": "1", "x-tenant": "c-7" });
    expect(sent?.body).not.toContain("c-7");
    expect(asked.at(-1)).toEqual({
      method: "tools/call",
      toolName: "echo",
      principal: "ann",
      context: { conversation: "c-7" },
    });
    await connection.request("tools/list", {}, { context: { conversation: "c-8" } });
    expect(server.requests.at(-1)?.headers["x-tenant"]).toBe("c-8");
    await connection.request("tools/list");
    expect(server.requests.at(-1)?.headers["x-tenant"]).toBe("none");
  });

  it("know the context of whatever is sent on behalf of a call, of a listing too", async () => {
    const server = await record();
    const connection = await connect(specOf(server, {}), {
      headersFor: (_spec, { context }) => (context?.role === undefined ? {} : { "x-role": context.role }),
    });
    closers.push(() => connection.close());
    const context = { role: "clerk" };
    await connection.listTools({ context });
    expect(server.requests.at(-1)?.headers["x-role"]).toBe("clerk");
    const controller = new AbortController();
    const calling = connection.callTool("never", {}, { context, signal: controller.signal });
    await vi.waitFor(() => expect(server.requests.at(-1)?.body).toContain("never"), 60_000);
    controller.abort();
    await expect(calling).rejects.toMatchObject({ code: "aborted" });
    await vi.waitFor(() => expect(server.requests.at(-1)?.body).toContain("notifications/cancelled"), 60_000);
    expect(server.requests.at(-1)?.headers["x-role"]).toBe("clerk");
  });

  it.each([
    { name: "one that the transport sets", headers: { "Mcp-Session-Id": "x" }, says: "Mcp-Session-Id" },
    { name: "an illegal name", headers: { "x y": "z" }, says: "no name of a header" },
    { name: "an illegal value", headers: { "x-a": "s3cret\r\nx-b: 1" }, says: "no header can carry" },
    { name: "a value that is no text", headers: { "x-a": 7 }, says: "no header can carry" },
    {
      name: "the connection's own credentials",
      headers: { authorization: "Bearer s3cret" },
      says: "credentials of its own",
    },
    { name: "no object", headers: "x-a: s3cret", says: "no object of headers" },
    { name: "a promise", headers: Promise.resolve({}), says: "no object of headers" },
  ])("are refused, and the request with them: $name", async ({ headers, says }) => {
    const server = await record();
    const connection = await connect(specOf(server, { bearerToken: "token-1" }), {
      headersFor: (_spec, { context }) => (context === undefined ? undefined : (headers as never)),
    });
    closers.push(() => connection.close());
    const before = server.requests.length;
    const failure = await connection
      .callTool("echo", { text: "x" }, { context: { principal: "ann" } })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "internal_error", outcome: "not-sent", serverId: "srv" });
    expect(String(failure)).toContain(says);
    expect(String(failure)).not.toContain("s3cret");
    expect(server.requests).toHaveLength(before);
    await connection.callTool("echo", { text: "x" });
  });

  it("are refused when they come later, whatever becomes of the promise", async () => {
    const unhandled = vi.fn<(reason: unknown) => void>();
    process.on("unhandledRejection", unhandled);
    try {
      const server = await record();
      const headersFor = (async () => Promise.reject(new Error("no such tenant"))) as never;
      await expect(connect(specOf(server, {}), { headersFor })).rejects.toMatchObject({ code: "internal_error" });
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      expect(unhandled).not.toHaveBeenCalled();
    } finally {
      process.off("unhandledRejection", unhandled);
    }
  });

  it("are credentials that a server can refuse", async () => {
    const server = await record();
    const connection = await connect(specOf(server, {}), {
      headersFor: (_spec, { context }) => (context === undefined ? {} : { authorization: "Bearer of-the-tenant" }),
    });
    closers.push(() => connection.close());
    const failing = async (context: { principal: string } | undefined): Promise<string> => {
      server.answerNext = { status: 401, body: "no" };
      return String(await connection.callTool("echo", {}, { context }).catch((error: unknown) => error));
    };
    expect(await failing({ principal: "ann" })).toContain("refused the credentials it was sent");
    expect(await failing(undefined)).toContain("no credentials were sent");
  });

  it("fail the request when they cannot be made", async () => {
    const server = await record();
    const connection = await connect(specOf(server, {}), {
      headersFor(_spec, { context }) {
        if (context !== undefined) throw new Error("no such tenant");
        return undefined;
      },
    });
    closers.push(() => connection.close());
    const calling = connection.callTool("echo", { text: "x" }, { context: { principal: "ann" } });
    await expect(calling).rejects.toMatchObject({ code: "internal_error", outcome: "not-sent" });
  });

  it("that are credentials do not travel unencrypted, and are masked where a server echoes them", async () => {
    const headersFor = (): Record<string, string> => ({ "x-user-token": "very-secret-token" });
    const plain: ServerSpec = { id: "srv", type: "http", url: "http://198.51.100.1/" };
    await expect(connect(plain, { headersFor })).rejects.toMatchObject({
      code: "invalid_spec",
      message: expect.stringContaining("x-user-token"),
    });
    const server = await record();
    const connection = await connect(specOf(server, {}), { headersFor });
    closers.push(() => connection.close());
    server.answerNext = { status: 500, body: "bad token very-secret-token" };
    const failure = await connection.callTool("echo", { text: "x" }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: "http_error" });
    expect(JSON.stringify(failure)).not.toContain("very-secret-token");
  });

  it("go along over the old HTTP+SSE as well", async () => {
    const server = await startHttpFixture("sse-only");
    closers.push(() => server.close());
    const headersFor = vi.fn<() => undefined>();
    const connection = await connect({ id: "sse", type: "http", url: server.url, mode: "sse" }, { headersFor });
    closers.push(() => connection.close());
    await connection.callTool("echo", { text: "x" }, { context: { role: "r" } });
    expect(headersFor).toHaveBeenLastCalledWith(expect.objectContaining({ id: "sse" }), {
      method: "tools/call",
      toolName: "echo",
      context: { role: "r" },
    });
  });
});

describe("the reason of an end", () => {
  it("is told to the server with what is cancelled, and stands in what is rejected", async () => {
    const cancelled: unknown[] = [];
    const transport = {
      onmessage: (_message: object): void => undefined,
      start: async () => undefined,
      close: async () => undefined,
      async send({ id, method, params }: { id?: number; method: string; params?: object }) {
        if (method === "notifications/cancelled") cancelled.push(params);
        const result = { protocolVersion: "2025-11-25", capabilities: {}, serverInfo: { name: "x", version: "1" } };
        if (method === "initialize") queueMicrotask(() => transport.onmessage({ jsonrpc: "2.0", id, result }));
      },
    };
    const connection = await connect({
      id: "srv",
      type: "custom",
      open: () => transport,
      era: "legacy",
    });
    const waiting = connection.request("x");
    waiting.catch(() => undefined);
    await connection.close("the user signed out");
    await expect(waiting).rejects.toMatchObject({
      code: "closed",
      message: expect.stringContaining("the user signed out"),
    });
    expect(cancelled).toMatchObject([{ reason: "the user signed out" }]);
  });
});

async function record(): Promise<RecordingServer> {
  const server = await startRecordingServer();
  closers.push(() => server.close());
  return server;
}

function specOf(server: RecordingServer, members: object): ServerSpec {
  return { id: "srv", type: "http", url: server.url, ...members };
}

describe("what makes no sense is refused by name", () => {
  const spec: ServerSpec = { id: "a", type: "http", url: "https://a.test/", auth: "oauth" };
  const source: ServerCredentials = {
    headersFor: async () => ({ authorization: "Bearer t" }),
    onRefused: async () => undefined,
  };

  it.each([
    { name: "headers", options: { headersFor: { "x-a": "1" } }, says: "headersFor must be a function, not an object" },
    {
      name: "an authorization provider",
      options: { authProvider: source },
      says: "authProvider must be a function, not an object",
    },
  ])("by a connector: $name", ({ options, says }) => {
    expect(() => createConnector(options as never)).toThrow(new TypeError(`createConnector(): ${says}`));
  });

  it.each([[""], [7], [null]])("by connect(): the principal %j", async (principal) => {
    const connecting = connect(spec, { principal: principal as never, authProvider: () => source });
    await expect(connecting).rejects.toThrow(new TypeError("connect(): principal must be a text that is not empty"));
  });

  it("by a connection: a context with a member that nothing reads, before anything is sent", async () => {
    const server = await record();
    const connection = await connect(specOf(server, {}));
    closers.push(() => connection.close());
    const before = server.requests.length;
    const options = { context: { principle: "ann" } } as never;
    await expect(connection.callTool("echo", {}, options)).rejects.toThrow(/"principle"/);
    await expect(connection.request("tools/list", {}, options)).rejects.toThrow(/"principle"/);
    await expect(connection.subscribeResource("note://a", options)).rejects.toThrow(/"principle"/);
    expect(server.requests).toHaveLength(before);
  });
});
