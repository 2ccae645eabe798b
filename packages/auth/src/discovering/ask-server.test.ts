import { describe, expect, it } from "vitest";
import { errorOf } from "../../test/error-of.ts";
import {
  createFakeServers,
  issuer,
  metadataUrl,
  resourceUrl,
  serverUrl,
  spec,
  type Route,
} from "../../test/fake-servers.ts";
import { createSignInWorld, never, until } from "../../test/sign-in-world.ts";

const refuse: Route = () => new Response("", { status: 401, headers: { "www-authenticate": 'Bearer scope="a"' } });

function createWorld(answer: Route, config: { readonly scopes?: readonly string[] } = {}) {
  const servers = createFakeServers();
  const { routes } = servers;
  routes.set(`GET ${resourceUrl}`, () =>
    Response.json({ resource: serverUrl, authorization_servers: [issuer], scopes_supported: ["a", "b"] }),
  );
  routes.set(`POST ${serverUrl}`, answer);
  const world = createSignInWorld({ clients: { notes: config } }, servers);
  const asked = () => world.shown.at(-1)?.url.searchParams.get("scope");
  return { ...world, asked, questions: () => servers.count(`POST ${serverUrl}`) };
}

describe("a sign-in where nothing was refused yet", () => {
  it("asks the server once, without credentials, and then for what its challenge names", async () => {
    const { oauth, asked, questions, servers } = createWorld(refuse);
    await oauth.authorize(spec);
    await oauth.authorize(spec);
    expect(asked()).toBe("a");
    expect(questions()).toBe(1);
    expect(servers.requests[0]?.headers.has("authorization")).toBe(false);
  });

  it.each<[string, Route]>([
    ["lets everybody in", () => Response.json({})],
    ["is out of order", () => new Response("", { status: 503, headers: { "www-authenticate": 'Bearer scope="x"' } })],
    ["is not reached", () => Promise.reject(new TypeError("fetch failed"))],
    ["redirects", () => new Response("", { status: 302, headers: { location: "https://other.example/" } })],
  ])("goes by the metadata where the server %s", async (_, answer) => {
    const { oauth, asked } = createWorld(answer);
    await oauth.authorize(spec);
    expect(asked()).toBe("a b");
  });

  it("does not wait for a server that says nothing, and ends with the caller", async () => {
    const { oauth, asked, clock, questions } = createWorld(() => never());
    const late = oauth.authorize(spec);
    await until(() => questions() === 1);
    clock.advance(5000);
    await late;
    expect(asked()).toBe("a b");
    const caller = new AbortController();
    const ended = errorOf(oauth.authorize(spec, { signal: caller.signal }));
    await until(() => questions() === 2);
    caller.abort();
    expect((await ended).code).toBe("aborted");
  });

  it("asks nothing where the scopes are configured", async () => {
    const { oauth, asked, questions } = createWorld(refuse, { scopes: ["mine"] });
    await oauth.authorize(spec);
    expect(asked()).toBe("mine");
    expect(questions()).toBe(0);
  });
});

describe("a server without metadata", () => {
  const register = "https://mcp.example/register";

  it.each([200, 202, 400])(
    "that answers anybody (%i) wants no OAuth, and nobody is registered there",
    async (status) => {
      const { oauth, servers } = createWorld(() => new Response("", { status }));
      servers.routes.delete(`GET ${resourceUrl}`);
      const error = await errorOf(oauth.authorize(spec));
      expect(error.code).toBe("auth_required");
      expect(error.message).toContain("wants no OAuth");
      expect(servers.requests.some(({ url }) => url.href === register)).toBe(false);
    },
  );

  it("that refuses is one of the protocol of 2025-03-26", async () => {
    const { oauth, servers, asked } = createWorld(refuse);
    servers.routes.delete(`GET ${resourceUrl}`);
    servers.routes.delete(`GET ${metadataUrl}`);
    let isRegistered = false;
    servers.routes.set(`POST ${register}`, ({ body }) => {
      isRegistered = true;
      return Response.json({ ...JSON.parse(body), client_id: "old" }, { status: 201 });
    });
    await errorOf(oauth.authorize(spec)); // Its token endpoint is not there.
    expect(isRegistered).toBe(true);
    expect(asked()).toBe("a");
  });
});
