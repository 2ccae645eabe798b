import { startAuthorizedServer, startHttpFixture } from "@hostside/fixtures";
import { createHost } from "hostside";
import { createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { fakeTerminal, runIn } from "../fake-terminal.ts";

/** Mounts a server at `/mcp/`, as many frameworks do: `/mcp` is redirected there. */
async function startMount(target: string, redirect: (mount: string) => readonly [status: number, location: string]) {
  const seen: { method: string; path: string; authorization: string | undefined }[] = [];
  const serve = (incoming: IncomingMessage, response: ServerResponse): void => {
    const { method = "GET", url: path = "/", headers } = incoming;
    seen.push({ method, path, authorization: headers.authorization });
    if (path !== "/mcp/") {
      const [status, location] = redirect(url);
      incoming.resume();
      response.writeHead(status, { location }).end();
      return;
    }
    const onward = send(target, { method, headers: { ...headers, host: new URL(target).host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    incoming.pipe(onward);
  };
  const server = createServer(serve).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `${url}/mcp`, seen };
}

it.each([
  [307, "legacy-http"],
  [308, "modern-http"],
] as const)("follows a %s within its origin, with body and credentials (%s)", async (status, fixture) => {
  await using server = await startHttpFixture(fixture);
  const mount = await startMount(server.url, (url) => [status, `${url}/mcp/`]);
  await using host = await createHost({
    servers: { moved: { type: "http", url: mount.url, headers: { Authorization: "Bearer token-4c1b" } } },
  });
  expect(host.statuses()).toMatchObject([{ id: "moved", state: "ready" }]);
  expect(host.tools().length).toBeGreaterThan(0);
  const bodied = mount.seen.filter(({ method, path }) => method === "POST" && path === "/mcp/");
  expect(bodied.length).toBeGreaterThan(1);
  expect(bodied.every(({ authorization }) => authorization === "Bearer token-4c1b")).toBe(true);
});

it.each<[string, (url: string) => readonly [status: number, location: string], string]>([
  ["another origin", (url) => [307, `${url.replace("127.0.0.1", "localhost")}/mcp/`], "/mcp/"],
  ["a 302", (url) => [302, `${url}/mcp/`], "/mcp/"],
  ["a 301", (url) => [301, `${url}/mcp/`], "/mcp/"],
  ["a loop", (url) => [307, `${url}/mcp`], "/mcp"],
])("sends nothing on to %s, and shows the whole address", async (_, redirect, path) => {
  await using server = await startAuthorizedServer();
  const mount = await startMount(server.url, redirect);
  const terminal = fakeTerminal();
  onTestFinished(() => terminal[Symbol.dispose]());
  terminal.file("hostside.local.json", { servers: { moved: { type: "http", url: mount.url } } });
  const { out } = await runIn(terminal, ["doctor", "--json", "--config", "hostside.local.json"]);
  const { findings } = JSON.parse(out) as { findings: readonly { server?: string; what: string }[] };
  const { port } = new URL(mount.url);
  expect(findings.find((finding) => finding.server === "moved")?.what).toContain(`:${port}${path}; only`);
  expect(mount.seen.filter((one) => one.path === "/mcp/")).toEqual([]);
});
