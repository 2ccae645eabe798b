import { isHostsideError, HostsideError } from "@hostside/core";
import { createSecretMemory } from "@hostside/core/implement";
import { afterEach, describe, expect, it } from "vitest";
import { reply, startLoopback } from "../../../test/loopback-server.ts";
import { useManualClock } from "../../../../../test/manual-clock.ts";
import { thrownBy } from "../../../test/open-http-transport.ts";
import { httpAnswer, startRaw } from "../../../test/raw-server.ts";
import { createExchangeFetch } from "./exchange-fetch.ts";
import type { HttpClient } from "./http-exchange.ts";
import { createDefaultExchange } from "./node-exchange.ts";

const exchanges: HttpClient[] = [];
afterEach(() => {
  for (const exchange of exchanges.splice(0)) exchange.close();
});

function openFetch() {
  const exchange = createDefaultExchange({ serverId: "web" });
  exchanges.push(exchange);
  return createExchangeFetch(exchange, { serverId: "web", secrets: createSecretMemory() });
}

async function causeOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await thrownBy(promise);
  // What tells a network failure from an answer, for code written against `fetch`.
  expect(error).toBeInstanceOf(TypeError);
  const { cause } = error as TypeError;
  expect(isHostsideError(cause)).toBe(true);
  return cause;
}

describe("createExchangeFetch()", () => {
  it("does what OAuth code does with a fetch", async () => {
    await using server = await startRaw((socket) =>
      socket.write(
        httpAnswer('{"a":1}', "content-type: application/json\r\nwww-authenticate: Bearer\r\nset-cookie: a=1"),
      ),
    );
    const fetch = openFetch();
    const response = await fetch(new URL(server.url), {
      method: "POST",
      headers: new Headers({ accept: "application/json" }),
      body: new URLSearchParams({ grant_type: "x y" }),
    });
    expect([response.status, response.ok, await response.json()]).toEqual([200, true, { a: 1 }]);
    expect([response.headers.get("www-authenticate"), response.headers.get("set-cookie")]).toEqual(["Bearer", null]);
    expect(server.requests[0]?.toLowerCase()).toContain("content-type: application/x-www-form-urlencoded");
    expect(server.requests[0]).toContain("\r\n\r\ngrant_type=x+y");
  });

  it("follows no redirect, and does not say where to, so that nobody else does; a POST fails", async () => {
    await using target = await startLoopback((_request, response) => reply(response, 200));
    await using server = await startLoopback((_request, response) =>
      response.writeHead(302, { location: target.url }).end(),
    );
    const response = await openFetch()(server.url);
    expect([response.status, response.headers.get("location")]).toEqual([302, null]);
    const post = openFetch()(server.url, { method: "POST", body: "{}" });
    expect(await causeOf(post)).toMatchObject({ code: "redirect_refused", outcome: "failed" });
    expect(target.seen).toEqual([]);
  });

  it.each([204, 205, 304])("makes a response of status %d, which may have no body", async (status) => {
    await using server = await startLoopback((_request, response) => reply(response, status));
    expect((await openFetch()(server.url)).status).toBe(status);
  });

  it("gives up after 30 s, and after 1 MiB", async () => {
    const clock = useManualClock();
    await using silent = await startLoopback(() => undefined);
    const failure = causeOf(openFetch()(silent.url));
    await expect.poll(() => silent.seen.length).toBe(1);
    clock.advance(30_000);
    expect(await failure).toMatchObject({ code: "request_timeout" });
    await using loud = await startRaw((socket) => socket.write(httpAnswer("x".repeat(1024 * 1024 + 1))));
    expect(await causeOf(openFetch()(loud.url))).toMatchObject({ code: "message_too_large" });
    expect(clock.pending()).toBe(0);
  });

  it("fails as a fetch does when nobody listens, or a credential would travel in the clear", async () => {
    const server = await startRaw(() => undefined);
    await server[Symbol.asyncDispose]();
    expect(await causeOf(openFetch()(server.url))).toMatchObject({ code: "unreachable" });
    for (const url of ["http://as.example/.well-known", "gopher://as.example/x", "ftp://as.example/x"]) {
      expect(await causeOf(openFetch()(url))).toMatchObject({ code: "invalid_spec" });
    }
    const exposed = openFetch()("http://as.example/token", { headers: { Authorization: "Basic c2VjcmV0" } });
    const cause = await causeOf(exposed);
    expect(cause).toMatchObject({ code: "invalid_spec", outcome: "not-sent" });
    expect(cause instanceof HostsideError && cause.message).not.toContain("c2VjcmV0");
  });

  it.each<RequestInit>([{ method: "PATCH" }, { method: "POST", body: new Uint8Array(3) }])(
    "refuses %j, which OAuth code has no use for",
    async (init) => expect(await thrownBy(openFetch()("https://as.example", init))).toBeInstanceOf(TypeError),
  );
});
