import type {
  Diagnostic,
  JsonObject,
  ServerLog,
  ServerSpec,
  StdioEntry,
  HostsideError,
  EntrySettings,
} from "@hostside/core";
import type { RequestId } from "../src/message/transport.ts";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterEach, expect, vi } from "vitest";
import { openStdio, type StdioEffects } from "../src/stdio/open-stdio.ts";
import type { StdioTransport } from "../src/stdio/stdio-transport.ts";
import { createTransportContext } from "../src/context/server-context.ts";

/** An open transport, and everything it said. */
export interface OpenChild {
  readonly transport: StdioTransport;
  readonly messages: JsonObject[];
  readonly diagnostics: Diagnostic[];
  readonly logs: ServerLog[];
  readonly failures: { readonly id: RequestId; readonly error: HostsideError }[];
  /** Resolves when `onclose` fires. */
  readonly closed: Promise<void>;
  readonly closeCount: () => number;
}

/** What a test may set. */
export interface OpenChildInit {
  readonly transport?: Partial<StdioEntry>;
  /** Follow the program's path. */
  readonly extraArgs?: readonly string[];
  readonly spec?: Partial<EntrySettings>;
  readonly effects?: StdioEffects;
}

const opened: StdioTransport[] = [];

/**
 * Starts a program of `stdio-children/` behind a transport that is ready to use. It is closed, and
 * checked for leftovers, after the test.
 */
export async function openChild(
  program: string,
  { transport, extraArgs = [], spec: members, effects }: OpenChildInit = {},
): Promise<OpenChild> {
  const messages: JsonObject[] = [];
  const diagnostics: Diagnostic[] = [];
  const logs: ServerLog[] = [];
  const failures: { id: RequestId; error: HostsideError }[] = [];
  let closeCount = 0;
  const spec: ServerSpec = {
    id: "child",
    ...members,
    type: "stdio",
    command: process.execPath,
    args: [childPath(program), ...extraArgs],
    ...transport,
  };
  const context = createTransportContext(spec, {
    signal: new AbortController().signal,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    onLog: (log) => logs.push(log),
  });
  const stdio = await openStdio(spec, { ...context, ...(effects && { effects }) });
  opened.push(stdio);
  const closed = new Promise<void>((resolve) => {
    stdio.onclose = () => {
      closeCount += 1;
      resolve();
    };
  });
  stdio.onmessage = (message) => messages.push(message);
  stdio.onrequestfailed = (id, error) => failures.push({ id, error });
  await stdio.start();
  return { transport: stdio, messages, diagnostics, logs, failures, closed, closeCount: () => closeCount };
}

/** Waits until something is so; fails after 15 seconds. */
export async function until(condition: () => boolean): Promise<void> {
  await vi.waitFor(() => expect(condition()).toBe(true), { timeout: 60_000, interval: 5 });
}

/** The path of a program of `stdio-children/`. */
export function childPath(program: string): string {
  return fileURLToPath(new URL(`stdio-children/${program}`, import.meta.url));
}

/**
 * The processes of a group that still run, as `ps` sees them; zombies are only waiting to be
 * collected.
 */
export function processesOfGroup(group: number): readonly string[] {
  return execFileSync("ps", ["-A", "-o", "pgid=,stat=,pid=,args="], { encoding: "utf8" })
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith(`${group} `) && !/^\d+\s+Z/.test(line));
}

afterEach(async () => {
  const transports = opened.splice(0);
  await Promise.all(transports.map((transport) => transport.close()));
  for (const { pid } of transports) assert.deepEqual(processesOfGroup(pid), []);
});
