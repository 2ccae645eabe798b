import { HostsideError, type ServerSpec } from "@hostside/core";
import { spawn } from "node:child_process";
import { describe, expect, it } from "vitest";
import { openStdio, type StdioEffects } from "../src/stdio/open-stdio.ts";
import type { StdioTransport } from "../src/stdio/stdio-transport.ts";
import { childPath, openChild, processesOfGroup, until } from "./open-child.ts";
import { createServerContext } from "./server-context.ts";

describe("close()", () => {
  it("ends a server by the end of its stdin alone, after what was queued", async () => {
    const signals: unknown[] = [];
    const { transport, messages, closeCount } = await openChild("echo.mjs", {
      effects: { sendSignal: recordSignals(signals) },
    });
    const sent = transport.send({ jsonrpc: "2.0", method: "notifications/cancelled" });
    await Promise.all([transport.close(), transport.close()]);
    await expect(sent).resolves.toBeUndefined();
    expect(signals.filter((signal) => signal !== 0)).toEqual([]);
    expect(closeCount()).toBe(1);
    expect(transport.closeReason).toBeUndefined();
    expect(messages).toEqual([]);
    await expect(transport.send({ jsonrpc: "2.0", method: "late" })).rejects.toMatchObject({
      code: "closed",
      outcome: "not-sent",
    });
  });

  it("fires onclose at once, and lets nothing through afterwards", async () => {
    const { transport, messages, closeCount } = await openChild("echo.mjs");
    await transport.send({ jsonrpc: "2.0", id: 1, method: "echo" });
    const done = transport.close();
    expect(closeCount()).toBe(1);
    await done;
    expect(messages).toEqual([]);
  });

  it("called from within onmessage lets no other message of that chunk through", async () => {
    const { transport, messages } = await openChild("answer-then-exit.mjs");
    let done: Promise<void> | undefined;
    transport.onmessage = (message) => {
      messages.push(message);
      done = transport.close();
    };
    await transport.send({ jsonrpc: "2.0", id: 0, method: "echo" });
    await until(() => done !== undefined);
    await done;
    expect(messages).toHaveLength(1);
  });

  it("lets no log and no diagnostic through that a server writes while it ends", async () => {
    const { transport, messages, logs, diagnostics } = await openChild("says-goodbye.mjs");
    await until(() => messages.length === 1);
    await transport.close();
    expect([logs, diagnostics]).toEqual([[], []]);
  });

  it("reads on what a server writes while it ends, also one that was never started", async () => {
    const signals: unknown[] = [];
    const transport = await openTo("floods-stdout.mjs", new AbortController().signal, {
      sendSignal: recordSignals(signals),
    });
    await transport.close();
    expect(signals.filter((signal) => signal !== 0)).toEqual([]);
    expect(processesOfGroup(transport.pid)).toEqual([]);
  });

  it("sends SIGTERM to a server that ignores the end of its stdin", async () => {
    const signals: unknown[] = [];
    const { transport, messages } = await openChild("ignores-stdin-end.mjs", {
      spec: { timeouts: { closeMs: 1000 } },
      effects: { sendSignal: recordSignals(signals) },
    });
    await until(() => messages.length === 1);
    await transport.close();
    expect(signals.filter((signal) => signal !== 0)).toEqual(["SIGTERM"]);
  });

  it("sends SIGKILL to a server that ignores SIGTERM, too", async () => {
    const signals: unknown[] = [];
    const { transport, messages } = await openChild("ignores-sigterm.mjs", {
      spec: { timeouts: { closeMs: 200 } },
      effects: { sendSignal: recordSignals(signals) },
    });
    await until(() => messages.length === 1);
    await transport.close();
    expect(signals.filter((signal) => signal !== 0)).toEqual(["SIGTERM", "SIGKILL"]);
  });

  it("ends a server behind a shell that does not pass on signals", async () => {
    const { transport, messages } = await openChild("ignores-stdin-end.mjs", {
      transport: { command: "sh", args: ["-c", `"${process.execPath}" "${childPath("ignores-stdin-end.mjs")}"; true`] },
      spec: { timeouts: { closeMs: 200 } },
    });
    await until(() => messages.length === 1);
    expect(processesOfGroup(transport.pid)).toHaveLength(2);
    await transport.close();
    expect(processesOfGroup(transport.pid)).toEqual([]);
  });

  it("ends a grandchild that outlives a server that behaved well", async () => {
    const { transport, messages } = await openChild("grandchild-outlives-server.mjs", {
      spec: { timeouts: { closeMs: 200 } },
    });
    await until(() => messages.length === 1);
    expect(processesOfGroup(transport.pid)).toHaveLength(2);
    await transport.close();
    expect(processesOfGroup(transport.pid)).toEqual([]);
  });

  it("is bounded and never rejects, also when a process cannot be ended", async () => {
    const { transport } = await openChild("ignores-sigterm.mjs", {
      spec: { timeouts: { closeMs: 50 } },
      effects: {
        sendSignal: () => {
          throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
        },
      },
    });
    await expect(transport.close()).resolves.toBeUndefined();
    process.kill(-transport.pid, "SIGKILL");
    await until(() => processesOfGroup(transport.pid).length === 0);
  });

  it("called from within onclose after a crash waits for the rest of the group", async () => {
    const { transport } = await openChild("grandchild-holds-stdout.mjs");
    const closed = new Promise<void>((resolve) => {
      transport.onclose = () => resolve(transport.close());
    });
    await transport.send({ jsonrpc: "2.0", method: "crash" });
    await closed;
    expect(processesOfGroup(transport.pid)).toEqual([]);
  });

  it("leaves no listener on the process behind, however many servers there were", async () => {
    // Others may listen, and stop, at any time.
    const ours = (): number => process.listeners("exit").filter(({ name }) => name === "terminateAll").length;
    const children = await Promise.all(Array.from({ length: 3 }, () => openChild("echo.mjs")));
    expect(ours()).toBe(1);
    await Promise.all(children.map(({ transport }) => transport.close()));
    expect(ours()).toBe(0);
  });
});

