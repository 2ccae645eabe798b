import { createRequire } from "node:module";
import {
  Client,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { JsonObject } from "@hostside/core";
import { driverFeatures, type DriverServer, type DriverVerbs } from "../driver-protocol.ts";
import { serveDriver } from "../serve-driver.ts";

// The bare SDK as a host: one client for each server, and nothing around it. What a product gets
// that stops at the SDK's examples.

interface Session {
  readonly client: Client;
  tools: readonly { readonly name: string }[];
  error?: string;
}

const sessions = new Map<string, Session>();
const calls = new Map<string, AbortController>();

await serveDriver({
  hello: {
    name: "sdk-client",
    version: sdkVersion(),
    features: driverFeatures.filter(
      (feature) => !["localNames", "stats", "clientCredentials", "dpop"].includes(feature),
    ),
  },
  host: {
    async init({ servers }) {
      await Promise.all(servers.map((spec) => start(spec).catch(() => {})));
      return {};
    },
    async addServer({ spec }) {
      try {
        await start(spec);
      } catch (error) {
        await sessions.get(spec.id)?.client.close();
        sessions.delete(spec.id);
        throw error;
      }
      return {};
    },
    async removeServer({ serverId }) {
      const session = sessions.get(serverId);
      sessions.delete(serverId);
      await session?.client.close();
      return {};
    },
    snapshot() {
      const all = Array.from(sessions, ([id, session]) => ({ id, ...session }));
      return {
        tools: all.flatMap(({ id, tools }) =>
          tools.map(({ name }) => ({ name: localName(id, name), serverId: id, remoteName: name })),
        ),
        servers: all.map(({ id, error }) => ({ id, ...(error !== undefined && { error }) })),
      };
    },
    call: callTool,
    cancel({ callId }) {
      calls.get(callId)?.abort();
      return {};
    },
    async refresh() {
      await Promise.all(Array.from(sessions.values(), list));
      return {};
    },
    events: () => ({ events: [] }),
    async close() {
      const all = Array.from(sessions.values());
      sessions.clear();
      await Promise.all(all.map(({ client }) => client.close()));
      return {};
    },
  },
});

async function start(spec: DriverServer): Promise<void> {
  const client = new Client(
    { name: "sdk-driver", version: "1.0.0" },
    {
      versionNegotiation: { mode: "auto", probe: { timeoutMs: spec.connectMs / 4 } },
      listChanged: {
        tools: {
          onChanged(error, tools) {
            if (error === null && tools !== null) session.tools = tools;
          },
        },
      },
    },
  );
  const session: Session = { client, tools: [] };
  sessions.set(spec.id, session);
  try {
    await client.connect(toTransport(spec), { timeout: spec.connectMs });
    await list(session);
  } catch (error) {
    session.error = String(error);
    throw error;
  }
}

async function list(session: Session): Promise<void> {
  const { tools } = await session.client.listTools();
  session.tools = tools;
}

async function callTool({
  callId,
  name,
  args,
  timeoutMs,
  meta,
}: DriverVerbs["call"]["params"]): Promise<DriverVerbs["call"]["result"]> {
  for (const [id, { client, tools }] of sessions) {
    const tool = tools.find((each) => localName(id, each.name) === name);
    if (tool === undefined) continue;
    const controller = new AbortController();
    calls.set(callId, controller);
    const params = { name: tool.name, arguments: args, ...(meta !== undefined && { _meta: meta }) };
    const options = { timeout: timeoutMs, signal: controller.signal };
    const { content, structuredContent, isError } = await client
      .callTool(params, options)
      .finally(() => calls.delete(callId));
    return {
      // What the SDK parsed came from JSON.
      content: content as readonly JsonObject[],
      ...(structuredContent !== undefined && { structuredContent: structuredContent as JsonObject }),
      ...(isError !== undefined && { isError }),
    };
  }
  throw new Error(`no tool ${name}`);
}

function toTransport({ transport }: DriverServer): Transport {
  if (transport.type === "stdio") {
    const { command, args, cwd } = transport;
    return new StdioClientTransport({ command, args: [...args], stderr: "ignore", ...(cwd !== undefined && { cwd }) });
  }
  const { url, mode, headers } = transport;
  const options = headers === undefined ? {} : { requestInit: { headers } };
  return mode === "sse"
    ? new SSEClientTransport(new URL(url), options)
    : new StreamableHTTPClientTransport(new URL(url), options);
}

function localName(serverId: string, name: string): string {
  return `${serverId}__${name}`;
}

function sdkVersion(): string {
  // Its package.json is not exported; the file lies above its entry.
  const entry = createRequire(import.meta.url).resolve("@modelcontextprotocol/client");
  const { version } = createRequire(entry)("../package.json") as { readonly version: string };
  return version;
}
