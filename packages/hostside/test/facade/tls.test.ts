import type { HttpEntry } from "@hostside/core";
import { startHttpFixture } from "@hostside/fixtures";
import { createHost, type HostServerEntry } from "hostside";
import { once } from "node:events";
import {
  createServer as createPlainServer,
  request as send,
  type IncomingMessage,
  type ServerResponse,
} from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { makeCertificates, type Certificates } from "../../../transports/test/certificates.ts";
import { startProxy } from "../../../transports/test/proxy-server.ts";
import { fakeTerminal, runIn, type FakeTerminal } from "../fake-terminal.ts";

type ServerTls = NonNullable<HttpEntry["tls"]>;

let certificates: Certificates;
beforeAll(async () => (certificates = await makeCertificates()));

async function portOf(server: Server & { closeAllConnections(): void }): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A server behind TLS of a private authority, that lets in only those with a certificate of it. */
async function startPrivateServer(): Promise<{
  readonly url: string;
  readonly tls: ServerTls;
}> {
  const { authority, server: own } = certificates;
  const server = await startHttpFixture("modern-http");
  onTestFinished(() => server.close());
  const options = { ...own, ca: authority.cert, requestCert: true, rejectUnauthorized: true };
  const front = createServer(options, (incoming, response) => {
    const { method, headers, url: path } = incoming;
    const target = new URL(path ?? "/", server.url);
    const onward = send(target, { method, headers: { ...headers, host: target.host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    incoming.pipe(onward);
  });
  const url = `https://localhost:${await portOf(front)}${new URL(server.url).pathname}`;
  return { url, tls: { ca: authority.cert, cert: own.cert, key: own.key } };
}

function stage(): FakeTerminal {
  const terminal = fakeTerminal();
  onTestFinished(() => terminal[Symbol.dispose]());
  return terminal;
}

const config = ["--config", "hostside.local.json"];

it("reaches one server by its own authority and certificate, and no other", async () => {
  const { url, tls } = await startPrivateServer();
  await using host = await createHost({
    servers: { whole: { url, tls }, unknown: { url }, nameless: { url, tls: { ca: [tls.ca ?? ""].flat() } } },
  });
  const states = new Map(host.statuses().map(({ id, state }) => [id, state]));
  expect(states.get("whole")).toBe("ready");
  expect(states.get("unknown")).toBe("failed");
  // The refusal comes after the handshake (TLS 1.3), so that it is tried again.
  expect(states.get("nameless")).not.toBe("ready");
  const unknown = host.statuses().find(({ id }) => id === "unknown");
  expect(unknown?.error).toMatchObject({ code: "tls_failed", message: expect.stringContaining("tls.ca") });
});

it("reaches it through a proxy", async () => {
  const { url, tls } = await startPrivateServer();
  await using proxy = await startProxy({ port: Number(new URL(url).port) });
  await using host = await createHost({
    servers: { whole: { url: url.replace("localhost", "mcp.example"), tls } },
    connector: { proxy: proxy.url },
  });
  expect(host.statuses()).toMatchObject([{ id: "whole", state: "ready" }]);
  expect(proxy.asked).toContain(`CONNECT mcp.example:${new URL(url).port}`);
});

it("reads certificates from files beside the configuration", async () => {
  const { url, tls } = await startPrivateServer();
  const terminal = stage();
  for (const [name, text] of Object.entries(tls)) terminal.file(`pki/${name}.pem`, String(text));
  const files = { ca: ["pki/ca.pem"], cert: "./pki/cert.pem", key: "pki/key.pem" };
  terminal.file("hostside.local.json", { servers: { whole: { type: "http", url, tls: files } } });
  const listed = await runIn(terminal, ["list", "--json", ...config]);
  expect(JSON.parse(listed.out)).toMatchObject({ servers: [{ id: "whole", state: "ready" }] });
  terminal.file("hostside.local.json", { servers: { whole: { type: "http", url, tls: { ca: "pki/none.pem" } } } });
  const broken = await runIn(terminal, ["doctor", ...config]);
  expect(broken.out).toContain("none.pem");
});

it("says how to trust a certificate of a company", async () => {
  const { url } = await startPrivateServer();
  const terminal = stage();
  terminal.file("hostside.local.json", { servers: { whole: { type: "http", url } } });
  const { out } = await runIn(terminal, ["doctor", ...config]);
  expect(out).toMatch(/tls\.ca/);
});

it.each<[object, RegExp]>([
  [{ ca: 5 }, /servers\.x\.tls\.ca must be/],
  [{ certificate: "x" }, /servers\.x\.tls\.certificate is unknown/],
  [{ ca: "corp.pem" }, /tls\.ca must be PEM/],
  [{ cert: "-----BEGIN CERTIFICATE-----" }, /tls must have cert and key/],
])("refuses %j", async (tls, message) => {
  const servers: Record<string, HostServerEntry> = { x: { url: "https://mcp.example/mcp", tls } };
  await expect(createHost({ servers })).rejects.toThrow(message);
});

it("names the certificate of an authorization server that nobody trusts, and trusts it by tls.ca", async () => {
  const { selfSigned } = certificates;
  const asked: string[] = [];
  const json = (response: ServerResponse, body: object): void => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  const authorization = createServer(selfSigned, ({ url = "/" }, response) => {
    asked.push(url);
    if (!url.includes("oauth-authorization-server")) return void response.writeHead(404).end();
    json(response, {
      issuer,
      response_types_supported: ["code"],
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
    });
  });
  const issuer = `https://localhost:${await portOf(authorization)}`;
  const answer = ({ url = "/" }: IncomingMessage, response: ServerResponse): void => {
    if (url.includes("oauth-protected-resource")) json(response, { resource: notes, authorization_servers: [issuer] });
    else response.writeHead(401).end();
  };
  const notes = `http://localhost:${await portOf(createPlainServer(answer))}/mcp`;
  const terminal = stage();
  terminal.file("hostside.local.json", { servers: { notes: { type: "http", url: notes } } });
  const failed = await runIn(terminal, ["login", "notes", ...config]);
  expect(failed.err).toMatch(/server "notes": .*TLS.*https:\/\/localhost:\d+.*SELF_SIGNED/);
  expect(asked).toEqual([]);
  terminal.file("corp.pem", selfSigned.cert);
  terminal.file("hostside.local.json", { servers: { notes: { type: "http", url: notes, tls: { ca: "corp.pem" } } } });
  const trusted = await runIn(terminal, ["login", "notes", ...config]);
  expect(trusted.err).toContain("PKCE");
  expect(asked.length).toBeGreaterThan(0);
});
