import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector } from "@hostside/transports";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createApiKeys } from "../src/index.ts";

/** Which keys are good, and whose they are. */
const owners = new Map<string, string>();
const sent: { readonly key: string; readonly method: string }[] = [];
/** Ends the call of "slow" that waits. */
let finishSlow: (() => void) | undefined;

// A legacy server over HTTP; its tool "whoami" says whose key a call had, and "slow" waits for the
// test.
const http = createServer((request, response) => {
  if (request.method !== "POST") return void response.writeHead(405).end();
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const message = JSON.parse(Buffer.concat(chunks).toString()) as Message;
    const key = String(request.headers["x-api-key"]);
    sent.push({ key, method: message.method });
    const owner = owners.get(key);
    if (owner === undefined) return void response.writeHead(401, { "www-authenticate": "ApiKey" }).end(`not ${key}`);
    if (message.id === undefined) return void response.writeHead(202).end();
    response.writeHead(200, { "content-type": "application/json" });
    const finish = (): void => answer(response, message, owner);
    if (message.params?.name === "slow") finishSlow = finish;
    else finish();
  });
});

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

function answer(response: ServerResponse, message: Message, owner: string): void {
  response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, result: resultOf(message, owner) }));
}

function resultOf({ method }: Message, owner: string): object {
  if (method === "initialize")
    return {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {} },
      serverInfo: { name: "keyed", version: "1" },
    };
  if (method === "tools/list")
    return { tools: ["slow", "whoami"].map((name) => ({ name, inputSchema: { type: "object" } })) };
  return { content: [{ type: "text", text: owner }] };
}

let url = "";
beforeAll(async () => {
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
});
afterAll(() => {
  http.closeAllConnections();
  http.close();
});
beforeEach(() => {
  owners.clear();
  sent.length = 0;
});

const vault = new Map<string | undefined, string>();
const keyFor = async ({ principal }: { principal?: string | undefined }): Promise<string | undefined> =>
  vault.get(principal);

function open(principal?: string): McpProvider {
  const keys = createApiKeys({ header: "x-api-key", keyFor });
  const transport = { type: "http", url, mode: "streamable", auth: "api-key" } as const;
  return createProvider({
    connector: createConnector({ authProvider: keys.authProvider }),
    servers: [{ id: "keyed", era: "legacy", ...transport }],
    principal,
  });
}

function replaceKey(principal: string, key: string): void {
  const old = vault.get(principal);
  if (old !== undefined) owners.delete(old);
  vault.set(principal, key);
  owners.set(key, principal);
}

const whoami = async (provider: McpProvider): Promise<unknown> => (await provider.call("mcp_keyed_whoami")).content[0];
const keysOf = (name: string): readonly string[] => sent.filter(({ method }) => method === name).map(({ key }) => key);

describe("API keys", () => {
  it("rotate without a restart, and a call that is under way with the old one finishes", async () => {
    replaceKey("ann", "key-one");
    await using provider = open("ann");
    await provider.init();
    const slow = provider.call("mcp_keyed_slow");
    await expect.poll(() => finishSlow).toBeDefined();
    replaceKey("ann", "key-two");
    expect(await whoami(provider)).toMatchObject({ text: "ann" });
    finishSlow?.();
    expect(await slow).toMatchObject({ content: [{ text: "ann" }], isError: false });
    expect([keysOf("initialize"), keysOf("tools/call")]).toEqual([["key-one"], ["key-one", "key-two"]]);
    expect(provider.statuses()).toMatchObject([{ state: "ready" }]);
  });

  it("of one principal are never sent for another", async () => {
    replaceKey("ann", "key-of-ann");
    replaceKey("bob", "key-of-bob");
    await using ann = open("ann");
    await using bob = open("bob");
    await Promise.all([ann.init(), bob.init()]);
    expect(await Promise.all([whoami(ann), whoami(bob)])).toMatchObject([{ text: "ann" }, { text: "bob" }]);
  });

  it("that were revoked leave the server in needs-auth, with words that say what to do, until there is another", async () => {
    replaceKey("ann", "key-one");
    await using provider = open("ann");
    await provider.init();
    owners.clear();
    await expect(whoami(provider)).rejects.toMatchObject({ code: "auth_required", outcome: "failed" });
    const [status] = provider.statuses();
    expect(status).toMatchObject({
      state: "needs-auth",
      error: { code: "auth_required", details: { httpStatus: 401, challenge: "ApiKey" } },
    });
    expect(status?.error?.message).toContain(
      'the key for server "keyed" and principal "ann" was refused: have keyFor() give another one',
    );
    expect(JSON.stringify(status)).not.toContain("key-one");
    replaceKey("ann", "key-two");
    await provider.refreshServer("keyed");
    expect(provider.statuses()).toMatchObject([{ state: "ready" }]);
    expect(await whoami(provider)).toMatchObject({ text: "ann" });
  });

  it("that cannot be had for now are no want of credentials", async () => {
    await using provider = createProvider({
      connector: createConnector({
        authProvider: createApiKeys({ keyFor: () => Promise.reject(new Error("the vault is sealed")) }).authProvider,
      }),
      servers: [{ id: "keyed", era: "legacy", type: "http", url, mode: "streamable", auth: "api-key" }],
    });
    await provider.init();
    expect(provider.statuses()).toMatchObject([{ state: "failed", error: { code: "store_failed", retryable: true } }]);
    expect(sent).toEqual([]);
  });
});
