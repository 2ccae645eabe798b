import type { ServerSpec } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { connect } from "../src/connector.ts";
import { legacyResult, reply, replyAsLegacy, startLoopback, type LoopbackServer } from "./loopback-server.ts";
import { thrownBy } from "./open-http-transport.ts";

/** A server that speaks the old HTTP+SSE alone, and says that messages go to `target`. */
async function startOld(target: string): Promise<LoopbackServer> {
  let say: (text: string) => void = () => undefined;
  return startLoopback((request, response) => {
    if (request.httpMethod === "GET") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      say = (text) => void response.write(text);
      return say(`event: endpoint\ndata: ${target}\n\n`);
    }
    if (!request.headers["content-type"]?.includes("json") || response.req.url !== "/messages")
      return reply(response, 405);
    reply(response, 202);
    const result = legacyResult(request);
    const { id } = request.message;
    if (result !== undefined) say(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
  });
}

const specOf = (server: LoopbackServer): ServerSpec => ({ id: "web", type: "http", url: server.url });

describe("the transport that mode: auto chooses", () => {
  it("is told with the protocol revision: the old HTTP+SSE", async () => {
    await using server = await startOld("/messages");
    const connection = await connect(specOf(server));
    expect(connection.server).toMatchObject({ httpMode: "sse", protocolVersion: "2025-11-25", era: "legacy" });
    await connection.close();
  });

  it("is told with the protocol revision: Streamable HTTP", async () => {
    await using server = await startLoopback(replyAsLegacy);
    const connection = await connect(specOf(server));
    expect(connection.server).toMatchObject({ httpMode: "streamable", protocolVersion: "2025-11-25" });
    await connection.close();
  });

  it("is not told for the old HTTP+SSE that names another origin, but that it does, and where", async () => {
    await using server = await startOld("https://elsewhere.example/messages");
    const error = await thrownBy(connect(specOf(server)));
    expect(error).toMatchObject({ code: "handshake_failed", outcome: "not-sent" });
    expect(String(error)).toContain("a message URL of another origin");
    expect(String(error)).toContain("https://elsewhere.example");
    // As a word: a port may have these digits in it.
    expect(String(error)).not.toMatch(/\b405\b/);
  });
});

it("ids count from 0 in a handshake, and go on from anywhere, so that nobody can answer what was not asked yet", async () => {
  await using server = await startLoopback(replyAsLegacy);
  for (let n = 0; n < 3; n += 1) {
    const connection = await connect({ ...specOf(server), era: "legacy" });
    await connection.listTools();
    await connection.close();
  }
  const idsOf = (method: string): unknown[] =>
    server.seen.filter(({ message }) => message["method"] === method).map(({ message }) => message["id"]);
  expect(idsOf("initialize")).toEqual([0, 0, 0]);
  const later = idsOf("tools/list");
  expect(new Set(later).size).toBe(3);
  for (const id of later) expect(id).toSatisfy((each: unknown) => Number.isSafeInteger(each) && Number(each) < 2 ** 31);
});
