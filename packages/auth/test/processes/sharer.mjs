// One of several processes that share credentials: sends requests to an MCP server for each of several users, as a connector does, until it is
// asked to stop. Started by run-sharers.ts, which reads what it reports.
import { createClient } from "@redis/client";
import { createKeyvCredentials, createOAuth } from "@hostside/auth";
import { createFileCredentials } from "@hostside/auth/node";
import { createPostgresState } from "@hostside/cluster/postgres";
import { createRedisState } from "@hostside/cluster/redis";
import pg from "pg";

const { store: where, serverUrl, users, everyMs, name } = JSON.parse(process.argv[2] ?? "{}");
const sealing = [{ id: "proof", key: new Uint8Array(32).fill(7) }];
/** @type {(() => unknown)[]} */
const closing = [];
const stopping = new AbortController();

const oauth = createOAuth({ store: await openStore(), redirect: "http://127.0.0.1:9/callback" });
const spec = { id: "mcp", type: "http", url: serverUrl, auth: "oauth" };
const report = { sent: 0, letIn: 0, refusedTwice: 0, /** @type {string[]} */ errors: [] };

process.on("message", () => stopping.abort());
process.send?.("ready");
await Promise.all(users.map(send));
await oauth.close();
for (const close of closing) await close();
process.send?.(report);
process.disconnect?.();

/** @param {string} user */
async function send(user) {
  const credentials = oauth.authProvider(spec, {
    principal: user,
    interactive: false,
    fetch: (url, init = {}) =>
      fetch(url, { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), "x-process": name } }),
  });
  if (credentials === undefined) throw new Error("no credentials");
  while (!stopping.signal.aborted) {
    report.sent += 1;
    try {
      if (await sendOnce(credentials)) report.letIn += 1;
    } catch (error) {
      const { code, message } = error;
      // One each, so that a process that is locked out does not drown the report.
      const text = `${user}: ${code}: ${message}`;
      if (!report.errors.includes(text) && report.errors.length < 100) report.errors.push(text);
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs * (0.5 + Math.random())));
  }
}

/** @param {import("@hostside/core").ServerCredentials} credentials */
async function sendOnce(credentials) {
  const request = { method: "POST", url: new URL(serverUrl) };
  for (let attempt = 1; ; attempt++) {
    const sent = await credentials.headersFor(request);
    const response = await fetch(request.url, {
      method: "POST",
      headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...sent },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
    });
    await response.text();
    if (response.status !== 401) return true;
    if (attempt === 2) {
      report.refusedTwice += 1;
      return false;
    }
    await credentials.onRefused({
      status: 401,
      challenge: response.headers.get("www-authenticate") ?? undefined,
      request,
      sent,
      interactive: false,
      signal: AbortSignal.timeout(60_000),
    });
  }
}

async function openStore() {
  switch (where.kind) {
    case "redis": {
      const client = createClient({ url: where.url });
      client.on("error", () => {});
      await client.connect();
      const state = createRedisState(client);
      closing.push(
        () => state.close(),
        () => client.destroy(),
      );
      return createKeyvCredentials({ store: state.store, lock: state.lock, keys: sealing });
    }
    case "postgres": {
      const pool = new pg.Pool({ connectionString: where.url, max: 10 });
      pool.on("error", () => {});
      const state = createPostgresState(pool);
      closing.push(
        () => state.close(),
        () => pool.end(),
      );
      return createKeyvCredentials({ store: state.store, lock: state.lock, keys: sealing });
    }
    default:
      return createFileCredentials({ folder: where.folder });
  }
}
