import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { fixtureServer, startFaultServer, startHttpFixture } from "@hostside/fixtures";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { DoctorFinding } from "../../src/cli/examining/finding.ts";
import { fakeTerminal, runIn, type FakeTerminal } from "../fake-terminal.ts";

interface Report {
  readonly findings: readonly DoctorFinding[];
}

const secret = "hush-hush-3141592653";
const { command: node } = fixtureServer("modern-stdio");

function writeHome(terminal: FakeTerminal, path: string, content: unknown): void {
  const file = join(terminal.home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content));
}

async function startRedirect(location: string): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((_, response) => response.writeHead(307, { location }).end()).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/mcp`, [Symbol.asyncDispose]: async () => void server.close() };
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

describe("doctor among servers of all kinds", () => {
  let terminal: FakeTerminal;
  let run: Awaited<ReturnType<typeof runIn>>;
  let report: Report;
  let touched: string;

  beforeAll(async () => {
    terminal = fakeTerminal();
    touched = join(terminal.home, "touched");
    await using legacy = await startHttpFixture("legacy-http");
    await using modern = await startHttpFixture("modern-http", { modernOnly: true });
    await using guarded = await startFaultServer({ transport: "http", script: "auth-401-bare" });
    await using deep = await startFaultServer({ transport: "http", script: "tools-deep-schema" });
    await using moved = await startRedirect(`${legacy.url}?key=${secret}`);
    const stdio = { ...fixtureServer("modern-stdio"), env: { API_TOKEN: secret } };
    writeHome(terminal, ".claude.json", {
      mcpServers: {
        stdio,
        broken: { command: "no-such-program", args: ["--token", secret] },
        exits: { command: node, args: ["-e", "console.error('Error: no configuration'); process.exit(3)"] },
        legacy: { type: "http", url: legacy.url },
        modern: { type: "http", url: modern.url },
        guarded: { type: "http", url: `${guarded.url}?key=${secret}` },
        deep: { type: "http", url: deep.url },
        // Nothing there speaks TLS, and nothing leads on.
        tls: { type: "http", url: legacy.url.replace("http:", "https:") },
        moved: { type: "http", url: moved.url },
      },
    });
    const touch = `require("node:fs").writeFileSync(${JSON.stringify(touched)}, "")`;
    terminal.file(".mcp.json", { mcpServers: { foreign: { command: node, args: ["-e", touch] } } });
    run = await runIn(terminal, ["doctor", "--json"]);
    report = JSON.parse(run.out) as Report;
  });
  afterAll(() => terminal[Symbol.dispose]());

  const worth = (server: string): readonly DoctorFinding[] =>
    report.findings.filter((finding) => finding.server === server && finding.level !== "ok");

  it("exits 1 for a problem, with one JSON document on stdout and nothing on stderr", () => {
    expect([run.code, run.err]).toEqual([1, ""]);
  });

  it("lists and weighs the tools, and names the era of each", () => {
    const said = (id: string) => report.findings.flatMap(({ server, what }) => (server === id ? [what] : []));
    expect(said("stdio")).toContainEqual(expect.stringMatching(/^up in .*: \d+ tools, protocol 2026-07-28/));
    expect(said("stdio")).toContainEqual(expect.stringMatching(/cost about \d+ tokens/));
    expect(said("legacy")).toContainEqual(expect.stringContaining("protocol 2025-11-25"));
  });

  it("names a program that is not there once", () => {
    const problems = worth("broken").filter(({ level }) => level === "problem");
    expect(problems.map(({ area }) => area)).toEqual(["program"]);
  });

  it("shows what one that ended wrote to stderr", () => {
    expect(worth("exits")).toMatchObject([
      { level: "problem", area: "connection", evidence: ["stderr: Error: no configuration"] },
    ]);
  });

  it("says how to sign in", () => {
    expect(worth("guarded").at(-1)).toMatchObject({ area: "sign-in", mend: { command: "hostside login guarded" } });
  });

  it("names what is wrong with TLS, and follows no redirect", () => {
    expect(worth("tls")).toMatchObject([
      { level: "problem", mend: { text: expect.stringContaining("NODE_EXTRA_CA_CERTS") } },
    ]);
    expect(worth("moved")).toMatchObject([{ level: "problem", mend: { text: expect.stringContaining("its url") } }]);
  });

  it("says what of a tool cannot be used", () => {
    expect(worth("deep").map(({ what }) => what)).toContainEqual(expect.stringContaining("cannot be used"));
  });

  it("does not start what a project brings and nobody trusted", () => {
    expect(existsSync(touched)).toBe(false);
    expect(worth("foreign")).toMatchObject([{ level: "advice", mend: { command: "hostside trust foreign" } }]);
  });

  it("finds a secret in a file and shows none", () => {
    for (const id of ["stdio", "broken", "guarded"])
      expect(worth(id)).toContainEqual(
        expect.objectContaining({ area: "configuration", what: "a secret stands in the file" }),
      );
    expect(run.out).not.toContain(secret);
  });
});

it("gives up on a server that hangs when its time is over, and leaves nothing of it", async () => {
  using terminal = fakeTerminal();
  await using server = await startFaultServer({ transport: "stdio", script: "handshake-silent" });
  const config = terminal.file("mcp.json", {
    mcpServers: { hang: { ...server.spec, type: "stdio", kind: undefined } },
  });
  // Node 20 collects a timeout that nothing but `AbortSignal.any()` knows of.
  const collecting = setTimeout(collectGarbage, 200);
  const { code, out } = await runIn(terminal, ["doctor", "hang", "--config", config, "--timeout", "0.4"]);
  clearTimeout(collecting);
  expect(code).toBe(1);
  expect(out).toMatch(
    /hang\n.*did not come up within [\d.]+ m?s\n.*run hostside doctor --timeout 60 --config \S+ hang\n/,
  );
  expect(server.livePids()).toEqual([]);
});

it("reports an entry that cannot be used, once and with its place, and needs no server for that", async () => {
  using terminal = fakeTerminal();
  const config = terminal.file("mcp.json", { mcpServers: { empty: {} } });
  const { code, out, err } = await runIn(terminal, ["doctor", "--config", config]);
  expect([code, err]).toEqual([1, ""]);
  expect(out).toMatch(/✗ .*mcp\.json:3:\d+: mcpServers\.empty: /);
});

it("refuses a server that is not configured, and names a near one", async () => {
  using terminal = fakeTerminal();
  const config = terminal.file("mcp.json", { mcpServers: { github: { command: "no-such-program" } } });
  const { code, out, err } = await runIn(terminal, ["doctor", "gihub", "--config", config]);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toMatch(/no server "gihub".*\n.*github/);
});

it("exits 3 when it is interrupted, and says that not all is there", async () => {
  using terminal = fakeTerminal();
  await using server = await startFaultServer({ transport: "stdio", script: "handshake-silent" });
  const config = terminal.file("mcp.json", {
    mcpServers: { hang: { ...server.spec, type: "stdio", kind: undefined } },
  });
  const run = runIn(terminal, ["doctor", "--config", config]);
  await vi.waitFor(() => expect(server.livePids()).not.toEqual([]), 60_000);
  terminal.interrupt();
  const { code, out, err } = await run;
  expect(code).toBe(3);
  expect(err).toMatch(/stopped/);
  // A server that was not looked at to the end has no fault.
  expect(out).toMatch(/\nno problems so far\n$/);
});
