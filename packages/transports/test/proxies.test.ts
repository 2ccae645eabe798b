import { createServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { inspect } from "node:util";
import { isHostsideError, type Connection, type ConnectionGuard, type ServerSpec } from "@hostside/core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { useManualClock } from "../../../test/manual-clock.ts";
import { connect, createConnector, type ConnectOptions } from "../src/index.ts";
import { makeCertificates } from "./certificates.ts";
import { startProxy } from "./proxy-server.ts";
import { startRaw } from "./raw-server.ts";

const certificates = await makeCertificates();
const authority = certificates.authority.cert;

afterEach(() => vi.unstubAllEnvs());

/** A server for anybody who says hello, with TLS or without. */
async function startServer(
  certificate?: "selfSigned" | "server" | false,
): Promise<AsyncDisposable & { readonly port: number; readonly methods: string[] }> {
  const methods: string[] = [];
  const listener: RequestListener = (request, response) => {
    let text = "";
    request.on("data", (chunk) => (text += String(chunk)));
    request.on("end", () => {
      const message = text === "" ? {} : JSON.parse(text);
      methods.push(`${request.method} ${request.url} ${message.method ?? ""}`.trim());
      expect(request.headers["proxy-authorization"]).toBeUndefined();
      if (message.id === undefined) return void response.writeHead(request.method === "POST" ? 202 : 405).end();
      const info = { protocolVersion: "2025-06-18", capabilities: {}, serverInfo: { name: "s", version: "1" } };
      const answer =
        message.method === "initialize" ? { result: info } : { error: { code: -32_601, message: "no such method" } };
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer }));
    });
  };
  const server = certificate ? createSecureServer(certificates[certificate], listener) : createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    port,
    methods,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const specOf = (url: string): ServerSpec => ({
  id: "web",
  era: "legacy",
  type: "http",
  url,
  mode: "streamable",
});
const open = (url: string, options: ConnectOptions): Promise<Connection> => connect(specOf(url), options);
const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error,
  );

describe("a proxy", () => {
  it("is asked for what it fetches itself with the whole URL, and its credentials go no further", async () => {
    await using server = await startServer();
    await using proxy = await startProxy({ port: server.port, credentials: "me:p@ss" });
    const connection = await open("http://mcp.example/mcp", { proxy: proxy.url.replace("//", "//me:p%40ss@") });
    await connection.close();
    expect(server.methods).toContain("POST /mcp initialize");
    expect(proxy.asked[0]).toBe("POST http://mcp.example/mcp");
  });

  it("is asked for a tunnel to a server with TLS, whose certificate is checked by its own name", async () => {
    await using server = await startServer("server");
    await using proxy = await startProxy({ port: server.port, credentials: "me:pass" });
    const way = { proxy: proxy.url.replace("//", "//me:pass@"), ca: authority };
    await (await open("https://mcp.example/mcp", way)).close();
    expect(server.methods).toContain("POST /mcp initialize");
    expect(new Set(proxy.asked)).toEqual(new Set(["CONNECT mcp.example:443"]));
    expect(await thrownBy(open("https://other.example:8443/mcp", way))).toMatchObject({
      code: "tls_failed",
      outcome: "not-sent",
      message: expect.stringContaining("ERR_TLS_CERT_ALTNAME_INVALID"),
    });
  });

  it.each(["http://mcp.example/mcp", "https://mcp.example/mcp"])(
    "that refuses is unreachable for %s, and named without its credentials",
    async (url) => {
      await using server = await startServer(url.startsWith("https") && "server");
      await using proxy = await startProxy({ port: server.port, credentials: "me:right" });
      const error = await thrownBy(open(url, { proxy: proxy.url.replace("//", "//me:wr0ng@") }));
      expect(error).toMatchObject({
        code: "unreachable",
        serverId: "web",
        outcome: "not-sent",
        details: { httpStatus: 407 },
      });
      expect(String(error)).toContain(`no connection to ${url} by the proxy ${proxy.url}, which refuses it: HTTP 407`);
      expect(inspect(error, { depth: 9 })).not.toContain("wr0ng");
      expect(server.methods).toEqual([]);
    },
  );

  it.each(["http://mcp.example/mcp", "https://mcp.example/mcp"])("that is down is unreachable for %s", async (url) => {
    const proxy = await startProxy({ port: 1 });
    await proxy[Symbol.asyncDispose]();
    const error = await thrownBy(open(url, { proxy: proxy.url }));
    expect(error).toMatchObject({ code: "unreachable", outcome: "not-sent" });
    expect(String(error)).toContain(`by the proxy ${proxy.url}, which cannot be used: ECONNREFUSED`);
  });

  it("that hangs is unreachable when the connection is not ready in time", async () => {
    const clock = useManualClock();
    await using proxy = await startProxy({ port: 1, hangs: true });
    const failure = thrownBy(open("https://mcp.example/mcp", { proxy: proxy.url }));
    await expect.poll(() => proxy.asked.length).toBe(1);
    clock.advance(15_000);
    const error = await failure;
    expect(error).toMatchObject({ code: "unreachable", outcome: "not-sent" });
    expect(String(error)).toContain(`by the proxy ${proxy.url} within 15000 ms`);
  });

  it("keeps no tunnel to a server whose TLS cannot begin", async () => {
    await using proxy = await startRaw((socket) => socket.write("HTTP/1.1 200 OK\r\n\r\n"));
    const pem = (what: string): string => `-----BEGIN ${what}-----\nno\n-----END ${what}-----\n`;
    const tls = { cert: pem("CERTIFICATE"), key: pem("PRIVATE KEY") };
    const spec: ServerSpec = { id: "web", era: "legacy", type: "http", url: "https://mcp.example/mcp", tls };
    const connecting = connect(spec, { proxy: `http://127.0.0.1:${proxy.port}` });
    expect(isHostsideError(await thrownBy(connecting))).toBe(true);
    expect(proxy.connections).toBeGreaterThan(0);
    await proxy.allClosed();
  });

  it("that speaks something else is unreachable", async () => {
    await using proxy = await startRaw((socket) => socket.end("SSH-2.0-OpenSSH_9.6\r\n"));
    const error = await thrownBy(open("https://mcp.example/mcp", { proxy: `http://127.0.0.1:${proxy.port}` }));
    expect(error).toMatchObject({ code: "unreachable", outcome: "not-sent" });
  });

  it("is never asked for this machine itself", async () => {
    await using server = await startServer();
    await using proxy = await startProxy({ port: server.port });
    await (await open(`http://127.0.0.1:${server.port}/mcp`, { proxy: proxy.url })).close();
    expect(proxy.asked).toEqual([]);
  });

  it("hides the address of a server: the guard is asked about an unknown one, and never about the proxy's", async () => {
    await using server = await startServer();
    await using proxy = await startProxy({ port: server.port });
    const asked: (string | undefined)[] = [];
    const guardThat = (allows: boolean): ConnectionGuard => ({
      checkUrl: () => undefined,
      checkAddress(address) {
        asked.push(address);
        return allows ? undefined : { rule: "unknownAddresses", reason: "its address is not known" };
      },
      checkCommand: () => undefined,
    });
    const way = { proxy: proxy.url };
    const refused = open("http://mcp.example/mcp", { ...way, guard: guardThat(false) });
    expect(await thrownBy(refused)).toMatchObject({ code: "not_allowed", outcome: "not-sent" });
    expect(proxy.asked).toEqual([]);
    await (await open("http://mcp.example/mcp", { ...way, guard: guardThat(true) })).close();
    expect(new Set(asked)).toEqual(new Set([undefined]));
  });
});

