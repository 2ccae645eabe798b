import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { JsonObject } from "@hostside/core";
import { expect, it } from "vitest";
import { checkServer } from "../src/index.ts";
import { serverChecks } from "../src/server/checks/server-checks.ts";

it(
  "is one headline: a server at a URL that ends of a request, with what could not be checked after it",
  { timeout: 60_000 },
  async () => {
    const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const body = await text(request);
      if (body.startsWith("{this")) {
        // As an exception that nobody catches does it.
        server.closeAllConnections();
        setTimeout(() => server.close(), 20);
        return;
      }
      const answer = request.method === "POST" ? answerTo(JSON.parse(body) as JsonObject) : undefined;
      response.writeHead(answer ? 200 : request.method === "POST" ? 202 : 405, { "content-type": "application/json" });
      response.end(answer && JSON.stringify({ jsonrpc: "2.0", ...answer }));
    };
    const server = createServer((request, response) => void serve(request, response));
    await once(server.listen(0, "127.0.0.1"), "listening");
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    const checks = serverChecks.filter(({ id }) =>
      /^(?:lifecycle|http|tools)\/|^requests\/(?:probe|unknown-method)$/.test(id),
    );
    const { headlines, results, verdict } = await checkServer({
      address: { type: "http", url },
      checks,
      preview: false,
    });
    const [gone, ...more] = headlines.filter(({ observed }) => /went away|ECONN|socket/.test(observed));
    expect([gone?.checkId, more, verdict]).toEqual(["http/bad-json", [], "fail"]);
    const prevented = results.filter(({ finding }) => finding.status === "could-not-run");
    expect(gone?.prevented).toEqual(prevented.map(({ check }) => check.id));
    expect(prevented.length).toBeGreaterThan(0);
  },
);

function answerTo({ id, method }: JsonObject): JsonObject | undefined {
  if (id === undefined) return undefined;
  const tools = [{ name: "echo", description: "Says it again.", inputSchema: { type: "object" } }];
  const serverInfo = { name: "mortal", version: "1.0.0" };
  if (method === "initialize")
    return { id, result: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo } };
  if (method === "ping") return { id, result: {} };
  return method === "tools/list" ? { id, result: { tools } } : { id, error: { code: -32601, message: "no" } };
}
