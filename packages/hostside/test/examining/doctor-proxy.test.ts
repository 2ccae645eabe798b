import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { fakeTerminal, runIn } from "../fake-terminal.ts";

afterEach(() => vi.unstubAllEnvs());

it("goes by the proxy that the environment names, and says without its password that it refuses", async () => {
  const asked: (string | undefined)[] = [];
  const proxy = createServer(({ url }, response) => {
    asked.push(url);
    response.writeHead(407).end();
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  vi.stubEnv("http_proxy", `http://me:hush-hush@127.0.0.1:${port}`);
  vi.stubEnv("no_proxy", "");
  vi.stubEnv("NO_PROXY", "");
  using terminal = fakeTerminal();
  const servers = { mcpServers: { far: { type: "http", url: "http://mcp.example/mcp" } } };
  writeFileSync(join(terminal.home, ".claude.json"), JSON.stringify(servers));
  const { out, err } = await runIn(terminal, ["doctor", "--json"]);
  proxy.closeAllConnections();
  proxy.close();
  expect(asked).toContain("http://mcp.example/mcp");
  expect(out).toContain(`by the proxy http://127.0.0.1:${port}, which refuses it: HTTP 407`);
  expect(out + err).not.toContain("hush-hush");
});

it("takes a proxy without a scheme for one of http, and understands ranges in NO_PROXY", async () => {
  const asked: (string | undefined)[] = [];
  const proxy = createServer(({ url }, response) => {
    asked.push(url);
    response.writeHead(403).end();
  });
  proxy.on("connect", ({ url }, socket) => {
    asked.push(url);
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo;
  for (const name of ["http_proxy", "https_proxy"]) vi.stubEnv(name, `127.0.0.1:${port}`);
  for (const name of ["no_proxy", "NO_PROXY"]) vi.stubEnv(name, "10.0.0.0/8, fd00::/8 ,192.168.1.5");
  using terminal = fakeTerminal();
  const urls = {
    far: "https://mcp.example/mcp",
    plain: "http://203.0.113.9/mcp",
    inside: "http://10.20.30.40/mcp",
    sixth: "https://[fd00::1]/mcp",
    written: "http://192.168.1.5/mcp",
  };
  const servers = Object.entries(urls).map(([name, url]) => [name, { type: "http", url }]);
  writeFileSync(join(terminal.home, ".claude.json"), JSON.stringify({ mcpServers: Object.fromEntries(servers) }));
  const { out } = await runIn(terminal, ["doctor", "--timeout", "2"]);
  proxy.closeAllConnections();
  proxy.close();
  expect(new Set(asked)).toEqual(new Set(["http://203.0.113.9/mcp", "mcp.example:443"]));
  expect(out).not.toContain("are reached without");
  expect(out.replaceAll(/\s+/g, " ")).toContain(`by the proxy http://127.0.0.1:${port}, which refuses it: HTTP 403`);
});