describe('proxy: "environment"', () => {
  it.each([
    [{ HTTP_PROXY: "PROXY" }, true],
    [{ http_proxy: "PROXY" }, true],
    [{ ALL_PROXY: "PROXY" }, true],
    [{ HTTPS_PROXY: "PROXY" }, false],
    [{ HTTP_PROXY: "PROXY", NO_PROXY: "localhost,mcp.example" }, false],
    [{ HTTP_PROXY: "PROXY", no_proxy: ".example" }, false],
    [{ HTTP_PROXY: "PROXY", NO_PROXY: "*" }, false],
    [{ HTTP_PROXY: "PROXY", NO_PROXY: "mcp.example:81" }, true],
  ])("reads %j", async (variables: Record<string, string>, isAsked) => {
    await using server = await startServer();
    await using proxy = await startProxy({ port: server.port });
    for (const name of ["http_proxy", "https_proxy", "all_proxy", "no_proxy"])
      for (const spelling of [name, name.toUpperCase()]) vi.stubEnv(spelling, undefined);
    for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value.replace("PROXY", proxy.url));
    const opening = open("http://mcp.example/mcp", { proxy: "environment" });
    const outcome = await opening.then(
      (connection) => connection.close().then(() => "open"),
      (error: unknown) => (isHostsideError(error) ? error.code : error),
    );
    // Without a proxy there is no such host.
    expect(outcome).toBe(isAsked ? "open" : "dns_failed");
    expect(proxy.asked.length > 0).toBe(isAsked);
  });

  it("fails, and goes no other way, where a proxy cannot be asked", async () => {
    vi.stubEnv("http_proxy", "socks5://me:s3cret@127.0.0.1:1080");
    const error = await thrownBy(open("http://mcp.example/mcp", { proxy: "environment" }));
    expect(error).toMatchObject({ code: "unreachable", outcome: "not-sent" });
    expect(inspect(error)).not.toContain("s3cret");
  });

  it("is not read by default", async () => {
    await using proxy = await startProxy({ port: 1 });
    vi.stubEnv("http_proxy", proxy.url);
    expect(await thrownBy(open("http://mcp.example/mcp", {}))).toMatchObject({ code: "dns_failed" });
    expect(proxy.asked).toEqual([]);
  });
});

describe("ca", () => {
  it("is who else is trusted; without it a certificate of somebody unknown is tls_failed, with a hint", async () => {
    await using server = await startServer("server");
    const url = `https://localhost:${server.port}/mcp`;
    const error = await thrownBy(open(url, {}));
    expect(error).toMatchObject({ code: "tls_failed", outcome: "not-sent", retryable: false });
    expect(String(error)).toMatch(/: UNABLE_TO_\w+; .*NODE_EXTRA_CA_CERTS/);
    await (await open(url, { ca: [authority] })).close();
  });

  it("may be the certificate itself that a server has made", async () => {
    await using server = await startServer("selfSigned");
    const url = `https://localhost:${server.port}/mcp`;
    const error = await thrownBy(open(url, { ca: authority }));
    expect(String(error)).toContain("DEPTH_ZERO_SELF_SIGNED_CERT; ");
    await (await open(url, { ca: certificates.selfSigned.cert })).close();
  });
});

it.each([
  [{ proxy: "socks5://127.0.0.1:1080" }, "proxy must be"],
  [{ proxy: true }, "proxy must be"],
  [{ ca: "/etc/ssl/ca.pem" }, "ca must be a certificate in PEM"],
  [{ ca: [1] }, "ca must be a certificate in PEM"],
  [{ proxy: "environment", fetch: globalThis.fetch }, "cannot be used together with fetch"],
])("createConnector() refuses %o", (options, message) => {
  expect(() => createConnector(options as never)).toThrow(message);
});
