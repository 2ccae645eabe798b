import { consentTo, startAuthorizedServer, type AuthorizedServer } from "@hostside/fixtures";
import { get } from "node:http";
import { createServer, type Server } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { fakeTerminal, runIn, type FakeTerminal } from "../fake-terminal.ts";

/** Listens on a port of one address of this machine; 0: any. */
async function occupy(host: string, port = 0): Promise<{ readonly port: number; readonly server: Server }> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host, port }, resolve);
  });
  const address = server.address();
  return { server, port: typeof address === "object" && address !== null ? address.port : 0 };
}

async function freePort(): Promise<number> {
  const { port, server } = await occupy("127.0.0.1");
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A server that knows one client, which is registered for this redirect URI. */
async function startStrictServer(redirectUri: string): Promise<AuthorizedServer> {
  const server = await startAuthorizedServer({
    registration: false,
    clients: [
      {
        client_id: "strict",
        redirect_uris: [redirectUri],
        application_type: "native",
        token_endpoint_auth_method: "none",
      },
    ],
  });
  onTestFinished(() => server.close());
  return server;
}

function stage(file: string, content: unknown): FakeTerminal {
  const terminal = fakeTerminal();
  onTestFinished(() => terminal[Symbol.dispose]());
  terminal.file(file, content);
  return terminal;
}

interface Registered {
  readonly what: string;
  readonly file: string;
  readonly uriOf: (port: number) => string;
  readonly contentOf: (url: string, port: number) => unknown;
}

const ownFile = "hostside.local.json";
const ownContent = (url: string, oauth: object): unknown => ({
  servers: { notes: { type: "http", url, oauth: { clientId: "strict", ...oauth } } },
});
const registered: readonly Registered[] = [
  {
    what: "the callbackPort of a Claude file",
    file: "claude.mcp.json",
    uriOf: (port) => `http://localhost:${port}/callback`,
    contentOf: (url, port) => ({
      mcpServers: { notes: { type: "http", url, oauth: { clientId: "strict", callbackPort: port } } },
    }),
  },
  {
    what: "another path",
    file: ownFile,
    uriOf: (port) => `http://127.0.0.1:${port}/oauth/done`,
    contentOf: (url, port) => ownContent(url, { redirectUri: `http://127.0.0.1:${port}/oauth/done` }),
  },
  {
    what: "the address of version 6",
    file: ownFile,
    uriOf: (port) => `http://[::1]:${port}/callback`,
    contentOf: (url, port) => ownContent(url, { redirectUri: `http://[::1]:${port}/callback` }),
  },
  {
    what: "the oauthRedirectUrl of mcporter",
    file: "config/mcporter.json",
    uriOf: (port) => `http://localhost:${port}/callback`,
    contentOf: (url, port) => ({
      mcpServers: {
        notes: { url, auth: "oauth", oauthClientId: "strict", oauthRedirectUrl: `http://localhost:${port}/callback` },
      },
    }),
  },
];

it.each(registered)("listens at $what", async ({ file, uriOf, contentOf }) => {
  const port = await freePort();
  const server = await startStrictServer(uriOf(port));
  const terminal = stage(file, contentOf(server.url, port));
  const work = runIn(terminal, ["login", "notes", "--config", file]);
  const page = new RegExp(`${server.issuer}/auth\\?\\S+`);
  await expect
    .poll(() => page.exec(terminal.written.err)?.[0] ?? terminal.written.err, { interval: 5, timeout: 60_000 })
    .toMatch(page);
  const shown = new URL(page.exec(terminal.written.err)?.[0] ?? "");
  expect(shown.searchParams.get("redirect_uri")).toBe(uriOf(port));
  const callback = new URL(await consentTo(shown));
  // A browser chooses by itself which address `localhost` is.
  const host = callback.hostname === "127.0.0.1" ? "127.0.0.1" : "::1";
  const path = callback.pathname + callback.search;
  get({ host, port, path, headers: { host: callback.host } }).on("error", () => {});
  expect(await work).toMatchObject({ code: 0, out: expect.stringContaining("notes: signed in") });
});

it.each(["127.0.0.1", "::1"])("says so of a port that is taken at %s", async (host) => {
  const { port, server: other } = await occupy(host);
  onTestFinished(() => void other.close());
  const server = await startStrictServer(`http://localhost:${port}/callback`);
  const terminal = stage("hostside.local.json", {
    servers: { notes: { type: "http", url: server.url, oauth: { clientId: "strict", callbackPort: port } } },
  });
  const { code, err } = await runIn(terminal, ["login", "notes", "--config", "hostside.local.json"]);
  expect(code).toBe(5);
  expect(err).toContain(`port ${port} of this machine, which the redirect URI has, is used by another program`);
});

it("says so of a redirect URI that nobody can listen at", async () => {
  const redirectUri = "http://localhost:3118/callback?from=agent";
  const server = await startStrictServer(redirectUri);
  const terminal = stage("hostside.local.json", {
    servers: { notes: { type: "http", url: server.url, oauth: { clientId: "strict", redirectUri } } },
  });
  const { code, err } = await runIn(terminal, ["login", "notes", "--config", "hostside.local.json"]);
  expect([code, err]).toEqual([5, expect.stringContaining(`"${redirectUri}"`)]);
});
