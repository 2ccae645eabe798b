import { createMemoryCredentials } from "@hostside/auth";
import type { StaticTool } from "@hostside/discovery";
import { createMemoryLock, createMemoryStore, isHostsideError } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { createHost, type HostOptions } from "hostside";
import { createFakeConnector } from "./fake-connector.ts";
import { createTemporaryFolder } from "./temporary-folder.ts";
import { byName } from "./by-name.ts";

const connector = createFakeConnector();
const spec = (id: string) => ({ id, type: "stdio", command: "x" }) as const;

describe("options of createHost()", () => {
  const wrong: readonly (readonly [string, unknown])[] = [
    ['createHost() has no option "server"; did you mean servers?', { server: [] }],
    ["config must be", { config: "" }],
    ["config must be", { config: [] }],
    ['config has no option "file"', { config: { file: "a" } }],
    ["config.watch must be", { config: { watch: 1 } }],
    ["servers must be entries by their names, not a string", { servers: "a" }],
    ["servers must be entries by their names, as in { files: {", { servers: [spec("a")] }],
    ["timeoutMs must be", { timeoutMs: -1 }],
    ["timeoutMs must be", { timeoutMs: Number.NaN }],
    ["state must be", { state: "disk" }],
    ["wrap a client of Redis or Postgres: createRedisState(client)", { state: new Map() }],
    ["state.store must have a method get()", { state: { credentials: {} } }],
    ...["load", "save", "clear", "accounts", "withLock"].map((method) => {
      const credentials = { ...createMemoryCredentials(), [method]: undefined };
      const wanted = `state.credentials must have a method ${method}()`;
      return [wanted, { state: { store: createMemoryStore(), credentials } }] as const;
    }),
    ["tools must be an array", { tools: {} }],
    ["policy must be an object", { policy: true }],
    ["auth must be", { auth: true }],
    ["authenticateTools needs", { auth: false, authenticateTools: true }],
    ["onDiagnostic must be", { onDiagnostic: {} }],
    ["signal", { signal: {} }],
    ["createHost({ policy }): has no option", { policy: { allows: [] } }],
    ["stricter must be a list", { policy: { stricter: {} } }],
    ["servers must be a list of server ids", { policy: { servers: "files" } }],
    ["createHost({ provider }): has no option", { provider: { retries: 1 } }],
    ["provider.naming must be a naming strategy", { provider: { naming: 5 } }],
    ["createHost({ toolbox }): has no option", { toolbox: { view: 1 } }],
    ["createHost({ auth }): redirect must be an absolute URL", { auth: { redirect: "back" } }],
    ["createHost({ pool }): ttlMs must be", { pool: { ttlMs: -1 } }],
    ["createHost({ resources }): cache.ttlMs must be", { resources: { cache: { ttlMs: -1 } } }],
    ["createHost({ results }): has no option", { results: { maxBytes: 1 } }],
    ...[undefined, false].map((auth) => {
      const state = { store: createMemoryStore(), lock: createMemoryLock(), keys: [{ id: "k", key: "short" }] };
      return ["createHost({ state }): keys[0]: key must be 32 bytes", { auth, state }] as const;
    }),
  ];
  it.each(wrong)("are checked: %s", async (message, options) => {
    const failure: unknown = await createHost({ connector, ...(options as HostOptions) }).catch((error) => error);
    expect(failure).toBeInstanceOf(TypeError);
    expect(String(failure)).toContain(message);
  });

  it.each<HostOptions>([
    { toolbox: { typo: 1 } as never },
    { toolbox: { typo: 1 } as never, authenticateTools: true },
    { resources: { cache: { ttlMs: -1 } } },
    { pool: { ttlMs: -1 } },
  ])("start nothing when they are wrong: %j", async (options) => {
    const untouched = createFakeConnector();
    let inits = 0;
    const tool: StaticTool = {
      definition: { name: "own", description: "Does it.", inputSchema: { type: "object" } },
      init: () => void (inits += 1),
      run: () => "",
    };
    const wrong = createHost({ connector: untouched, servers: byName([spec("a")]), tools: [tool], ...options });
    await expect(wrong).rejects.toThrow(`createHost({ ${Object.keys(options)[0]} })`);
    expect([untouched.specs.size, inits]).toEqual([0, 0]);
  });

  it("refuse two servers that are the same in names of tools, before anything starts", async () => {
    const servers = { a: { command: "x" }, A: { command: "x" } };
    await expect(createHost({ connector, servers })).rejects.toMatchObject({ code: "duplicate_server" });
    expect(connector.open.size).toBe(0);
  });
});

it("a conversation that names nobody is the provider's principal's", async () => {
  await using host = await createHost({ connector, servers: byName([spec("a")]), provider: { principal: "service" } });
  const contexts = [
    (await host.conversation()).context,
    (await host.conversation({ id: "1" })).context,
    (await host.conversation({ principal: "ada" })).context,
    (await host.conversation({ context: { principal: "bob" } })).context,
  ];
  expect(contexts.map(({ principal }) => principal)).toEqual(["service", "service", "ada", "bob"]);
});

it("options of conversation() are its own", async () => {
  await using host = await createHost({ connector, servers: byName([spec("a")]) });
  const message = (owner: string): string => `${owner}() has no option "budgets"; known are id, principal,`;
  await expect(host.conversation({ budgets: 5 } as never)).rejects.toThrow(message("conversation"));
});

describe("a configuration that cannot work", () => {
  it.each([
    ["a file that is not there", undefined, /nothing\.json: is not there/],
    ["half a file", '{ "mcpServers": {\n  "a": { "command": ', /half\.json:\d+:\d+: /],
    ["an entry that is none", { mcpServers: { a: { args: [] } } }, /half\.json:1:\d+: mcpServers\.a/],
    ["a directory", "", /: /],
  ])("rejects with the place: %s", async (what, content, message) => {
    const folder = createTemporaryFolder();
    const name = content === undefined ? `${folder.path}/nothing.json` : folder.write("half.json", content);
    const config = what === "a directory" ? folder.path : name;
    const failure: unknown = await createHost({ connector, config }).catch((error) => error);
    expect(isHostsideError(failure, "invalid_config")).toBe(true);
    expect(failure).toMatchObject({ kind: "contract", message: expect.stringMatching(message) });
  });

  it.each(["localhost:3000/mcp", "mcp.example/mcp", "mcp.example:8443"])("says what %s lacks", async (url) => {
    const file = createTemporaryFolder().write("half.json", { mcpServers: { a: { type: "http", url } } });
    const hint = 'write "http://" or "https://" in front of its host';
    await expect(createHost({ connector, config: file })).rejects.toThrow(hint);
    await expect(createHost({ servers: { a: { url } } })).rejects.toThrow(hint);
  });

  it("is no failure where some of it works, or nobody named anything", async () => {
    const folder = createTemporaryFolder();
    const good = folder.write("good.json", { mcpServers: { a: { command: "x" } } });
    await using some = await createHost({ connector, config: [good, `${folder.path}/nothing.json`] });
    expect(some.config?.problems).toMatchObject([{ code: "missing_file", severity: "error" }]);
    expect(some.statuses()).toMatchObject([{ id: "a", state: "ready" }]);
    const nowhere = { files: "auto", home: folder.path, cwd: folder.path, env: {} } as const;
    await using none = await createHost({ connector, config: nowhere });
    expect(none.tools().map(({ name }) => name)).toEqual(["results_read"]);
  });
});
