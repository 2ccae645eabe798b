import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { fixtureServer, startHttpFixture, type HttpFixtures, type StdioFixture } from "@hostside/fixtures";
import type { Connection, ProtocolEra, ServerEntry } from "@hostside/core";
import type { ConnectionHooks } from "@hostside/core/implement";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createConnector } from "../src/index.ts";
import {
  createServerV1,
  createServerV2,
  custom,
  memory,
  openTransportV1,
  openTransportV2,
} from "./in-process-servers.ts";

interface Row {
  readonly name: string;
  readonly open: () => Promise<ServerEntry>;
  readonly era: ProtocolEra;
  readonly version: string;
  /** What was tried in vain on the way there. */
  readonly fallbacks?: number;
  /** The era is told as a guess, each time. */
  readonly isGuess?: boolean;
  /** For the probe; short only where the server lets it pass. */
  readonly probeMs?: number;
}

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

const stdio = (name: StdioFixture) => async (): Promise<ServerEntry> => ({ type: "stdio", ...fixtureServer(name) });

const http =
  <Name extends keyof HttpFixtures>(name: Name, options?: HttpFixtures[Name]) =>
  async (): Promise<ServerEntry> => {
    const server = await startHttpFixture(name, options);
    closers.push(() => server.close());
    return { type: "http", url: server.url };
  };

const rows: readonly Row[] = [
  { name: "stdio: v1", open: stdio("legacy-stdio"), era: "legacy", version: "2025-11-25" },
  { name: "stdio: v2 with both eras", open: stdio("modern-stdio"), era: "modern", version: "2026-07-28" },
  { name: "stdio: 2026-07-28 only", open: stdio("modern-only-stdio"), era: "modern", version: "2026-07-28" },
  {
    name: "stdio: 2024-11-05, errors on the unknown",
    open: stdio("errors-on-unknown"),
    era: "legacy",
    version: "2024-11-05",
  },
  {
    name: "stdio: 2024-11-05, silent before initialize",
    open: stdio("silent-before-initialize"),
    era: "legacy",
    version: "2024-11-05",
    probeMs: 400,
    isGuess: true,
  },
  {
    name: "stdio: 2024-11-05, exits on the unknown",
    open: stdio("exits-on-unknown"),
    era: "legacy",
    version: "2024-11-05",
    fallbacks: 1,
  },
  { name: "HTTP: v1 with sessions", open: http("legacy-http"), era: "legacy", version: "2025-11-25" },
  {
    name: "HTTP: v1 with JSON answers",
    open: http("legacy-http", { json: true }),
    era: "legacy",
    version: "2025-11-25",
  },
  {
    name: "HTTP: v1 without sessions",
    open: http("legacy-http", { stateless: true }),
    era: "legacy",
    version: "2025-11-25",
  },
  { name: "HTTP: v2 with both eras", open: http("modern-http"), era: "modern", version: "2026-07-28" },
  { name: "HTTP+SSE of 2024-11-05 only", open: http("sse-only"), era: "legacy", version: "2025-11-25", fallbacks: 1 },
  {
    name: "memory: v1",
    open: async () => memory((end) => createServerV1().connect(end)),
    era: "legacy",
    version: "2025-11-25",
  },
  {
    name: "memory: v2",
    open: async () => memory((end) => createServerV2().connect(end)),
    era: "legacy",
    version: "2025-11-25",
  },
  {
    name: "memory: v2 with both eras",
    open: async () => memory((transport) => serveStdio(createServerV2, { transport })),
    era: "modern",
    version: "2026-07-28",
  },
  { name: "custom: v1 transport", open: async () => custom(openTransportV1), era: "legacy", version: "2025-11-25" },
  { name: "custom: v2 transport", open: async () => custom(openTransportV2), era: "modern", version: "2026-07-28" },
];

describe("every kind of server", () => {
  it.each(rows)(
    "$name: connects as $era, lists, calls and closes, the second time without a fallback",
    async (row) => {
      const transport = await row.open();
      const connector = createConnector();
      const diagnostics: string[] = [];
      const onDown = vi.fn<ConnectionHooks["onDown"]>();
      for (const fallbacks of row.isGuess === true ? [1, 1] : [row.fallbacks ?? 0, 0]) {
        const connection = await connector.connect(
          { id: "srv", ...transport, timeouts: { probeMs: row.probeMs ?? 20_000 } },
          {
            onToolsChanged: () => undefined,
            onDown,
            onDiagnostic: ({ kind, message }) => void (kind === "fallback" && diagnostics.push(message)),
          },
          new AbortController().signal,
        );
        expect(diagnostics.splice(0)).toHaveLength(fallbacks);
        expect(connection.server).toMatchObject({ era: row.era, protocolVersion: row.version });
        await exercise(connection);
        await connection.close();
        await connection.close();
        expect(await refusal(connection)).toMatchObject({ code: "closed", outcome: "not-sent" });
      }
      expect(onDown).not.toHaveBeenCalled();
    },
    60_000,
  );
});

async function exercise(connection: Connection): Promise<void> {
  const { tools, dropped } = await connection.listTools();
  expect(tools.map(({ name }) => name)).toContain("echo");
  expect(dropped).toEqual([]);
  const result = await connection.callTool("echo", { text: "grüezi" });
  expect(result["content"]).toEqual([{ type: "text", text: "grüezi" }]);
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => connection.callTool("echo", { text: `${n}` })),
  );
  expect(answers.map(({ content }) => content)).toEqual(
    Array.from({ length: 20 }, (_, n) => [{ type: "text", text: `${n}` }]),
  );
}

function refusal(connection: Connection): Promise<unknown> {
  return connection.callTool("echo", { text: "late" }).catch((error: unknown) => error);
}

describe("a server that is slower to start than probeMs", () => {
  it.each([
    { name: "v2 with both eras", fixture: "modern-stdio" },
    { name: "2026-07-28 only", fixture: "modern-only-stdio" },
  ] as const)("is taken for what it is: $name, in one process", async ({ fixture }) => {
    const { command, args } = fixtureServer(fixture);
    const late = `setTimeout(() => { process.argv.splice(1, 0, ${JSON.stringify(args[0])}); import(${JSON.stringify(args[0])}); }, 700)`;
    const started: string[] = [];
    const connector = createConnector();
    const connection = await connector.connect(
      {
        id: "srv",
        type: "stdio",
        command,
        args: ["-e", `console.error("started"); ${late}`, "--", ...args.slice(1)],
        timeouts: { probeMs: 50 },
      },
      {
        onToolsChanged: () => undefined,
        onDown: () => undefined,
        onLog: ({ text }) => void started.push(text),
        onDiagnostic: ({ message }) => void started.push(message),
      },
      new AbortController().signal,
    );
    expect(connection.server).toMatchObject({ era: "modern", protocolVersion: "2026-07-28" });
    expect(started).toEqual(["started"]);
    await exercise(connection);
    await connection.close();
  });
});
