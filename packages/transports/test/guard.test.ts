import type { ConnectionGuard, GuardedServer, GuardRefusal, ServerSpec } from "@hostside/core";
import { connect, createConnector } from "@hostside/transports";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { replyAsLegacy, startLoopback } from "./loopback-server.ts";
import { startOAuthServer, type OAuthServer } from "./oauth-server.ts";
import { openHttpTransport, thrownBy } from "./open-http-transport.ts";

const no: GuardRefusal = { reason: "because", rule: "test" };

/** A guard that refuses URLs, and keeps what it was asked. */
function createGuard(refuses: (url: URL) => boolean = () => false): ConnectionGuard & {
  readonly asked: string[];
  readonly servers: GuardedServer[];
} {
  const asked: string[] = [];
  const servers: GuardedServer[] = [];
  return {
    asked,
    servers,
    checkUrl(url, server) {
      asked.push(url.pathname);
      servers.push(server);
      return refuses(url) ? no : undefined;
    },
    checkAddress: () => undefined,
    checkCommand: () => no,
  };
}

describe("createConnector({ guard })", () => {
  it("refuses a server when its spec is checked, and again when it is connected to, once", async () => {
    await using server = await startLoopback(replyAsLegacy);
    const guard = createGuard(() => true);
    const connector = createConnector({ guard });
    const spec: ServerSpec = { id: "web", type: "http", url: server.url };
    const failure = { code: "not_allowed", serverId: "web", details: { field: "url", policy: "test" } };
    expect(() => connector.check?.(spec)).toThrow(expect.objectContaining(failure));
    expect(guard.asked).toEqual(["/mcp"]);
    expect(await thrownBy(connect(spec, { guard, principal: "ada" }))).toMatchObject({
      ...failure,
      details: { ...failure.details, operation: "server/discover" },
      outcome: "not-sent",
      retryable: false,
    });
    expect([guard.asked, server.seen]).toEqual([["/mcp", "/mcp"], []]);
    expect(guard.servers).toEqual([{ serverId: "web" }, { serverId: "web", principal: "ada" }]);
  });

  it("is asked for each request of a server that is allowed", async () => {
    await using server = await startLoopback(replyAsLegacy);
    const guard = createGuard();
    const connection = await connect({ id: "web", type: "http", url: server.url }, { guard });
    await connection.listTools();
    await connection.close();
    expect(guard.asked).toHaveLength(server.seen.length);
  });

  it("starts no program that is refused", async () => {
    const directory = await mkdtemp(join(tmpdir(), "guard-"));
    try {
      const program = `require("node:fs").writeFileSync(${JSON.stringify(join(directory, "ran"))}, "")`;
      const guard = createGuard();
      const transport = { type: "stdio", command: process.execPath, args: ["-e", program] } as const;
      const failure = { code: "not_allowed", details: { field: "command", policy: "test" } };
      expect(() => createConnector({ guard }).check?.({ id: "local", ...transport })).toThrow(
        expect.objectContaining(failure),
      );
      const seen: unknown[] = [];
      const watching: ConnectionGuard = {
        ...guard,
        checkCommand(...asked) {
          seen.push(asked);
          return no;
        },
      };
      const failed = await thrownBy(connect({ id: "local", ...transport }, { guard: watching, principal: "ada" }));
      expect(failed).toMatchObject({ code: "not_allowed", outcome: "not-sent", retryable: false });
      expect(seen).toEqual([
        [
          { id: "local", ...transport },
          { serverId: "local", principal: "ada" },
        ],
      ]);
      expect(await readdir(directory)).toEqual([]);
      // The program does what it is there to show.
      await thrownBy(connect({ id: "local", ...transport }));
      expect(await readdir(directory)).toEqual(["ran"]);
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it.each([{}, { checkUrl: () => undefined }, () => undefined, null, "https"])("takes no %j for one", async (given) => {
    const guard = given as never;
    const message = "guard must have the functions checkUrl, checkAddress, checkCommand";
    expect(() => createConnector({ guard })).toThrow(new TypeError(`createConnector(): ${message}`));
  });
});

describe("on the way to an authorization", () => {
  const refusing = (path: string): ConnectionGuard & { readonly asked: string[] } =>
    createGuard(({ pathname }) => pathname === path);
  const start = (): Promise<OAuthServer> => startOAuthServer({ refuse: () => ({ status: 401 }) });

  it("a host that manages its tokens itself is given a fetch that is guarded as well", async () => {
    await using server = await start();
    const guard = refusing("/token");
    const failures: unknown[] = [];
    await using web = await openHttpTransport({
      url: server.url,
      transport: { auth: "oauth" },
      guard,
      authProvider: (_spec, request) => ({
        headersFor: async () => ({ authorization: "Bearer stale" }),
        async onRefused() {
          failures.push(await thrownBy(request.fetch(new URL("/token", server.url), { method: "POST" })));
        },
      }),
    });
    await thrownBy(web.request(1));
    expect(failures).toMatchObject([{ name: "TypeError", cause: { code: "not_allowed" } }]);
    expect(server.paths).not.toContain("POST /token");
  });
});

describe("the old HTTP+SSE", () => {
  it("asks for the URL that the server names, too", async () => {
    await using server = await startLoopback(({ httpMethod }, response) => {
      if (httpMethod !== "GET") return void response.writeHead(202).end();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("event: endpoint\ndata: /inside\n\n");
    });
    const guard = createGuard(({ pathname }) => pathname === "/inside");
    await using web = await openHttpTransport({ url: server.url, channel: "sse", guard });
    await web.transport.start();
    expect(await thrownBy(web.request(1))).toMatchObject({ code: "not_allowed", outcome: "not-sent" });
    expect(server.methods()).toEqual(["GET"]);
  });
});
