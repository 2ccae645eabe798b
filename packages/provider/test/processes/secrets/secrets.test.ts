import { isHostsideError, type ServerSpec } from "@hostside/core";
import { createProvider, type McpProvider } from "@hostside/provider";
import { createConnector, type ConnectorOptions } from "@hostside/transports";
import * as fc from "fast-check";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collectTexts, type TextCollector } from "./all-texts.ts";
import { readingsOf, secrets, spellings } from "./spellings.ts";

// `pnpm proof properties` asks for more.
const runs = Number(process.env["HOSTSIDE_RUNS"] ?? 60);
// On a busy machine fewer runs; there are more on the next day.
const asManyAsFit = { endOnFailure: true, interruptAfterTimeLimit: 6000, markInterruptAsFailure: false };
// Some behaviours have a client come back again and again.
const timeouts = { connectMs: 500, callMs: 500, listMs: 500, requestMs: 500 };
const child = join(import.meta.dirname, "echoing-child.mjs");
let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hostside-secrets-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/**
 * Does with a server what a product does, and returns where one of the secrets stands in all that
 * is said of it.
 */
async function findLeak(
  spec: ServerSpec,
  hidden: readonly string[],
  options: ConnectorOptions = {},
): Promise<string | undefined> {
  const connector = createConnector(options);
  await using provider = createProvider({
    connector,
    servers: [{ ...spec, allow: ["t", "u", "missing"] }],
    backoff: { background: false },
  });
  using collector = collectTexts(provider);
  await useAll(provider, collector);
  const texts = collector.texts();
  if (texts.length < 100) return "nothing was said at all";
  const readings = readingsOf(texts);
  const places = hidden.map((secret) => readings.indexOf(secret)).filter((at) => at !== -1);
  return places.map((at) => readings.slice(Math.max(0, at - 200), at + 100))[0];
}

async function useAll(provider: McpProvider, collector: TextCollector): Promise<void> {
  const add = (...values: readonly unknown[]): void => collector.add(...values);
  const attempt = async (work: () => Promise<unknown>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      add(error);
      if (isHostsideError(error)) add(...(error.details.failures ?? []), error.cause);
    }
  };
  await attempt(() => provider.init());
  for (const { name } of provider.tools()) {
    await attempt(() => provider.call(name, {}, { onProgress: add }));
  }
  await attempt(() => provider.refresh());
  await attempt(async () => {
    const connection = await provider.connection("s", { interactive: true });
    add(connection.server);
    await connection.request("resources/list");
  });
}

describe("no text shows a secret that", () => {
  it("was given to a process, wherever and in whatever spelling it repeats it", async () => {
    const behaviours = fc.constantFrom("works", "dies", "refuses", "exits");
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.tuple(secrets, secrets, secrets), spellings, behaviours, async (hidden, spell, behaviour) => {
        const [key, token, password] = hidden;
        const plan = join(folder, `${(run += 1)}.json`);
        await writeFile(plan, JSON.stringify({ echo: hidden.map(spell).join(" , "), behaviour }));
        const url = `postgres://me:${encodeURIComponent(password)}@db.example/x`;
        const args = [child, plan, "--api-key", key];
        const env = { SERVICE_TOKEN: token, DATABASE_URL: url };
        const transport = { type: "stdio", command: process.execPath, args, env } as const;
        const spec = { id: "s", era: "legacy", ...transport, timeouts: { connectMs: 10_000 } } as const;
        expect(await findLeak(spec, hidden)).toBeUndefined();
      }),
      { ...asManyAsFit, numRuns: Math.ceil(runs / 20) },
    );
  });

  it("was sent over HTTP, wherever and in whatever spelling the server repeats it", async () => {
    await using server = await startEchoing();
    const behaviours = fc.constantFrom(...httpBehaviours);
    await fc.assert(
      fc.asyncProperty(fc.tuple(secrets, secrets, secrets), spellings, behaviours, async (given, spell, behaviour) => {
        const [query, header, bearer] = given;
        const path = given.join("").replaceAll(/\W/g, "").slice(0, 20);
        const hidden = [...given, path];
        server.behave(behaviour, hidden.map(spell).join(" , "));
        const url = `${server.origin}/mcp/${path}/sse?key=${encodeURIComponent(query)}`;
        const headers = { "x-tenant": header };
        const transport = { type: "http", url, mode: "streamable", headers, bearerToken: bearer } as const;
        expect(await findLeak({ id: "s", timeouts, ...transport }, hidden)).toBeUndefined();
      }),
      { ...asManyAsFit, numRuns: Math.ceil(runs / 6) },
    );
  });

  it("was used for an authorization, wherever and in whatever spelling either server repeats it", async () => {
    await using server = await startEchoing();
    await fc.assert(
      fc.asyncProperty(fc.tuple(secrets, secrets, secrets), spellings, async (hidden, spell) => {
        const [access, refresh, clientSecret] = hidden;
        server.behave("wants-authorization", hidden.map(spell).join(" , "));
        const authProvider: ConnectorOptions["authProvider"] = (_spec, { fetch }) => ({
          headersFor: async () => ({ authorization: `Bearer ${access}` }),
          async onRefused() {
            const form = { grant_type: "refresh_token", refresh_token: refresh, client_secret: clientSecret };
            const body = new URLSearchParams(form);
            const response = await fetch(`${server.origin}/token`, { method: "POST", body });
            throw new Error(await response.text());
          },
        });
        const transport = { type: "http", url: `${server.origin}/mcp`, mode: "streamable", auth: "oauth" } as const;
        const leak = await findLeak({ id: "s", timeouts, ...transport }, hidden, { authProvider });
        expect(leak).toBeUndefined();
      }),
      { ...asManyAsFit, numRuns: Math.ceil(runs / 15) },
    );
  });
});

