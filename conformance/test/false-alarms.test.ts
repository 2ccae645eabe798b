import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { startFaultServer, type FaultRule, type FaultScript, type JsonObject } from "@hostside/fixtures";
import { expect, it } from "vitest";
import type { Finding } from "../src/engine/check.ts";
import { checkServer } from "../src/server/check-server.ts";
import { serverChecks } from "../src/server/checks/server-checks.ts";

// What published servers do, and the kit once blamed them for, or blamed them in words that led
// astray.
async function findingOf(id: string, script: FaultScript): Promise<Finding | undefined> {
  await using server = await startFaultServer({ script: { era: "legacy", ...script }, transport: "http" });
  return await findingAt(id, server.url);
}

async function findingAt(id: string, url: string): Promise<Finding | undefined> {
  const checks = serverChecks.filter((check) => check.id === id).map((check) => ({ ...check, needs: [] }));
  const { results } = await checkServer({
    address: { type: "http", url: new URL(url) },
    checks,
    answerMs: 3000,
    preview: false,
  });
  return results[0]?.finding;
}

const odd = { "http.headers.mcp-protocol-version": "1999-01-01" };

it("a server of a revision before the version header owes nothing about it", async () => {
  const rules = [{ on: "POST", where: odd, do: [{ type: "proceed" } as const] }];
  const id = "http/unsupported-version-header";
  expect(await findingOf(id, { rules, protocolVersion: "2025-03-26" })).toEqual({
    status: "not-applicable",
    reason: "not owed in 2025-03-26",
  });
  expect(await findingOf(id, { rules, protocolVersion: "2025-06-18" })).toMatchObject({ status: "fail" });
});

it.each([
  ["an error", { type: "respond", message: { error: { code: -32_000, message: "Rate limit exceeded" } } }],
  ["a 429", { type: "http", status: 429, body: "slow down" }],
] as const)("a server that limits how often it is asked, by %s, is not judged by that", async (_, refusal) => {
  const listed = await findingOf("tools/order-stable", { rules: [{ on: "tools/list", from: 2, do: [refusal] }] });
  expect(listed).toMatchObject({
    status: "could-not-run",
    reason: expect.stringMatching(/limits.*(?:Rate limit|429)/),
  });
  const batch = await findingOf("requests/batch", { rules: [{ on: "ping", do: [refusal] }] });
  expect(batch).toMatchObject({ status: "could-not-run" });
});

it.each([
  ["could not reach", "request to https://files.example/v3 failed, reason: getaddrinfo ENOTFOUND files.example"],
  ["has no account for", "EXAMPLE_API_KEY is not set"],
])("a server that %s what it asks in turn has not listed wrongly", async (reason, message) => {
  const refuse = (text: string): FaultScript => ({
    rules: [{ on: "tools/list", do: [{ type: "respond", message: { error: { code: -32_603, message: text } } }] }],
  });
  expect(await findingOf("tools/list", refuse(message))).toMatchObject({
    status: "could-not-run",
    reason: expect.stringContaining(reason),
  });
  expect(await findingOf("tools/list", refuse("'uri' is missing"))).toMatchObject({ status: "fail" });
});

it("a resource whose URI is none is one failure, and is not read", async () => {
  const listed = [{ uri: "1password://config", name: "config" }];
  const unread = { type: "respond", message: { error: { code: -32_602, message: "Invalid URI" } } } as const;
  const script: FaultScript = {
    capabilities: { resources: {} },
    rules: [
      { on: "resources/list", do: [{ type: "respond", message: { result: { resources: listed } } }] },
      { on: "resources/read", do: [unread] },
    ],
  };
  expect(await findingOf("resources/entries", script)).toMatchObject({ status: "fail" });
  expect(await findingOf("resources/read-listed", script)).toMatchObject({ status: "not-applicable" });
});

const zodIssue = (path: readonly string[]): JsonObject => ({
  content: [
    {
      type: "text",
      text: `Error: ${JSON.stringify([{ code: "invalid_type", received: "undefined", path }], null, 2)}`,
    },
  ],
  isError: true,
});

