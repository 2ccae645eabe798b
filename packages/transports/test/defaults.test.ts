import type { Connection, JsonObject, ServerLog } from "@hostside/core";
import { startFaultServer, type FaultScript, type HttpFaultServer } from "@hostside/fixtures";
import { connect, type ConnectOptions } from "@hostside/transports";
import { afterEach, describe, expect, it } from "vitest";
import { useManualClock } from "../../../test/manual-clock.ts";

// What a spec that says nothing of limits and timeouts is held to, as the outside sees it: one unit
// below, and one above.
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function serve(script: FaultScript): Promise<HttpFaultServer> {
  const server = await startFaultServer({ transport: "http", script: { era: "legacy", ...script } });
  cleanups.push(() => server.close());
  return server;
}

async function open({ url }: HttpFaultServer, options: ConnectOptions = {}): Promise<Connection> {
  const connection = await connect({ id: "web", era: "legacy", type: "http", url }, options);
  cleanups.push(() => connection.close());
  return connection;
}

const tool = (name: string, more: JsonObject = {}): JsonObject => ({
  name,
  inputSchema: { type: "object" },
  ...more,
});

/** A schema whose JSON has so many characters. */
function schemaOf(length: number): JsonObject {
  const empty = { type: "object", description: "" };
  return { ...empty, description: "x".repeat(length - JSON.stringify(empty).length) };
}

/** A schema nested so deep, itself included. */
function nested(levels: number): JsonObject {
  return levels === 1 ? { type: "object" } : { type: "object", not: nested(levels - 1) };
}

const textOf = (result: JsonObject): string => (result["content"] as readonly [{ text: string }])[0].text;

describe("the limits of a server whose spec names none", () => {
  it("cost a tool its place, its description or its schema at 1,024, 8,192 and 65,536 characters and 64 levels", async () => {
    const tools = [
      tool("n".repeat(1024)),
      tool("n".repeat(1025)),
      tool("description-kept", { description: "d".repeat(8192) }),
      tool("description-cut", { description: "d".repeat(8193) }),
      tool("schema-kept", { inputSchema: schemaOf(65_536) }),
      tool("schema-left-out", { inputSchema: schemaOf(65_537) }),
      tool("depth-kept", { inputSchema: nested(64) }),
      tool("depth-left-out", { inputSchema: nested(65) }),
    ];
    const connection = await open(await serve({ tools }));
    const listing = await connection.listTools();
    expect(listing.tools.map(({ name }) => name)).toEqual([
      "n".repeat(1024),
      "description-kept",
      "description-cut",
      "schema-kept",
      "schema-left-out",
      "depth-kept",
      "depth-left-out",
    ]);
    expect(listing.dropped).toHaveLength(1);
    expect(listing.withoutSchema?.map(({ name }) => name)).toEqual(["schema-left-out", "depth-left-out"]);
    const [, kept, cut] = listing.tools;
    expect([kept?.description?.length, kept?.flags]).toEqual([8192, undefined]);
    expect(cut?.description?.length).toBeLessThanOrEqual(8192);
    expect(cut?.flags).toBeDefined();
  });

  it("end a listing at 100 pages", async () => {
    const page: JsonObject = {
      result: { tools: [{ name: "tool_{{n}}", inputSchema: { type: "object" } }], nextCursor: "page {{n}}" },
    };
    const server = await serve({ rules: [{ on: "tools/list", do: [{ type: "respond", message: page }] }] });
    const listing = await (await open(server)).listTools();
    expect(listing).toMatchObject({ pages: 100, truncated: "page-limit" });
  });

  it("end a listing at 10,000 tools", async () => {
    const manyTools = { count: 10_001, tool: tool("t{{i}}") };
    const listing = await (await open(await serve({ tools: [], manyTools }))).listTools();
    expect(listing).toMatchObject({ truncated: "tool-limit" });
    expect(listing.tools).toHaveLength(10_000);
  });

  it.each([
    [65_536, 2, undefined],
    [65_537, 1, "bad-cursor"],
  ])("follow a cursor of %i characters over %i pages", async (length, pages, truncated) => {
    const first: JsonObject = { result: { tools: [], nextCursor: "c".repeat(length) } };
    const last: JsonObject = { result: { tools: [] } };
    const server = await serve({
      rules: [first, last].map((message, index) => ({
        on: "tools/list",
        nth: index + 1,
        do: [{ type: "respond", message }],
      })),
    });
    const listing = await (await open(server)).listTools();
    expect([listing.pages, listing.truncated]).toEqual([pages, truncated]);
  });

  it("cut instructions at 32,768 characters", async () => {
    const whole = await open(await serve({ instructions: "i".repeat(32_768) }));
    expect(whole.server.instructions).toBe("i".repeat(32_768));
    const cut = await open(await serve({ instructions: "i".repeat(40_000) }));
    expect(cut.server.instructions?.length).toBeLessThanOrEqual(32_768);
  });

  it("refuse a message of more than 12 MiB", async () => {
    const connection = await open(await serve({}));
    const mebi = 1024 * 1024;
    const most = "x".repeat(12 * mebi - 1000);
    expect(textOf(await connection.callTool("echo", { text: most }))).toBe(most);
    const error = connection.callTool("echo", { text: "x".repeat(12 * mebi) });
    await expect(error).rejects.toMatchObject({ code: "message_too_large" });
  });

  it("act on 200 notifications a second", async () => {
    const logs: ServerLog[] = [];
    const server = await serve({ capabilities: { tools: {}, logging: {} } });
    await open(server, { onLog: (log) => logs.push(log) });
    await server.occurred("stream-opened");
    const message = { method: "notifications/message", params: { level: "info", data: "line {{i}}" } };
    await server.perform([{ type: "send", message, times: 500 }]);
    await expect.poll(() => logs.length).toBe(200);
  });
});

