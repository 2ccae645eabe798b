import { spawn } from "node:child_process";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { fixtureServer, startHttpFixture } from "@hostside/fixtures";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkServer } from "../src/server/check-server.ts";
import type { ServerAddress } from "../src/server/server-address.ts";
import { delayOf } from "./programs/delay-of.mjs";

const relay = fileURLToPath(new URL("programs/slow-relay.mjs", import.meta.url));
const seeds = ["1", "2", "3"] as const;
const busyLoops = Number(process.env["HOSTSIDE_BUSY_LOOPS"] ?? 8);

/** The failures of a server, advice left out: that it is slow is true. */
async function failuresOf(address: ServerAddress): Promise<readonly string[]> {
  const { results } = await checkServer({ address, preview: false });
  return results.flatMap(({ check, finding }) =>
    finding.status === "fail" && check.level === "MUST" ? [`${check.id}: ${finding.observed}`] : [],
  );
}

describe.concurrent("good servers whose messages are held for up to 15 seconds, on a busy machine, get no failure", () => {
  const loops = Array.from({ length: busyLoops }, () => ["-e", "for (;;) {}"]);
  const children: ReturnType<typeof spawn>[] = [];

  beforeAll(() => void children.push(...loops.map((args) => spawn(process.execPath, args, { stdio: "ignore" }))));
  afterAll(() => children.forEach((child) => child.kill("SIGKILL")));

  for (const seed of seeds) {
    it.each(["legacy-stdio", "modern-stdio", "modern-only-stdio"] as const)(
      `%s, seed ${seed}`,
      { timeout: 900_000 },
      async (name) => {
        const { command, args, ...rest } = fixtureServer(name);
        const server = { ...rest, command: process.execPath, args: [relay, seed, command, ...args] };
        expect(await failuresOf({ type: "stdio", server })).toEqual([]);
      },
    );

    it.each(["legacy-http", "modern-http", "sse-only"] as const)(
      `%s, seed ${seed}`,
      { timeout: 900_000 },
      async (name) => {
        await using server = await startHttpFixture(name);
        await using slow = await holdRequests(server.url, seed);
        const type = name === "sse-only" ? "sse" : "http";
        expect(await failuresOf({ type, url: new URL(slow.url) })).toEqual([]);
      },
    );
  }
});

/** In front of a server over HTTP: holds some requests. */
async function holdRequests(url: string, seed: string): Promise<{ readonly url: string } & AsyncDisposable> {
  const { hostname, port, pathname, origin } = new URL(url);
  const proxy = createServer((incoming, response) => {
    const forward = async (): Promise<void> => {
      const body = await text(incoming);
      await new Promise((resolve) => setTimeout(resolve, delayOf(seed, `${incoming.method} ${body}`)));
      const { method = "GET", url: path = pathname } = incoming;
      const headers = { ...incoming.headers, host: new URL(origin).host };
      const onward = request({ hostname, port, path, method, headers, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onward.on("error", () => response.destroy());
      response.on("close", () => onward.destroy());
      onward.end(body);
    };
    forward().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const address = proxy.address() as AddressInfo; // A TCP server has one.
  return {
    url: `http://127.0.0.1:${address.port}${pathname}`,
    async [Symbol.asyncDispose]() {
      proxy.closeAllConnections();
      await new Promise((resolve) => proxy.close(resolve));
    },
  };
}
