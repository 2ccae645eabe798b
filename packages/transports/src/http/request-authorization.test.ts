import { isHostsideError, type AuthorizationRequest, type ConnectionGuard, type ServerSpec } from "@hostside/core";
import { once } from "node:events";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useManualClock } from "../../../../test/manual-clock.ts";
import { makeCertificates } from "../../test/certificates.ts";
import { thrownBy } from "../../test/open-http-transport.ts";
import { startProxy } from "../../test/proxy-server.ts";
import type { HttpOptions } from "./http-options.ts";
import { clearHttpCredentials } from "./open-http.ts";

const spec: ServerSpec = { id: "web", type: "http", url: "https://web.test/mcp", auth: "oauth" };
const silent = "/silent";
const http = createServer(({ url }, response) => {
  if (url !== silent) response.writeHead(200, { "content-type": "application/json" }).end('{"issuer":"x"}');
});
const openSockets = (): Promise<number> =>
  new Promise((resolve) => {
    http.getConnections((_error, count) => resolve(count));
  });
let origin = "";
beforeAll(async () => {
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
});
afterAll(() => {
  http.closeAllConnections();
  http.close();
});

/** What credentials are asked for by when nothing is connected, nor ever was. */
async function requestOf(options: HttpOptions = {}, principal?: string): Promise<AuthorizationRequest> {
  const asked: AuthorizationRequest[] = [];
  const authProvider: HttpOptions["authProvider"] = (_spec, request) => void asked.push(request);
  await clearHttpCredentials(spec, { ...options, authProvider }, principal);
  const [request] = asked;
  if (request === undefined) throw new TypeError("nobody was asked");
  return request;
}

async function causeOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await thrownBy(promise);
  expect(error).toBeInstanceOf(TypeError);
  const { cause } = error as TypeError;
  expect(isHostsideError(cause)).toBe(true);
  return cause;
}

describe("the fetch of an authorization request", () => {
  it("works as long as the connector does, and leaves no connection behind", async () => {
    const { fetch, ...rest } = await requestOf({}, "ann");
    expect(rest).toEqual({ principal: "ann", interactive: false });
    for (let time = 0; time < 2; time += 1) {
      const response = await fetch(origin);
      expect([response.status, await response.json()]).toEqual([200, { issuer: "x" }]);
    }
    await expect.poll(openSockets).toBe(0);
  });

  it("goes over the HTTP of the connector", async () => {
    const { fetch } = await requestOf({ fetch: async (url) => Response.json({ url }) });
    expect(await (await fetch("https://as.test/token")).json()).toEqual({ url: "https://as.test/token" });
  });

  it("goes by the proxy of the connector, and trusts whom it trusts", async () => {
    const certificates = await makeCertificates();
    const server = createSecureServer(certificates.server, (_request, response) => void response.end('{"issuer":"y"}'));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    await using proxy = await startProxy({ port: (server.address() as AddressInfo).port });
    const { fetch } = await requestOf({ proxy: proxy.url, ca: certificates.authority.cert });
    const response = await fetch("https://mcp.example/token");
    server.closeAllConnections();
    server.close();
    expect(await response.json()).toEqual({ issuer: "y" });
    expect(proxy.asked).toEqual(["CONNECT mcp.example:443"]);
  });

  it("is judged by the guard, for the server and the principal, with the address that is connected to", async () => {
    const asked: unknown[] = [];
    const guard: ConnectionGuard = {
      checkUrl: () => undefined,
      checkAddress(address, { hostname }, server) {
        asked.push([address, hostname, server]);
        return { reason: "is inside", rule: "test" };
      },
      checkCommand: () => undefined,
    };
    const { fetch } = await requestOf({ guard }, "ann");
    expect(await causeOf(fetch(origin))).toMatchObject({ code: "not_allowed", serverId: "web" });
    expect(asked).toEqual([["127.0.0.1", "127.0.0.1", { serverId: "web", principal: "ann" }]]);
  });

  it("keeps credentials off the network, and lets nobody wait for ever", async () => {
    const clock = useManualClock();
    const { fetch } = await requestOf();
    expect(await causeOf(fetch("http://as.test/token"))).toMatchObject({ code: "invalid_spec" });
    const waiting = causeOf(fetch(`${origin}${silent}`));
    await expect.poll(openSockets).toBe(1);
    clock.advance(30_000);
    expect(await waiting).toMatchObject({ code: "request_timeout", details: { timeoutMs: 30_000 } });
    await expect.poll(openSockets).toBe(0);
  });

  it("ends with its signal", async () => {
    const { fetch } = await requestOf();
    const reason = new Error("enough");
    expect(await thrownBy(fetch(origin, { signal: AbortSignal.abort(reason) }))).toBe(reason);
    const leaving = new AbortController();
    const waiting = thrownBy(fetch(`${origin}${silent}`, { signal: leaving.signal }));
    await expect.poll(openSockets).toBe(1);
    leaving.abort(reason);
    expect(await waiting).toBe(reason);
    await expect.poll(openSockets).toBe(0);
  });
});
