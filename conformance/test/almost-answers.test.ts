import { startFaultServer, type FaultRule } from "@hostside/fixtures";
import { expect, it } from "vitest";
import { checkServer } from "../src/server/check-server.ts";
import { serverChecks } from "../src/server/checks/server-checks.ts";
import type { ServerAddress } from "../src/server/server-address.ts";

// Answers the handshake well, and everything after it with what `answer` makes of its id.
const program = (answer: string): string => `
  const send = (message) => console.log(JSON.stringify(message));
  require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const { id, method, params } = JSON.parse(line);
    const serverInfo = { name: "odd", version: "1" };
    const { protocolVersion } = params ?? {};
    if (method === "initialize")
      send({ jsonrpc: "2.0", id, result: { protocolVersion, capabilities: { tools: {} }, serverInfo } });
    else if (id !== undefined) send(${answer});
  });
`;

function observe(answer: string, ...ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const server = { command: process.execPath, args: ["-e", program(answer)] };
  return observeAt({ type: "stdio", server }, ids);
}

async function observeAt(address: ServerAddress, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const needed = ["lifecycle/initialize", "lifecycle/second-client"];
  const { results } = await checkServer({
    address,
    checks: serverChecks.filter(({ id }) => [...ids, ...needed].includes(id)).map((check) => ({ ...check, needs: [] })),
    answerMs: 500,
    preview: false,
  });
  return new Map(
    results.flatMap(({ check: { id }, finding }) =>
      ids.includes(id) ? [[id, finding.status === "fail" ? finding.observed : finding.status] as const] : [],
    ),
  );
}

it.each([
  [
    "{ jsonrpc: '1.0', id, result: {} }",
    /an object with id \d+ came that is no JSON-RPC 2\.0 message \(jsonrpc is "1\.0"\)/,
  ],
  ["{ id, error: 'what?' }", /an object with id \d+ came that is no JSON-RPC 2\.0 message \(it has no jsonrpc\)/],
  ["{ jsonrpc: '2.0', id: String(id), result: {} }", /an answer with id "(\d+)" \(a text\) to request \1/],
])(
  "says of a server that answers %s what is wrong with it, not that it is silent",
  { timeout: 60_000 },
  async (answer, observed) => {
    const ids = ["tools/list", "requests/probe", "requests/unknown-method"];
    const seen = await observe(answer, ...ids);
    for (const id of ids) expect(seen.get(id), id).toMatch(observed);
  },
);

it("says it of a call, too, which is no tool at work", { timeout: 60_000 }, async () => {
  const tool = "{ name: 'look', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }";
  const good = `{ jsonrpc: '2.0', id, result: method === 'tools/list' ? { tools: [${tool}] } : {} }`;
  const seen = await observe(`method === 'tools/call' ? { id, result: 'ok' } : ${good}`, "calls/answered");
  const wrong = /^look: an object with id \d+ came that is no JSON-RPC 2\.0 message \(it has no jsonrpc\)$/;
  expect(seen.get("calls/answered")).toMatch(wrong);
});

it("takes no batch over HTTP for the error that a request is owed", { timeout: 60_000 }, async () => {
  const refuse = (method: string, status: number, code: number): FaultRule => ({
    on: "POST",
    where: { method },
    do: [{ type: "http", status, json: [{ jsonrpc: "2.0", id: 1, error: { code, message: "No" } }] }],
  });
  const rules = [refuse("tools/list", 400, -32_020), refuse("hostside/no-such-method", 404, -32_601)];
  await using server = await startFaultServer({ script: { era: "modern", rules }, transport: "http" });
  const ids = ["http/header-mismatch", "http/unknown-method-status"];
  const seen = await observeAt({ type: "http", url: new URL(server.url) }, ids);
  expect(seen.get(ids[0] ?? "")).toMatch(/^400: \[/);
  expect(seen.get(ids[1] ?? "")).toMatch(/^404: \[/);
});

it.each([
  ["http", '"jsonrpc":"1.0",', 'jsonrpc is "1.0"'],
  ["http", "", "it has no jsonrpc"],
  ["sse", '"jsonrpc":"1.0",', 'jsonrpc is "1.0"'],
  ["sse", "", "it has no jsonrpc"],
] as const)("takes nothing over %s for an answer that begins with {%s", async (transport, member, version) => {
  const wrong = { type: "respond", text: `{${member}"id":{{id}},"result":{}}` } as const;
  const rules = ["tools/list", "ping", "hostside/no-such-method"].map((on) => ({ on, do: [wrong] }));
  await using server = await startFaultServer({ script: { era: "legacy", tools: [], rules }, transport });
  const ids = ["tools/list", "requests/probe", "requests/unknown-method"];
  const seen = await observeAt({ type: transport, url: new URL(server.url) }, ids);
  for (const id of ids) expect(seen.get(id), id).toContain(`that is no JSON-RPC 2.0 message (${version})`);
});