describe("the timeouts of a server whose spec names none", () => {
  it.each([
    ["initialize", 60_000, "connect_timeout"],
    ["tools/list", 30_000, "list_timeout"],
    ["tools/call", 600_000, "call_timeout"],
    ["resources/list", 60_000, "request_timeout"],
  ])("give %s %i ms", async (method, ms, code) => {
    const server = await serve({ rules: [{ on: method, do: [] }] });
    const clock = useManualClock();
    const use: Readonly<Record<string, (connection: Connection) => Promise<unknown>>> = {
      "tools/list": (connection) => connection.listTools(),
      "tools/call": (connection) => connection.callTool("echo", {}),
      "resources/list": (connection) => connection.request("resources/list"),
    };
    const ended = open(server)
      .then(use[method])
      .then(
        () => "worked",
        (error: unknown) => error,
      );
    await server.occurred(method);
    clock.advance(ms - 1);
    const early = await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 50, "pending"))]);
    expect(early).toBe("pending");
    clock.advance(1);
    expect(await ended).toMatchObject({ code });
  });
});

describe("the bearer token of a spec", () => {
  const sentWith = async (bearerToken: string): Promise<unknown> => {
    const server = await serve({});
    const { url } = server;
    const connection = await connect({ id: "web", era: "legacy", type: "http", url, bearerToken });
    cleanups.push(() => connection.close());
    const [first] = server.trace().flatMap(({ http }) => (http === undefined ? [] : [http]));
    return (first as unknown as { headers: Record<string, string> }).headers["authorization"];
  };

  it("is ignored when it is blank, and trimmed when it is not", async () => {
    expect(await sentWith(" \t ")).toBeUndefined();
    expect(await sentWith("  t0ken-of-the-user ")).toBe("Bearer t0ken-of-the-user");
  });

  it("is no credential when it is blank: plain HTTP to another host is allowed", async () => {
    const spec = (bearerToken: string) =>
      ({ id: "web", type: "http", url: "http://other.test/mcp", bearerToken }) as const;
    const signal = AbortSignal.abort();
    await expect(connect(spec("  "), { signal })).rejects.toMatchObject({ code: "aborted" });
    await expect(connect(spec("t0ken"), { signal })).rejects.toMatchObject({ code: "invalid_spec" });
  });
});
