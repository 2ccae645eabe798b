import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fixtureServer, knownClients, startAuthorizedServer, startHttpFixture } from "@hostside/fixtures";
import { describe, expect, it } from "vitest";
import type { ServerAddress } from "../src/server/server-address.ts";
import { signIn } from "../src/server/sign-in.ts";
import { checkGolden, golden } from "./check-golden.ts";

const require = createRequire(import.meta.url);

function npmServer(name: string, ...args: readonly string[]): ServerAddress {
  const entry = require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
  return { type: "stdio", server: { command: process.execPath, args: [entry, ...args] } };
}

describe("good servers pass", () => {
  it.each(["legacy-stdio", "modern-stdio", "modern-only-stdio"] as const)("%s", { timeout: 120_000 }, async (name) => {
    const checked = await checkGolden({ type: "stdio", server: fixtureServer(name) });
    expect(checked).toMatchObject(golden);
    expect(checked.report.preview?.failure).toBeUndefined();
    expect(checked.report.preview?.tools.length).toBeGreaterThan(5);
  });

  it("legacy-http", { timeout: 120_000 }, async () => {
    await using server = await startHttpFixture("legacy-http");
    expect(await checkGolden({ type: "http", url: new URL(server.url) })).toMatchObject(golden);
  });

  it("legacy-http and legacy-stdio, whose tools are interrupted while they run", { timeout: 240_000 }, async () => {
    const consent = { named: new Map([["slow", { steps: 10, stepMs: 100 }]]), all: false };
    await using server = await startHttpFixture("legacy-http");
    const addresses: readonly ServerAddress[] = [
      { type: "http", url: new URL(server.url) },
      { type: "stdio", server: fixtureServer("legacy-stdio") },
    ];
    for (const address of addresses) {
      const checked = await checkGolden(address, { consent, preview: false });
      expect(checked).toMatchObject(golden);
      const cancelled = checked.report.results.find(({ check }) => check.id === "calls/cancelled");
      expect(cancelled?.finding).toMatchObject({ observed: "slow was interrupted, and answered the next call" });
    }
  });

  it("sse-only", { timeout: 120_000 }, async () => {
    await using server = await startHttpFixture("sse-only");
    expect(await checkGolden({ type: "sse", url: new URL(server.url) })).toMatchObject(golden);
  });

  it("authorized-http, signed in as a program", { timeout: 120_000 }, async () => {
    await using server = await startAuthorizedServer();
    const url = new URL(server.url);
    const client = { flow: "client_credentials", ...knownClients.robot } as const;
    const signedIn = await signIn({ url, client, prompt: async () => "cancelled" });
    const checked = await checkGolden({ type: "http", url, signIn: signedIn });
    await signedIn.close();
    expect(checked).toMatchObject(golden);
    expect(checked.report.preview?.failure).toBeUndefined();
  });

  it("the reference servers from npm", { timeout: 240_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "hostside-golden-"));
    const servers = [npmServer("everything"), npmServer("filesystem", folder), npmServer("memory")];
    for (const address of servers)
      expect(await checkGolden(address, { answerMs: 3000, preview: false })).toMatchObject(golden);
    await rm(folder, { recursive: true });
  });
});
