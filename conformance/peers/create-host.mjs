import { createHost } from "../../packages/hostside/dist/index.js";
import { kitVersion } from "../dist/engine/kit-version.js";
import { serveDriver } from "../dist/host/index.js";
import { describeHostsideError, referenceFeatures } from "../dist/host/reference-host.js";

/** @type {import("../../packages/hostside/dist/index.js").Host | undefined} */
let host;
/** @type {import("../../packages/hostside/dist/index.js").Conversation | undefined} */
let conversation;
/** @type {string[]} */
let events = [];
/** @type {Map<string, AbortController>} */
const calls = new Map();
/** @type {AbortController} */
let opening = new AbortController();

// Hostside as products have it: `createHost()` with a rule of a policy, and one conversation.
await serveDriver({
  hello: { name: "createHost() of hostside", version: kitVersion(), features: referenceFeatures },
  describeError: describeHostsideError,
  host: {
    async init({ servers }) {
      events = [];
      opening = new AbortController();
      const note = (said) => events.push(JSON.stringify(said));
      host = await createHost({
        servers: Object.fromEntries(servers.map((server) => [server.id, entryOf(server)])),
        policy: { deny: ["*/never_*"], defaultDecision: "allow" },
        provider: { refresh: "debounced", debounce: { quietMs: 20, maxMs: 200 } },
        // A tool of a server that is there can be called while another one still connects.
        timeoutMs: 0,
        signal: opening.signal,
        onDiagnostic: note,
      });
      host.onStatusChanged(note);
      conversation = await host.conversation();
      // Waits for all servers; what failed is in their statuses.
      await host.toolbox.refresh().catch(() => undefined);
      return {};
    },
    async addServer({ spec }) {
      await host.servers.add(spec.id, entryOf(spec));
      return {};
    },
    async removeServer({ serverId }) {
      await host.servers.remove(serverId);
      return {};
    },
    snapshot() {
      // A conversation goes on declaring what is gone, so that what it begins with stays the same.
      const tools = (host?.tools() ?? []).filter(({ origin }) => (origin?.serverId ?? "") !== "");
      return {
        tools: tools.map(({ name, origin }) => ({ name, serverId: origin.serverId, remoteName: origin.toolName })),
        servers: (host?.statuses() ?? []).map(({ id, state, error }) => ({
          id,
          state,
          ...(error && { error: error.message }),
        })),
      };
    },
    async call({ callId, name, args, timeoutMs, meta }) {
      const controller = new AbortController();
      calls.set(callId, controller);
      try {
        const options = { timeoutMs, signal: controller.signal, ...(meta && { meta }) };
        const { content, structuredContent, isError } = await conversation.call(name, args, options);
        return { content, ...(structuredContent !== undefined && { structuredContent }), isError };
      } finally {
        calls.delete(callId);
      }
    },
    cancel({ callId }) {
      calls.get(callId)?.abort();
      return {};
    },
    async refresh() {
      await host.toolbox.refresh();
      return {};
    },
    events() {
      const said = events;
      events = [];
      return { events: said };
    },
    async close() {
      opening.abort();
      await host?.close();
      host = conversation = undefined;
      return {};
    },
  },
});

function entryOf({ transport, connectMs, closeMs }) {
  const timeouts = { connectMs, closeMs, probeMs: Math.max(1, Math.floor(connectMs / 4)) };
  if (transport.type !== "http" || transport.client === undefined) return { ...transport, timeouts };
  const { client, ...others } = transport;
  return { ...others, oauth: { flow: client.grant, clientId: client.id, clientSecret: client.secret }, timeouts };
}