describe("an aborted openStdio()", () => {
  it("starts nothing when it was aborted before: aborted", async () => {
    let spawned = 0;
    const opening = openTo("echo.mjs", AbortSignal.abort("enough"), {
      spawn: (command, args, options) => {
        spawned += 1;
        return spawn(command, args, options);
      },
    });
    await expect(opening).rejects.toMatchObject({ code: "aborted", outcome: "not-sent", cause: "enough" });
    expect(spawned).toBe(0);
  });

  it("leaves nothing behind when it is aborted during the start, and throws the reason", async () => {
    const controller = new AbortController();
    const reason = new HostsideError("late", { code: "connect_timeout", serverId: "child" });
    let pid = 0;
    const opening = openTo("echo.mjs", controller.signal, {
      spawn: (command, args, options) => {
        const child = spawn(command, args, options);
        pid = child.pid ?? 0;
        controller.abort(reason);
        return child;
      },
    });
    await expect(opening).rejects.toBe(reason);
    expect(pid).toBeGreaterThan(0);
    expect(processesOfGroup(pid)).toEqual([]);
  });
});

function specOf(program: string): ServerSpec {
  return { id: "child", type: "stdio", command: process.execPath, args: [childPath(program)] };
}

function openTo(program: string, signal: AbortSignal, effects: StdioEffects): Promise<StdioTransport> {
  const spec = specOf(program);
  return openStdio(spec, { ...createServerContext({ signal }, spec), effects });
}

function recordSignals(signals: unknown[]): (pid: number, signal: NodeJS.Signals | 0) => void {
  return (pid, signal) => {
    signals.push(signal);
    process.kill(pid, signal);
  };
}