it.each([
  ["Zod, of what is required", ["q"], { result: zodIssue(["q"]) }],
  ["an error, of what is required", ["q"], { error: { code: -32_603, message: "No arguments provided" } }],
  ["Zod, though nothing is required", [], { result: zodIssue([]) }],
  ["an error, though nothing is required", [], { error: { code: -32_603, message: "No arguments provided" } }],
])("a call without arguments that is refused by %s", async (_, required, message) => {
  const inputSchema = { type: "object", properties: { q: { type: "string" } }, required };
  const tools = [{ name: "search", description: "Searches.", annotations: { readOnlyHint: true }, inputSchema }];
  const result = { content: [{ type: "text", text: "none" }] };
  const rules: FaultRule[] = [
    { on: "tools/call", where: { "params.arguments": null }, do: [{ type: "respond", message }] },
    { on: "tools/call", do: [{ type: "respond", message: { result } }] },
  ];
  expect(await findingOf("calls/absent-arguments", { tools, rules })).toMatchObject({
    status: required.length > 0 ? "pass" : "fail",
  });
});

it.each([
  [5200, 1, "fail"],
  [17_600, 9, "could-not-run"],
  [4900, 1, "pass"],
])(
  "a first answer after %s ms, on a machine that is %s times slower than idle: %s",
  async (tookMs, slowdown, status) => {
    const check = serverChecks.find(({ id }) => id === "stdio/time-to-initialize");
    const target = { first: { tookMs, slowdown: Promise.resolve(slowdown) } };
    const found: unknown = await Reflect.apply(check?.run ?? String, undefined, [target]);
    expect(found).toMatchObject({ status });
  },
);

it("six objects inside one another are no deep schema, however JSON nests them", async () => {
  const nest = (depth: number): JsonObject =>
    depth === 0 ? { type: "string" } : { type: "object", properties: { a: nest(depth - 1) } };
  const tools = [{ name: "deep", description: "Digs.", inputSchema: nest(6) }];
  expect(await findingOf("portability/schema-size", { tools })).toMatchObject({ status: "pass" });
});

it("a server with more pages than the kit reads goes round in no circle", async () => {
  const tool = { name: "t{{i}}", description: "Does {{i}}.", inputSchema: { type: "object", properties: {} } };
  const manyTools = { count: 250, tool };
  expect(await findingOf("tools/pagination-ends", { tools: [], manyTools, pageSize: 1 })).toEqual({
    status: "pass",
    observed: "200 pages, of more",
  });
});

it("a second listing that is refused is no listing without tools", async () => {
  const refusal = { type: "respond", message: { error: { code: -32_603, message: "Not now" } } } as const;
  const listed = await findingOf("tools/order-stable", { rules: [{ on: "tools/list", from: 2, do: [refusal] }] });
  expect(listed).toMatchObject({ status: "fail", observed: 'the second listing: error -32603: "Not now"' });
});

it("a foreign page that is refused with 500 is refused, if in a wrong way", async () => {
  await using server = await startFaultServer({ script: { era: "legacy" }, transport: "http" });
  await using gate = await refuseOrigins(server.url);
  expect(await findingAt("http/foreign-origin", gate.url)).toMatchObject({
    status: "fail",
    observed:
      "500 to Origin https://attacker.example: it is refused, but a fault of the server's own says another thing",
  });
});

it("what a response holds is shown without the line's end after it", async () => {
  const answer = { type: "http", status: 500, body: "Not now\n" } as const;
  const found = await findingOf("http/unsupported-version-header", {
    rules: [{ on: "POST", where: odd, do: [answer] }],
  });
  expect(found).toMatchObject({ status: "fail", observed: "500: Not now" });
});

/** In front of a server: answers 500 to whatever has an origin, as middleware does that throws. */
async function refuseOrigins(url: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const gate = createServer((incoming, response) => {
    if (incoming.headers.origin !== undefined) return void response.writeHead(500).end("Not allowed");
    const { hostname, port, pathname } = new URL(url);
    const { method, headers } = incoming;
    const onward = request({ hostname, port, path: pathname, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve));
  const { port } = gate.address() as AddressInfo; // A TCP server has one.
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      gate.closeAllConnections();
      await new Promise((resolve) => gate.close(resolve));
    },
  };
}
