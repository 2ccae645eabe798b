import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { fakeTerminal, runIn, type FakeTerminal } from "../fake-terminal.ts";

type Answer = readonly [status: number, body?: object];

/** A server that refuses all at `/mcp`, and publishes nothing about how to sign in. */
async function startBareServer(
  answer: (path: string, body: string) => Answer | undefined = () => undefined,
): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readAll(request);
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    asked.push(`${request.method} ${pathname}`);
    const [status, json] = answer(pathname, body) ?? [pathname === "/mcp" ? 401 : 404];
    response.writeHead(status, { "content-type": "application/json" });
    response.end(json === undefined ? "Not Found" : JSON.stringify(json));
  };
  const server = createServer((request, response) => void serve(request, response)).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, asked };
}

async function readAll(request: IncomingMessage): Promise<string> {
  let body = "";
  for await (const chunk of request) body += String(chunk);
  return body;
}

function stage(entry: object): FakeTerminal {
  const terminal = fakeTerminal();
  onTestFinished(() => terminal[Symbol.dispose]());
  terminal.file("hostside.local.json", { servers: { bare: { type: "http", ...entry } } });
  return terminal;
}

const config = ["--config", "hostside.local.json"];

it("says that a server wants credentials and offers no way to get them", async () => {
  const { url } = await startBareServer();
  const terminal = stage({ url });
  expect(await runIn(terminal, ["list", ...config])).toMatchObject({
    out: expect.stringContaining("hostside login bare"),
  });
  const { code, out, err } = await runIn(terminal, ["login", "bare", ...config]);
  expect([code, out]).toEqual([5, ""]);
  expect(err).toMatch(/refuses requests without credentials and publishes no way to get them.*headers of its entry/);
  expect(err).toContain("HTTP 404");
  expect(err).not.toContain("hint: hostside login");
});

it("signs in at the endpoints that the protocol of 2025-03-26 assumes", async () => {
  const { url, asked } = await startBareServer((path, body) => {
    if (path === "/register") return [201, { ...(JSON.parse(body) as object), client_id: "c1" }];
    return path === "/token" ? [200, { access_token: "access-5e0c1f", token_type: "bearer" }] : undefined;
  });
  const terminal = stage({ url });
  const work = runIn(terminal, ["login", "bare", ...config]);
  const page = new RegExp(`${new URL(url).origin}/authorize\\?\\S+`);
  await expect.poll(() => page.exec(terminal.written.err)?.[0], { interval: 5, timeout: 60_000 }).toBeDefined();
  const { searchParams } = new URL(page.exec(terminal.written.err)?.[0] ?? "");
  const back = new URL(searchParams.get("redirect_uri") ?? "");
  back.search = new URLSearchParams({ code: "code-1", state: searchParams.get("state") ?? "" }).toString();
  void fetch(back).catch(() => undefined);
  expect(await work).toMatchObject({ code: 0, out: expect.stringContaining("bare: signed in") });
  expect(asked).toContain("POST /token");
});

it("sends nobody to login whose entry has credentials that are refused", async () => {
  const { url } = await startBareServer();
  const terminal = stage({ url, headers: { Authorization: "Bearer stale-token-11" } });
  const doctor = await runIn(terminal, ["doctor", ...config]);
  expect(doctor.out).toContain("refuses the credentials of its entry");
  expect(doctor.out).not.toContain("run hostside login");
  const call = await runIn(terminal, ["call", "bare/x", "--yes", ...config]);
  expect(call.err).not.toContain("hostside login");
  expect(call.code).toBe(5);
});
