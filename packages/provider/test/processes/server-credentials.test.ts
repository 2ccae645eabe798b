import { HostsideError, type JsonObject, type ServerCredentials } from "@hostside/core";
import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { describe, expect, it } from "vitest";
import { failureOf } from "../calm-world.ts";
import { useVirtualClock, type VirtualClock } from "../simulation/virtual-clock.ts";

type CredentialsRefusal = Parameters<ServerCredentials["onRefused"]>[0];

/** A server behind a `fetch`, its credentials, and the provider between them. */
interface World extends AsyncDisposable {
  readonly provider: McpProvider;
  readonly clock: VirtualClock;
  /**
   * What the server answers requests with that are no handshake, or all of them; `undefined` for as
   * it should.
   */
  refuse: ((method: string) => number | undefined) | undefined;
  /**
   * What the credentials answer a refusal with. Default: that a user has to act, unless one waits,
   * who acts at once.
   */
  answer: (refusal: CredentialsRefusal) => void;
  readonly refusals: CredentialsRefusal[];
  /** Methods that reached the server, in order. */
  readonly reached: string[];
}

function createWorld(): World {
  const clock = useVirtualClock();
  const credentials: ServerCredentials = {
    headersFor: async () => ({ authorization: "Bearer a-token" }),
    async onRefused(refusal) {
      world.refusals.push(refusal);
      world.answer(refusal);
    },
  };
  const fetch = async (_url: string, { method, body }: RequestInit): Promise<Response> => {
    if (method !== "POST" || typeof body !== "string") return new Response(null, { status: 405 });
    const message = JSON.parse(body) as JsonObject;
    const name = typeof message["method"] === "string" ? message["method"] : "";
    world.reached.push(name);
    const status = world.refuse?.(name);
    if (status !== undefined)
      return new Response(null, { status, headers: { "www-authenticate": 'Bearer scope="more"' } });
    if (message["id"] === undefined) return new Response(null, { status: 202 });
    return Response.json({ jsonrpc: "2.0", id: message["id"], result: resultOf(name) });
  };
  const transport = { type: "http", url: "https://s.test/mcp", mode: "streamable", auth: "oauth" } as const;
  const world: World = {
    provider: createProvider({
      connector: createConnector({ fetch, authProvider: () => credentials }),
      servers: [{ id: "s", era: "legacy", ...transport }],
    }),
    clock,
    refuse: undefined,
    answer({ interactive }) {
      if (!interactive) throw new HostsideError("sign in to s first", { code: "auth_required" });
      world.refuse = undefined;
    },
    refusals: [],
    reached: [],
    [Symbol.asyncDispose]: () => world.provider.close(),
  };
  return world;
}

function resultOf(method: string): object {
  if (method === "initialize")
    return { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
  return method === "tools/list" ? { tools: [{ name: "t", inputSchema: { type: "object" } }] } : { content: [] };
}

const asked = ({ refusals }: World): readonly (readonly [number, boolean])[] =>
  refusals.map(({ status, interactive }) => [status, interactive] as const);

describe("whoever has the credentials of a server", () => {
  it("hears that nobody waits from init, refresh, a call and a connection, and that somebody does from the user's own act", async () => {
    await using world = createWorld();
    const { provider } = world;
    world.refuse = () => 401;
    await provider.init();
    await failureOf(provider.refresh());
    await failureOf(provider.refreshServer("s"));
    await failureOf(provider.connection("s"));
    expect(asked(world)).toEqual([401, 401, 401, 401].map((status) => [status, false]));
    expect(provider.statuses()).toMatchObject([
      {
        state: "needs-auth",
        stage: "connect",
        error: {
          code: "auth_required",
          rawMessage: "sign in to s first",
          details: { challenge: 'Bearer scope="more"' },
        },
      },
    ]);
    await provider.refreshServer("s", { interactive: true });
    expect(asked(world).slice(4)).toEqual([[401, true]]);
    expect(provider.statuses()).toMatchObject([{ state: "ready" }]);
    world.refuse = () => 401;
    await failureOf(provider.call("mcp_s_t"));
    expect(asked(world).slice(5)).toEqual([[401, false]]);
  });

  it("hears the same from an attempt in the background, which is the last one", async () => {
    await using world = createWorld();
    const { provider, clock } = world;
    world.refuse = () => 503;
    await provider.init();
    expect(provider.statuses()).toMatchObject([{ state: "failed" }]);
    world.refuse = () => 401;
    clock.advanceToNext();
    await expect.poll(() => provider.statuses()).toMatchObject([{ state: "needs-auth" }]);
    expect(asked(world)).toEqual([[401, false]]);
    expect(clock.pending).toBe(0);
  });

  it.each([
    [401, "auth_required"],
    [403, "auth_required"],
    [403, "forbidden"],
  ] as const)(
    "shows the server of a call as needs-auth that HTTP %s ends in %s, until one works",
    async (status, code) => {
      await using world = createWorld();
      const { provider } = world;
      await provider.init();
      world.refuse = (method) => (method === "tools/call" ? status : undefined);
      world.answer = () => {
        throw new HostsideError("not with these credentials", { code });
      };
      expect(await failureOf(provider.call("mcp_s_t"))).toMatchObject({ code, outcome: "failed" });
      expect(world.reached.filter((method) => method === "tools/call")).toHaveLength(1);
      expect(provider.statuses()).toMatchObject([
        { state: "needs-auth", stage: "call", error: { code, details: { httpStatus: status } } },
      ]);
      expect(provider.has("mcp_s_t")).toBe(true);
      world.refuse = undefined;
      await provider.call("mcp_s_t");
      expect(provider.statuses()).toMatchObject([{ state: "ready" }]);
    },
  );

  it("steps up when a user waits for a refresh, for what a call was refused", async () => {
    await using world = createWorld();
    const { provider } = world;
    await provider.init();
    world.refuse = (method) => (method === "tools/call" ? 403 : undefined);
    await failureOf(provider.call("mcp_s_t"));
    await provider.refreshServer("s", { interactive: true });
    expect(asked(world)).toEqual([
      [403, false],
      [403, true],
    ]);
    await provider.call("mcp_s_t");
    expect(provider.statuses()).toMatchObject([{ state: "ready" }]);
  });

  it("may fail for a while, which is no want of credentials: the server is tried again in the background", async () => {
    await using world = createWorld();
    const { provider, clock } = world;
    world.refuse = () => 401;
    world.answer = () => {
      throw new HostsideError("the authorization server is out of order", { code: "http_error" });
    };
    await provider.init();
    expect(provider.statuses()).toMatchObject([{ state: "failed", error: { code: "http_error" } }]);
    world.refuse = undefined;
    clock.advanceToNext();
    await expect.poll(() => provider.statuses()).toMatchObject([{ state: "ready" }]);
  });
});
