import type { ServerSpec } from "@hostside/core";
import assert from "node:assert/strict";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import * as files from "node:fs/promises";
import { expect, it } from "vitest";
import { openStdio } from "../src/stdio/open-stdio.ts";
import { startServer, type StartedServer, type StdioContext } from "../src/stdio/start-server.ts";
import { createTransportContext } from "../src/context/transport-context.ts";
import { processesOfGroup } from "./open-child.ts";

// A program runs before there is anybody to speak with it: that code is loaded meanwhile.

const listeners = { onDiagnostic: () => {}, onLog: () => {} };

interface Early {
  readonly spec: ServerSpec;
  readonly context: StdioContext;
  readonly started: StartedServer;
  readonly child: ChildProcess;
}

async function start(script: string, signal = new AbortController().signal): Promise<Early> {
  const spec: ServerSpec = { id: "early", type: "stdio", command: "/bin/sh", args: ["-c", script] };
  const context = createTransportContext(spec, { signal, ...listeners });
  const started = await startServer(spec, context, { spawn, files: () => files });
  assert(started.child !== undefined);
  return { spec, context, started, child: started.child };
}

it("reports a program that ended before anybody listened, with what it wrote", async () => {
  const { spec, context, started, child } = await start("echo 'no token' >&2; echo stray; exit 3");
  await once(child, "exit");
  // What Node does with pipes that nobody reads comes after the event.
  await new Promise((resolve) => setImmediate(resolve));
  const transport = await openStdio(spec, context, started);
  const closed = new Promise<void>((resolve) => {
    transport.onclose = resolve;
  });
  await transport.start().catch(() => undefined);
  await closed;
  expect(transport.closeReason).toMatchObject({ code: "server_exited", details: { exitCode: 3 } });
  expect(transport.stderr).toBe("no token");
  expect(transport.strayLine).toBe("stray");
});

it("hands over everything that was written before anybody listened", async () => {
  const { spec, context, started, child } = await start(`echo '{"jsonrpc":"2.0","method":"early"}'; exec cat`);
  assert(child.stdout !== null);
  await once(child.stdout, "readable");
  const transport = await openStdio(spec, context, started);
  const message = new Promise((resolve) => {
    transport.onmessage = resolve;
  });
  await transport.start();
  expect(await message).toMatchObject({ method: "early" });
  await transport.close();
  expect(processesOfGroup(transport.pid)).toEqual([]);
});

it("ends what it started when the rest cannot be loaded", async () => {
  const { started, child } = await start("sleep 1000 & exec cat");
  await started.running;
  const ended = once(child, "exit");
  started.abandon();
  expect(await ended).toEqual([null, "SIGKILL"]);
  await expect.poll(() => processesOfGroup(child.pid ?? 0)).toEqual([]);
});

it("starts nothing after an abort", async () => {
  await expect(start("exec cat", AbortSignal.abort())).rejects.toMatchObject({ code: "aborted", outcome: "not-sent" });
});

it("gives each start a mark of its own, none of which is a part of another", async () => {
  const marks = await Promise.all(Array.from({ length: 12 }, async () => (await start("exit 0")).started.mark));
  for (const mark of marks) expect(marks.filter((other) => other.includes(mark))).toEqual([mark]);
});
