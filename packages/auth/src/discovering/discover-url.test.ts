import type { JsonObject } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { useVirtualClock } from "../../../provider/test/simulation/virtual-clock.ts";
import { errorOf } from "../../test/error-of.ts";
import { createFakeServers, issuer, resourceUrl, serverUrl, type Route } from "../../test/fake-servers.ts";
import { createOAuth } from "../create-oauth.ts";

function createWorld(answer: Route, changes: JsonObject = {}) {
  const servers = createFakeServers(changes);
  servers.routes.set(`POST ${serverUrl}`, answer);
  const clock = useVirtualClock();
  return { servers, clock, oauth: createOAuth({ fetch: servers.fetch }) };
}

const refuse: Route = () => new Response("", { status: 401, headers: { "www-authenticate": 'Bearer scope="a b"' } });
const welcome: Route = () => Response.json({ jsonrpc: "2.0", id: 1, result: {} });
const absent: Route = () => new Response("", { status: 404 });

describe("discover()", () => {
  it("says what a server wants: the scopes of its refusal, and the ways to become a client", async () => {
    const { oauth, servers } = createWorld(refuse, { client_id_metadata_document_supported: true });
    expect(await oauth.discover(serverUrl)).toEqual({
      issuer,
      scopes: ["a", "b"],
      registration: ["metadata-document", "dynamic"],
    });
    expect(servers.requests.filter(({ url }) => url.href === serverUrl)).toHaveLength(1);
    expect(servers.requests[0]?.headers.has("authorization")).toBe(false);
  });

  it("says so of a server that answers anybody, and names an authorization server", async () => {
    const { oauth } = createWorld(welcome, { registration_endpoint: undefined });
    expect(await oauth.discover(new URL(serverUrl))).toEqual({ issuer, scopes: [], registration: [] });
  });

  it.each([
    ["lets everybody in", welcome],
    ["is not there", absent],
  ])("is null when a server %s", async (_, answer) => {
    const { oauth, servers } = createWorld(answer);
    servers.routes.delete(`GET ${resourceUrl}`);
    expect(await oauth.discover(serverUrl)).toBeNull();
  });

  it("assumes the endpoints of 2025-03-26 of a server that refuses and publishes nothing", async () => {
    const { oauth, servers } = createWorld(refuse);
    servers.routes.delete(`GET ${resourceUrl}`);
    expect(await oauth.discover(serverUrl)).toEqual({
      issuer: "https://mcp.example/",
      scopes: ["a", "b"],
      registration: [],
    });
  });

  it("reads no body, which may be a stream without an end", async () => {
    let cancelled = false;
    const stream = new ReadableStream({ cancel: () => void (cancelled = true) });
    const { oauth } = createWorld(() => new Response(stream, { headers: { "content-type": "text/event-stream" } }));
    expect(await oauth.discover(serverUrl)).toMatchObject({ issuer });
    expect(cancelled).toBe(true);
  });

  it("does not wait for ever, and ends with the caller's signal", async () => {
    const { oauth, clock } = createWorld(() => new Promise(() => {}));
    const late = errorOf(oauth.discover(serverUrl));
    while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(30_000);
    expect((await late).code).toBe("request_timeout");
    const caller = new AbortController();
    const given = errorOf(oauth.discover(serverUrl, { signal: caller.signal }));
    caller.abort();
    expect((await given).code).toBe("aborted");
    expect(clock.pending).toBe(0);
  });

  it("keeps nothing: what it was answered is no hint for anybody", async () => {
    const { oauth, servers } = createWorld(refuse);
    await oauth.discover(serverUrl);
    servers.routes.set(`POST ${serverUrl}`, welcome);
    expect(await oauth.discover(serverUrl)).toMatchObject({ scopes: [] });
  });

  it("refuses what is no URL of a server", async () => {
    const { oauth } = createWorld(welcome);
    await expect(oauth.discover("not a url")).rejects.toThrow(TypeError);
    expect((await errorOf(oauth.discover("http://mcp.example/mcp"))).code).toBe("invalid_spec");
  });
});
