import { createServer } from "node:https";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { AuthorizationFetch } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createAuthorizationFetch, createConnector } from "../src/index.ts";
import { makeCertificates } from "./certificates.ts";
import { startProxy } from "./proxy-server.ts";
import { httpAnswer, startRaw } from "./raw-server.ts";

const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable("it did not fail"),
    (error: unknown) => error,
  );

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

describe("the fetch that a connector gives its authProvider", () => {
  it("keeps nothing of the connection that asked for it", async () => {
    const kept: AuthorizationFetch[] = [];
    const connector = createConnector({ authProvider: (_spec, { fetch }) => void kept.push(fetch) });
    const connect = async (): Promise<WeakRef<object>> => {
      const onDiagnostic = (): void => {};
      const hooks = { onDiagnostic, onChanged: () => {}, onClosed: () => {} } as never;
      const spec = { id: "web", type: "http", url: "https://web.test", auth: "oauth" } as const;
      await thrownBy(connector.connect(spec, hooks, new AbortController().signal));
      return new WeakRef(onDiagnostic);
    };
    const hook = await connect();
    await expect
      .poll(() => {
        collectGarbage();
        return hook.deref() === undefined;
      })
      .toBe(true);
    expect(kept.length).toBeGreaterThan(0);
  });
});

describe("createAuthorizationFetch()", () => {
  it("asks an authorization server by the proxy, and trusts whom it is to trust", async () => {
    const certificates = await makeCertificates();
    const server = createServer(certificates.server, (request, response) => {
      const { authorization, "content-type": type } = request.headers;
      let form = "";
      request.on("data", (chunk) => (form += String(chunk)));
      request.on("end", () =>
        response.writeHead(400, { "dpop-nonce": "n", "x-else": "e" }).end(`${type} ${authorization} ${form}`),
      );
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    await using proxy = await startProxy({ port: (server.address() as AddressInfo).port });
    const fetch = createAuthorizationFetch({ proxy: proxy.url, ca: certificates.authority.cert });
    const body = new URLSearchParams({ code: "ü" });
    const response = await fetch("https://mcp.example/token", {
      method: "POST",
      body,
      headers: { authorization: "Basic eA==" },
    });
    expect([response.status, response.headers.get("dpop-nonce"), response.headers.get("x-else")]).toEqual([
      400,
      "n",
      null,
    ]);
    expect(await response.text()).toBe("application/x-www-form-urlencoded;charset=UTF-8 Basic eA== code=%C3%BC");
    expect(proxy.asked).toEqual(["CONNECT mcp.example:443"]);
    server.closeAllConnections();
    server.close();
  });

  it("follows no redirect, and has answers without a body", async () => {
    let status = "302 Found\r\nlocation: https://elsewhere.example/";
    await using server = await startRaw((socket) => socket.write(httpAnswer("", "x: y", status)));
    const fetch = createAuthorizationFetch();
    expect((await fetch(server.url)).status).toBe(302);
    status = "204 No Content";
    const response = await fetch(new URL(server.url));
    expect([response.status, response.body]).toEqual([204, null]);
  });

  it("fails with the reason of its signal, also while it reads, and else with a TypeError whose cause says why", async () => {
    await using server = await startRaw((socket, request) => {
      if (request.startsWith("POST")) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{");
    });
    const fetch = createAuthorizationFetch({ proxy: false });
    const waiting = new AbortController();
    const failure = thrownBy(fetch(server.url, { signal: waiting.signal }));
    await expect.poll(() => server.requests.length).toBe(1);
    waiting.abort(new RangeError("enough"));
    expect(await failure).toEqual(new RangeError("enough"));
    expect(await thrownBy(fetch(server.url, { signal: waiting.signal }))).toEqual(new RangeError("enough"));
    const reading = new AbortController();
    const read = thrownBy(fetch(server.url, { method: "POST", signal: reading.signal }));
    await expect.poll(() => server.requests.length).toBe(2);
    reading.abort(new RangeError("enough"));
    expect(await read).toEqual(new RangeError("enough"));
    await server.allClosed();
    const refused = await thrownBy(fetch("https://no-such-host.invalid/"));
    expect(refused).toMatchObject({ name: "TypeError", cause: { code: "dns_failed" } });
  });

  it.each([[{ proxy: "ftp://x" }], [{ ca: "x" }], [{ fetch: globalThis.fetch }]])("refuses %o", (options) => {
    expect(() => createAuthorizationFetch(options as never)).toThrow(TypeError);
  });
});
