import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { verbatimNaming } from "../../packages/naming/dist/index.js";
import { createProvider } from "../../packages/provider/dist/index.js";
import { createConnector } from "../../packages/transports/dist/index.js";
import { kitVersion } from "../dist/engine/kit-version.js";
import { serveDriver } from "../dist/host/index.js";
import { describeHostsideError } from "../dist/host/reference-host.js";

const command = fileURLToPath(new URL("../../packages/hostside/bin/hostside.js", import.meta.url));

/** @type {import("../../packages/provider/dist/index.js").McpProvider | undefined} */
let client;
let folder = "";
/** @type {readonly string[]} */
let ids = [];
/** @type {Map<string, AbortController>} */
const calls = new Map();

// `hostside serve --expose all` in front of all servers, as an editor starts it; the editor is a provider here.
await serveDriver({
  hello: {
    name: "hostside serve",
    version: kitVersion(),
    features: ["stdio", "http", "sse", "legacy", "2026-07-28", "headers", "cancel", "meta"],
  },
  describeError: describeHostsideError,
  host: {
    async init({ servers }) {
      ids = servers.map(({ id }) => id).toSorted((a, b) => b.length - a.length);
      folder = await mkdtemp(join(tmpdir(), "hostside-serve-"));
      const file = join(folder, "hostside.json");
      const entries = Object.fromEntries(servers.map((server) => [server.id, entryOf(server)]));
      await writeFile(file, JSON.stringify({ servers: entries }));
      client = createProvider({
        connector: createConnector(),
        naming: verbatimNaming,
        refresh: "debounced",
        debounce: { quietMs: 20, maxMs: 200 },
      });
      await client.addServer({
        id: "serve",
        type: "stdio",
        command: process.execPath,
        args: [command, "serve", "--config", file, "--expose", "all"],
        env: { HOME: folder, XDG_STATE_HOME: folder },
      });
      return {};
    },
    snapshot() {
      const tools = (client?.tools() ?? []).flatMap(({ name, description }) => {
        const serverId = ids.find((id) => name.startsWith(prefixOf(id)));
        if (serverId === undefined) return [];
        // Names of the servers themselves are not told. Tools of the kit whose names differ say them in their descriptions.
        const [, said] = /Does (.+)\.$/s.exec(description) ?? [];
        return [{ name, serverId, remoteName: said ?? name.slice(prefixOf(serverId).length) }];
      });
      return { tools, servers: ids.map((id) => ({ id })) };
    },
    async call({ callId, name, args, timeoutMs, meta }) {
      const controller = new AbortController();
      calls.set(callId, controller);
      try {
        const options = { timeoutMs, signal: controller.signal, ...(meta && { meta }) };
        const { content, structuredContent, isError } = await client.call(name, args, options);
        return { content, ...(structuredContent !== undefined && { structuredContent }), isError };
      } finally {
        calls.delete(callId);
      }
    },
    cancel({ callId }) {
      calls.get(callId)?.abort();
      return {};
    },
    events: () => ({ events: [] }),
    async close() {
      await client?.close();
      client = undefined;
      if (folder !== "") await rm(folder, { recursive: true, force: true });
      return {};
    },
  },
});

function prefixOf(serverId) {
  return `mcp_${serverId.replaceAll(/\W|-/g, "_")}_`;
}

function entryOf({ transport, connectMs, closeMs }) {
  const { type, mode, ...rest } = transport;
  const timeouts = { connectMs, closeMs, probeMs: Math.max(1, Math.floor(connectMs / 4)) };
  return { ...rest, type: mode === "sse" ? "sse" : type, timeouts };
}
