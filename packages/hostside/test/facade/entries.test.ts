import { createMemoryLock, createMemoryStore } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createHost, createSharedServers, type HostOptions, type HostServerEntry } from "hostside";
import { createFakeConnector } from "./fake-connector.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";

/** What `createHost()` says of wrong entries. */
async function failureOf(servers: unknown): Promise<unknown> {
  const connector = createFakeConnector();
  const failure = await createHost({ connector, servers: servers as HostOptions["servers"] }).catch((error) => error);
  expect(connector.open.size).toBe(0);
  return failure;
}

describe("servers of createHost()", () => {
  it.each<[unknown, string]>([
    [{ files: { comand: "npx" } }, "servers.files.comand is unknown; did you mean command?"],
    [{ files: { command: "npx", arg: "-y", argss: [] } }, "servers.files.arg is unknown; known are "],
    [{ files: { command: "npx", requird: true } }, "servers.files.requird is unknown; did you mean required?"],
    [{ docs: { url: "https://a.test", headers: 5 } }, "servers.docs.headers must be an object of strings"],
    [{ docs: { url: "https://a.test", headers: { a: 5 } } }, "servers.docs.headers.a must be a string"],
    [
      { files: { command: "npx", timeouts: { calMs: 5 } } },
      "servers.files.timeouts.calMs is unknown; did you mean callMs?",
    ],
    [{ files: { command: "npx", url: "https://a.test" } }, "servers.files.url cannot be set together with command"],
    [{ files: { command: "npx", id: "files" } }, "servers.files.id is unknown: the name of the entry is the id"],
    [{ files: { command: "npx", approval: "ask" } }, 'servers.files.approval must be one of "always", "never"'],
    [
      { docs: { url: "https://a.test", oauth: { client: "x" } } },
      "servers.docs.oauth.client is unknown; known are clientId",
    ],
    [
      { docs: { url: "https://a.test", oauth: { callbackPort: -5 } } },
      "servers.docs.oauth.callbackPort must be a port: a whole number from 1 to 65535",
    ],
    [
      { docs: { url: "https://a.test", oauth: { redirectUri: "callback" } } },
      "servers.docs.oauth.redirectUri must be an absolute URL",
    ],
    [
      { docs: { url: "https://a.test", oauth: { clientId: "" } } },
      "servers.docs.oauth.clientId must be a non-empty string",
    ],
    [
      { docs: { command: "x", oauth: { clientId: "a" } } },
      "servers.docs.oauth needs a server with a url, and no bearerToken",
    ],
    [
      { docs: { url: "https://a.test", oauth: { scopes: "a b" } } },
      "servers.docs.oauth.scopes must be an array of strings",
    ],
    [{ "my files": {} }, 'servers["my files"] must have a command, a url, or a type'],
    [
      { files: { transport: { type: "stdio", command: "npx" } } },
      "servers.files.transport is unknown: its members belong",
    ],
    [{ files: "npx" }, "servers.files must be an object, not a string"],
    [
      { docs: { type: "websocket", url: "wss://a.test" } },
      'servers.docs.type must be "stdio", "http", "memory" or "custom"',
    ],
  ])("%j is a TypeError that names the member", async (servers, message) => {
    const failure = await failureOf(servers);
    expect(failure).toBeInstanceOf(TypeError);
    expect(String(failure)).toContain(message);
  });

  it("have every member that a spec has: a required server that is down costs the host", async () => {
    const down = Promise.reject(new Error("no route"));
    down.catch(() => undefined);
    const connector = createFakeConnector({ down: { ready: down } });
    await expect(createHost({ connector, servers: { down: { command: "x", required: true } } })).rejects.toThrow(
      '"down"',
    );
    await using host = await createHost({ connector, servers: { down: { command: "x" }, good: { command: "x" } } });
    expect(host.statuses()).toMatchObject([
      { id: "down", state: "failed" },
      { id: "good", state: "ready" },
    ]);
  });

  it("use values as they are: nothing of the environment is put into them", async () => {
    const connector = createFakeConnector();
    const entry = { command: "x", env: { TOKEN: "${HOME}" }, timeouts: { callMs: 5 }, limits: { maxTools: 3 } };
    await using host = await createHost({ connector, servers: { a: entry } });
    expect(host.statuses()).toMatchObject([{ id: "a", state: "ready" }]);
    expect(connector.specs.get("a")).toEqual({ id: "a", source: "servers", type: "stdio", ...entry });
  });

  it('take type "sse" of mcpServers files as HTTP with that mode', async () => {
    const connector = createFakeConnector();
    const servers = { a: { type: "sse", url: "https://a.test/sse" } } as const;
    await using _host = await createHost({ connector, auth: false, servers });
    expect(connector.specs.get("a")).toMatchObject({ type: "http", url: "https://a.test/sse", mode: "sse" });
  });

  it("are the same servers in code, at run time, in a file and among shared servers", async () => {
    const entry = {
      command: "x",
      args: ["-y"],
      deny: ["b"],
      timeouts: { callMs: 5000 },
      approval: "always",
      passContext: true,
    } as const satisfies HostServerEntry;
    const folder = createTemporaryFolder();
    const sharedServers = createSharedServers({ store: createMemoryStore(), lock: createMemoryLock() });
    await sharedServers.write({ a: entry });
    expect((await sharedServers.read()).servers).toEqual({ a: entry });
    const config = { files: [folder.write("hostside.json", { servers: { a: entry } })], watch: false };
    const seen: unknown[] = [];
    for (const options of [{ servers: { a: entry } }, { config }, { sharedServers }, {}] satisfies HostOptions[]) {
      const connector = createFakeConnector({ a: { tools: ["a", "b"] } });
      const asked: string[] = [];
      const policy = { approval: { handler: async () => (asked.push("asked"), "once" as const) } };
      await using host = await createHost({ connector, policy, ...options });
      if (Object.keys(options).length === 0) await host.servers.add("a", entry);
      await host.call("mcp_a_a", {}, { context: { conversation: "c", correlationId: "k" } });
      const { labels: { scope: _scope, ...labels } = {}, source: _source, ...spec } = connector.specs.get("a") ?? {};
      seen.push({ ...spec, labels, asked, sent: connector.sent, names: host.tools().map(({ name }) => name) });
    }
    expect(seen[0]).toMatchObject({ type: "stdio", command: "x", asked: ["asked"], labels: { approval: "always" } });
    expect(seen[0]).toMatchObject({ sent: [{ meta: { session_id: "c", correlation_id: "k" } }] });
    for (const other of seen.slice(1)) expect(other).toEqual(seen[0]);
  });

  it("of a file say what is misspelt, with line and column", async () => {
    const folder = createTemporaryFolder();
    const text = '{\n  "servers": {\n    "good": { "command": "x" },\n    "files": { "comand": "npx" }\n  }\n}';
    const config = { files: [folder.write("hostside.json", text)], watch: false };
    await using host = await createHost({ connector: createFakeConnector(), config });
    expect(host.config?.problems).toMatchObject([
      {
        severity: "error",
        line: 4,
        column: 26,
        path: "servers.files.comand",
        message: "comand is unknown; did you mean command?",
      },
    ]);
  });
});
