import { createProvider } from "@hostside/provider";
import { createResources } from "@hostside/provider/resources";
import { createConnector } from "@hostside/transports";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";

it.each([[1, ["s1", "s2"]] as const, [2, ["s1", "s2"]] as const])(
  "a read whose session the server forgot %i times is asked in two sessions, and in no third",
  async (times, sessions) => {
    await using server = await startForgetful(times);
    await using provider = createProvider({
      connector: createConnector(),
      servers: [{ id: "forgetful", type: "http", url: server.url, era: "legacy" }],
    });
    const resources = createResources(provider);
    const read = resources.read({ serverId: "forgetful", uri: "note://one" });
    const outcome = await read.then(
      ({ contents }) => contents,
      (error: unknown) => error,
    );
    expect(outcome).toMatchObject(times === 1 ? [{ text: "read in s2" }] : { code: "session_expired" });
    expect(server.reads).toEqual(sessions);
  },
);

/**
 * A server of the earlier era that answers so many reads with HTTP 404: it does not know their
 * session any more.
 */
async function startForgetful(times: number) {
  const reads: string[] = [];
  let sessions = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (request.method !== "POST") return void response.writeHead(405).end();
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { id, method } = JSON.parse(body) as { readonly id?: number; readonly method: string };
    if (id === undefined) return void response.writeHead(202).end();
    const session = String(request.headers["mcp-session-id"]);
    if (method === "resources/read") reads.push(session);
    if (method === "resources/read" && reads.length <= times) return void response.writeHead(404).end();
    if (method === "initialize") response.setHeader("mcp-session-id", `s${(sessions += 1)}`);
    const serverInfo = { name: "forgetful", version: "1" };
    const greeting = { protocolVersion: "2025-11-25", capabilities: { resources: {} }, serverInfo };
    const result =
      method === "initialize" ? greeting : { contents: [{ uri: "note://one", text: `read in ${session}` }] };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
  };
  const http = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => void http.listen(0, "127.0.0.1", resolve));
  return {
    reads,
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose]() {
      http.closeAllConnections();
      await new Promise((resolve) => void http.close(resolve));
    },
  };
}
