import { expect, it } from "vitest";
import { checkServer } from "../src/server/check-server.ts";
import { serverChecks } from "../src/server/checks/server-checks.ts";

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

async function observe(answer: string, ...ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const needed = ["lifecycle/initialize", "lifecycle/second-client"];
  const { results } = await checkServer({
    address: { kind: "stdio", server: { command: process.execPath, args: ["-e", program(answer)] } },
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
    /a line with id \d+ came that is no JSON-RPC 2\.0 message \(jsonrpc is "1\.0"\)/,
  ],
  ["{ id, error: 'what?' }", /a line with id \d+ came that is no JSON-RPC 2\.0 message \(it has no jsonrpc\)/],
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
  const wrong = /^look: a line with id \d+ came that is no JSON-RPC 2\.0 message \(it has no jsonrpc\)$/;
  expect(seen.get("calls/answered")).toMatch(wrong);
});