const httpBehaviours = [
  ...[400, 401, 403, 404, 405, 429, 500, 503].map((status) => `status-${status}`),
  "redirects",
  "web-page",
  "malformed",
  "odd-encoding",
  "events",
  "works",
] as const;

interface EchoingServer extends AsyncDisposable {
  readonly origin: string;
  behave(behaviour: string, echo: string): void;
}

/** An HTTP server that says the same thing everywhere. */
async function startEchoing(): Promise<EchoingServer> {
  let [behaviour, echo] = ["works", ""];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      if (behaviour === "wants-authorization") answerOAuth(request.url ?? "", response, echo);
      else answer(body, response, { behaviour, echo });
    });
  });
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    origin: origin(),
    behave: (nextBehaviour, nextEcho) => void ([behaviour, echo] = [nextBehaviour, nextEcho]),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function answer(
  body: string,
  response: ServerResponse,
  { behaviour, echo }: { behaviour: string; echo: string },
): void {
  // What no header can carry is not echoed in one.
  const inHeader = echo.replaceAll(/[^\t -~]/g, "");
  const message = body === "" ? {} : (JSON.parse(body) as { id?: unknown; method?: string });
  const error = { jsonrpc: "2.0", id: message.id ?? null, error: { code: -32_000, message: echo, data: { echo } } };
  response.setHeader("www-authenticate", `Bearer realm="${inHeader}", error="insufficient_scope"`);
  response.statusMessage = inHeader;
  if (behaviour.startsWith("status-")) {
    const status = Number(behaviour.slice(7));
    return void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(error));
  }
  switch (behaviour) {
    case "redirects":
      return void response.writeHead(307, { location: `https://${encodeURIComponent(echo)}.example/` }).end(echo);
    case "web-page":
      return void response.writeHead(200, { "content-type": `text/html; x="${inHeader}"` }).end(`<html>${echo}`);
    case "odd-encoding":
      return void response.writeHead(200, { "content-encoding": inHeader }).end(echo);
    case "malformed":
      return void response.writeHead(200, { "content-type": "application/json" }).end(`{"jsonrpc": ${echo}`);
    case "events":
      return void response
        .writeHead(200, { "content-type": "text/event-stream", "mcp-session-id": "abc" })
        .end(
          `: ${inHeader}\nevent: ${inHeader}\ndata: ${inHeader}\n\nid: ${inHeader}\ndata: {"x": ${JSON.stringify(echo)}}\n\n`,
        );
    default:
      return answerWell(message, response, echo);
  }
}

function answerWell(message: { id?: unknown; method?: string }, response: ServerResponse, echo: string): void {
  if (message.id === undefined) return void response.writeHead(202).end();
  const results: Record<string, object> = {
    initialize: {
      protocolVersion: "2025-11-25",
      capabilities: { tools: {}, experimental: { echo } },
      serverInfo: { name: echo, title: echo, version: echo, description: echo },
      instructions: echo,
    },
    "tools/list": {
      tools: [{ name: "t", description: echo, inputSchema: {} }, { name: echo.padEnd(5000, "y") }],
      nextCursor: 5,
    },
  };
  const result = results[message.method ?? ""];
  const error = { code: -32_603, message: echo, data: [echo] };
  const answered = result === undefined ? { error } : { result };
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...answered }));
}

function answerOAuth(path: string, response: ServerResponse, echo: string): void {
  const json = (status: number, body: object): void =>
    void response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  if (path === "/token") return json(400, { error: "invalid_request", error_description: `bad request: ${echo}` });
  // Of the others nobody has heard before they are sent.
  return json(401, { error: echo.split(" , ")[0] });
}
