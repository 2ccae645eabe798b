import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fixtureServer, startFaultServer, startHttpFixture, type FaultScript } from "@hostside/fixtures";
import { recordHttp } from "./record-http.ts";
import { recordStdio } from "./record-stdio.ts";
import type { TalkEra } from "./talker.ts";
import type { RecordedServer } from "./wire-message.ts";

/** Where a dialogue is held: a kind of server, a transport and an era. */
export const venueNames = [
  "fixture-stdio",
  "fixture-http",
  "fixture-stdio-2026",
  "fixture-http-2026",
  "script-stdio",
  "script-http",
  "script-stdio-2026",
  "script-http-2026",
  "everything-stdio",
  "everything-http",
  "filesystem",
  "memory",
] as const;

/** One of {@linkcode venueNames}. */
export type VenueName = (typeof venueNames)[number];

/** What a dialogue with a scripted server can wait for; with any other it must not. */
export interface FaultStage {
  /** So many calls were run. */
  executed(count: number): Promise<void>;
  /** The server knows that so many calls were given up. */
  cancelled(count: number): Promise<void>;
  /** The server got so many answers to requests of its own. */
  answered(count: number): Promise<void>;
}

/** A server of a venue, ready to be talked to. */
export interface OpenVenue extends RecordedServer {
  readonly era: TalkEra;
  readonly stage: FaultStage;
}

const require = createRequire(import.meta.url);

/** Starts the server of a venue with a recorder in front of it. */
export async function openVenue(name: VenueName, script: FaultScript = {}): Promise<OpenVenue> {
  const era: TalkEra = name.endsWith("-2026") ? "2026-07-28" : "legacy";
  const { server, stage = noStage } = await startServer(name, {
    era: era === "legacy" ? "legacy" : "modern",
    ...script,
  });
  return { ...server, era, stage };
}

interface Started {
  readonly server: RecordedServer;
  readonly stage?: FaultStage;
}

async function startServer(name: VenueName, script: FaultScript): Promise<Started> {
  switch (name) {
    case "fixture-stdio":
      return { server: recordStdio(fixtureServer("legacy-stdio")) };
    case "fixture-stdio-2026":
      return { server: recordStdio(fixtureServer("modern-stdio")) };
    case "fixture-http":
      return { server: await recordRunning(await startHttpFixture("legacy-http")) };
    case "fixture-http-2026":
      return { server: await recordRunning(await startHttpFixture("modern-http")) };
    case "script-stdio":
    case "script-stdio-2026":
      return startScriptedStdio(script);
    case "script-http":
    case "script-http-2026":
      return startScriptedHttp(script);
    case "everything-stdio":
      return { server: recordStdio(npmServer("everything")) };
    case "everything-http":
      return { server: await recordRunning(await startEverything()) };
    case "filesystem":
      return { server: await recordFilesystem() };
    case "memory":
      return { server: recordStdio(npmServer("memory")) };
  }
}

async function startScriptedStdio(script: FaultScript): Promise<Started> {
  const fault = await startFaultServer({ transport: "stdio", script });
  const recorded = recordStdio({ command: fault.spec.command, args: fault.spec.args });
  const close = (): Promise<unknown> => Promise.all([recorded.close(), fault.close()]);
  return {
    server: { ...recorded, close },
    stage: {
      executed: (count) => fault.occurred("executed", count),
      cancelled: (count) => fault.occurred("notifications/cancelled", count),
      answered: (count) => fault.occurred("response", count),
    },
  };
}

async function startScriptedHttp(script: FaultScript): Promise<Started> {
  const fault = await startFaultServer({ transport: "http", script });
  const modern = script.era === "modern";
  return {
    server: await recordRunning(fault),
    stage: {
      executed: (count) => fault.occurred("executed", count),
      // In 2026-07-28 a call over HTTP is given up by closing its response; nothing is sent.
      cancelled: (count) => (modern ? Promise.resolve() : fault.occurred("notifications/cancelled", count)),
      answered: (count) => fault.occurred("response", count),
    },
  };
}

const never = (): Promise<void> => Promise.reject(new TypeError("only a scripted server tells"));
const noStage: FaultStage = { executed: never, cancelled: never, answered: never };

async function recordRunning({ url, close }: { url: string; close: () => Promise<unknown> }): Promise<RecordedServer> {
  const recorded = await recordHttp(url);
  return {
    ...recorded,
    async close() {
      await recorded.close();
      await close();
    },
  };
}

async function recordFilesystem(): Promise<RecordedServer> {
  const folder = await mkdtemp(join(tmpdir(), "hostside-folder-"));
  const recorded = recordStdio(npmServer("filesystem", folder));
  const close = (): Promise<unknown> => Promise.all([recorded.close(), rm(folder, { recursive: true, force: true })]);
  return { ...recorded, ownText: folder, close };
}

function npmServer(name: string, ...args: readonly string[]): { command: string; args: readonly string[] } {
  return {
    command: process.execPath,
    args: [require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`), ...args],
  };
}

async function startEverything(): Promise<{ url: string; close: () => Promise<unknown> }> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  const port = typeof address === "object" ? (address?.port ?? 0) : 0;
  listener.close();
  await once(listener, "close");
  const { command, args } = npmServer("everything", "streamableHttp");
  const child = spawn(command, args, {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const exited = once(child, "exit");
  for await (const line of createInterface({ input: child.stderr })) {
    if (line.includes(`listening on port ${port}`)) break;
  }
  child.stderr.resume();
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async close() {
      child.kill();
      await exited;
    },
  };
}
