import fc from "fast-check";
import type { ServerSpec } from "@hostside/core";
import { createConnectionGuard, type ConnectionGuardOptions } from "@hostside/policy";
import { createProvider } from "@hostside/provider";
import { connect, createConnector, type ConnectOptions } from "@hostside/transports";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { forbiddenBytes, spellings } from "./forbidden-networks.ts";

/** A server on loopback, which counts who connects to it. */
interface Inside extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly paths: readonly string[];
  readonly connections: number;
}

async function startInside(answer: (path: string, response: ServerResponse, origin: string) => void): Promise<Inside> {
  const paths: string[] = [];
  let connections = 0;
  const server = createServer((request: IncomingMessage, response) => {
    request.resume();
    paths.push(request.url ?? "");
    answer(request.url ?? "", response, `http://${request.headers.host}`);
  });
  server.on("connection", () => void (connections += 1));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  // A server that listens on a port has an address with one.
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    paths,
    get connections() {
      return connections;
    },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const silent = (): Promise<Inside> => startInside((_path, response) => response.writeHead(500).end());

function reply(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

/** What connecting to a URL under a guard fails with. */
async function failure(url: string, guard: ConnectionGuardOptions, options: ConnectOptions = {}): Promise<unknown> {
  const auth = options.authProvider === undefined ? {} : ({ auth: "oauth" } as const);
  const spec: ServerSpec = { id: "theirs", type: "http", url, ...auth };
  try {
    const connection = await connect(spec, { ...options, guard: createConnectionGuard(guard) });
    await connection.close();
    return undefined;
  } catch (error) {
    return error;
  }
}

const refused = (rule: string): object => ({
  code: "not_allowed",
  serverId: "theirs",
  outcome: "not-sent",
  retryable: false,
  details: { policy: rule },
});

describe("the one line for a service", () => {
  it("refuses what a user brings before anything is started, by createProvider() and registerServer()", async () => {
    const connector = createConnector({ guard: createConnectionGuard() });
    const inside: ServerSpec = { id: "theirs", type: "http", url: "https://169.254.169.254/mcp" };
    const program: ServerSpec = { id: "theirs", type: "stdio", command: "sh", args: ["-c", "id"] };
    expect(() => createProvider({ connector, servers: [inside] })).toThrow(
      expect.objectContaining({
        code: "not_allowed",
        message:
          '[not_allowed] server "theirs": connecting to https://169.254.169.254 is not allowed: 169.254.169.254 is no public address (metadata)',
        details: { field: "url", policy: "guard.privateNetworks" },
      }),
    );
    await using provider = createProvider({ connector });
    await provider.init();
    expect(() => provider.registerServer(program)).toThrow(
      expect.objectContaining({
        code: "not_allowed",
        details: { field: "command", policy: "guard.commands" },
      }),
    );
  });

  it("connects to nothing inside, however its address is spelled", async () => {
    await using inside = await silent();
    const connector = createConnector({ guard: createConnectionGuard({ schemes: ["http", "https"] }) });
    const hooks = { onToolsChanged: () => undefined, onDown: () => undefined };
    const hosts = fc.oneof(
      { weight: 3, arbitrary: forbiddenBytes.chain((bytes) => spellings(bytes)) },
      { weight: 1, arbitrary: spellings([127, 0, 0, 1]) },
    );
    await fc.assert(
      fc.asyncProperty(hosts, fc.constantFrom("http", "https"), async (host, scheme) => {
        const transport = { type: "http", url: `${scheme}://${host}:${inside.port}/mcp` } as const;
        const connecting = connector.connect({ id: "theirs", ...transport }, hooks, new AbortController().signal);
        await expect(connecting).rejects.toMatchObject(refused("guard.privateNetworks"));
      }),
      { numRuns: 300 },
    );
    expect(inside.connections).toBe(0);
  });
});

describe("a name", () => {
  // All that this machine calls itself is loopback; what else is opened lets the name itself pass.
  it("that leads inside is refused by its address, and connected to where that is allowed", async () => {
    await using inside = await silent();
    const url = `http://localhost:${inside.port}/mcp`;
    const error = await failure(url, { schemes: ["http"], privateNetworks: ["10.0.0.0/8"] });
    expect(error).toMatchObject(refused("guard.privateNetworks"));
    expect(String(error)).toMatch(/(?:127\.0\.0\.1|::1) is no public address \(loopback\)/);
    expect(inside.connections).toBe(0);
    const allowed = await failure(url, { schemes: ["http"], privateNetworks: ["127.0.0.0/8"] });
    expect(allowed).toMatchObject({ code: "http_error" });
    expect(inside.connections).toBeGreaterThan(0);
  });
});

describe("an authorization server", () => {
  /** Asks for a token at this URL as soon as it is refused. */
  const providerAt =
    (url: string): ConnectOptions["authProvider"] =>
    (_spec, { fetch }) => ({
      headersFor: async () => ({ authorization: "Bearer stale" }),
      onRefused: async () => void (await fetch(url, { method: "POST", body: new URLSearchParams() })),
    });
  const startResource = (): Promise<Inside> => startInside((_path, response) => reply(response, 401, {}));
  const own = (port: number): ConnectionGuardOptions => ({
    schemes: ["http", "https"],
    privateNetworks: ["127.0.0.1"],
    ports: [port, 443],
  });

  it.each(["https://169.254.169.254/", "https://[fd00:ec2::254]/", "https://10.0.0.7/"])(
    "at %s is asked for nothing",
    async (authorizationServer) => {
      await using resource = await startResource();
      const authProvider = providerAt(`${authorizationServer}token`);
      const error = await failure(resource.url, own(resource.port), { authProvider });
      expect(error).toMatchObject(refused("guard.privateNetworks"));
      expect(String(error)).toContain(`connecting to ${new URL(authorizationServer).origin} is not allowed`);
    },
  );

  it("is asked for nothing where its token endpoint would be inside", async () => {
    await using inside = await silent();
    const authProvider = providerAt(`http://127.0.0.1:${inside.port}/token`);
    await using resource = await startResource();
    const error = await failure(resource.url, own(resource.port), { authProvider });
    expect(error).toMatchObject(refused("guard.ports"));
    expect(inside.connections).toBe(0);
    // Without the guard, it would have been.
    const spec = { id: "theirs", type: "http", url: resource.url, auth: "oauth" } as const;
    await connect(spec, { authProvider }).catch(() => undefined);
    expect(inside.connections).toBeGreaterThan(0);
  });
});

describe("a fetch of the host's own", () => {
  it("is used for what has a name only if the host says that something else looks at addresses", async () => {
    const fetched: string[] = [];
    const fetch = async (url: string): Promise<Response> => {
      fetched.push(url);
      return new Response(null, { status: 500 });
    };
    expect(await failure("https://mcp.example/", {}, { fetch })).toMatchObject(refused("guard.unknownAddresses"));
    expect(fetched).toEqual([]);
    expect(await failure("https://mcp.example/", { unknownAddresses: "allow" }, { fetch })).toMatchObject({
      code: "http_error",
    });
    expect(await failure("https://10.0.0.1/", { unknownAddresses: "allow" }, { fetch })).toMatchObject(
      refused("guard.privateNetworks"),
    );
    expect(new Set(fetched)).toEqual(new Set(["https://mcp.example/"]));
  });
});

describe("a program", () => {
  it("is started only as a rule says", async () => {
    const transport = { type: "stdio", command: process.execPath, args: ["-e", "process.exit(3)"] } as const;
    const commands = [{ command: process.execPath, args: ["-e", "process.exit(3)"] }];
    const start = (more: object): Promise<unknown> =>
      connect({ id: "theirs", ...transport, ...more }, { guard: createConnectionGuard({ commands }) });
    await expect(start({})).rejects.toMatchObject({ code: "server_exited" });
    for (const more of [{ args: ["-e", "1"] }, { env: { NODE_OPTIONS: "-r x" } }, { cwd: "/" }, { inheritEnv: "all" }])
      await expect(start(more)).rejects.toMatchObject(refused("guard.commands"));
  });
});
