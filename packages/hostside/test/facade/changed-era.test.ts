import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as textOf } from "node:stream/consumers";
import { createHost } from "hostside";
import { describe, expect, it } from "vitest";
import { createTemporaryFolder } from "./temporary-folder.ts";

/**
 * The source of a server that is replaced, by its tool `replace`, by one of the other era. It
 * refuses whatever is not of its era with -32600, and so does its tool `refuse`.
 */
const source = `
  const key = "io.modelcontextprotocol/protocolVersion";
  const tools = ["say", "replace", "refuse"].map((name) => ({ name, inputSchema: { type: "object" } }));
  const capabilities = { tools: {} };
  const serverInfo = { name: "s", version: "1" };
  const _meta = { "io.modelcontextprotocol/serverInfo": serverInfo };
  const methods = [];
  let isReady = false;
  function answer({ method, params }) {
    methods.push(method);
    const isModern = params?._meta?.[key] !== undefined;
    const invalid = { error: { code: -32600, message: "Invalid Request" } };
    if (era === "modern") {
      if (!isModern) return invalid;
      if (method === "server/discover") return { result: { resultType: "complete", supportedVersions: ["2026-07-28"], capabilities, _meta } };
    } else {
      if (method === "server/discover") return { error: { code: -32601, message: "Method not found" } };
      if (method === "initialize") {
        isReady = true;
        return { result: { protocolVersion: "2025-06-18", capabilities, serverInfo } };
      }
      if (!isReady || isModern) return invalid;
    }
    const done = era === "modern" ? { resultType: "complete" } : {};
    if (method === "tools/list") return { result: { ...done, tools } };
    const content = [{ type: "text", text: params.name === "say" ? era : methods.join() }];
    if (params.name === "refuse") return invalid;
    if (params.name === "replace") {
      era = era === "modern" ? "legacy" : "modern";
      isReady = false;
      onReplaced(era);
    }
    return { result: { ...done, content } };
  }
`;

type Era = "legacy" | "modern";
type Answer = (message: { readonly method: string }) => object;

const startProgram = async (era: Era) => {
  // What the program is now outlives its process.
  return { spec: programOf(createTemporaryFolder().write("era", era)), close: () => undefined };
};

const programOf = (file: string) => ({
  command: process.execPath,
  args: [
    "--input-type=module",
    "-e",
    `import { readFileSync, writeFileSync } from "node:fs";
       import { createInterface } from "node:readline";
       let era = readFileSync(process.argv[1], "utf8");
       const onReplaced = (now) => writeFileSync(process.argv[1], now);
       ${source}
       for await (const line of createInterface({ input: process.stdin })) {
         const message = JSON.parse(line);
         if (message.id === undefined) continue;
         process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answer(message) }) + "\\n");
       }`,
    file,
  ],
});

const startHttp = (status: number) => async (era: Era) => {
  // eslint-disable-next-line @typescript-eslint/no-implied-eval
  const answer = new Function("era", "onReplaced", `${source} return answer;`)(era, () => undefined) as Answer;
  const server = createServer((request, response) => {
    void textOf(request).then((body) => {
      if (request.method !== "POST") return response.writeHead(405).end();
      const message = JSON.parse(body) as { readonly id?: number; readonly method: string };
      if (message.id === undefined) return response.writeHead(202).end();
      const answered = answer(message);
      response.writeHead("error" in answered ? status : 200, { "content-type": "application/json" });
      return response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answered }));
    });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  return { spec: { url: `http://127.0.0.1:${port}/mcp` }, close: () => server.close() };
};

const ways = [
  ["stdio", startProgram],
  ["HTTP with status 200", startHttp(200)],
  ["HTTP with status 400", startHttp(400)],
] as const;

describe.each(ways)("a server that changes its era while the host runs (%s)", (_way, start) => {
  it.each([
    ["legacy", "modern"],
    ["modern", "legacy"],
  ] as const)("is connected to anew, from %s to %s, for the next call", async (before, after) => {
    const server = await start(before);
    await using host = await createHost({ servers: { s: server.spec } });
    const say = async (): Promise<unknown> => (await host.call("mcp_s_say")).content;
    expect(await say()).toEqual([{ type: "text", text: before }]);
    await host.call("mcp_s_replace");
    await expect(say()).rejects.toMatchObject({ code: "unsupported_protocol", outcome: "failed" });
    expect(await say()).toEqual([{ type: "text", text: after }]);
    expect(host.statuses()).toMatchObject([{ id: "s", state: "ready" }]);
    server.close();
  });

  it("keeps its session when a tool alone refuses with the same error", async () => {
    const server = await start("legacy");
    await using host = await createHost({ servers: { s: server.spec } });
    await host.call("mcp_s_say");
    const refused = host.call("mcp_s_refuse");
    await expect(refused).rejects.toMatchObject({ code: "server_error", details: { rpcCode: -32_600 } });
    const { content } = await host.call("mcp_s_replace");
    expect(
      JSON.stringify(content)
        .split(",")
        .filter((method) => method === "initialize"),
    ).toHaveLength(1);
    server.close();
  });
});
