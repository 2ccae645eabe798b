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
