import { isHostsideError, type JsonObject, type HostsideError } from "@hostside/core";
import { spawn, type ChildProcess } from "node:child_process";
import { describe, expect, it, vi } from "vitest";
import { SafeHooks } from "../src/context/safe-hooks.ts";
import { Wire } from "../src/wire/wire.ts";
import { openChild, until } from "./open-child.ts";
import { call } from "./open-wire.ts";
import { createServerContext } from "./server-context.ts";

const request = (id: number, params: JsonObject = {}) => ({
  jsonrpc: "2.0" as const,
  id,
  method: "echo",
  params,
});

describe("a stdio server that works", () => {
  it("answers requests in order, also those sent in one turn", async () => {
    const { transport, messages } = await openChild("echo.mjs");
    await Promise.all([1, 2, 3].map((id) => transport.send(request(id, { id }))));
    await until(() => messages.length === 3);
    expect(messages).toEqual([1, 2, 3].map((id) => ({ jsonrpc: "2.0", id, result: { id } })));
  });

  it("tells the number of its process, and what stderr said so far", async () => {
    const { transport } = await openChild("echo.mjs");
    expect(transport.pid).toBeGreaterThan(0);
    expect(transport.stderr).toBe("");
  });

  it("refuses a second start with a TypeError", async () => {
    const { transport } = await openChild("echo.mjs");
    await expect(transport.start()).rejects.toThrow(TypeError);
  });

  it("rejects a message that is not JSON with a TypeError and goes on", async () => {
    const { transport, messages } = await openChild("echo.mjs");
    await expect(transport.send(request(1, { big: 1n as never }))).rejects.toThrow(TypeError);
    await transport.send(request(2));
    await until(() => messages.length === 1);
  });

  it("gets arguments verbatim, without a shell, and its working directory", async () => {
    const args = ["$HOME `id`; rm -rf *", "'\"", "a b", ""];
    const cwd = import.meta.dirname;
    const { messages } = await openChild("tells-environment.mjs", { transport: { cwd }, extraArgs: args });
    await until(() => messages.length === 1);
    expect(messages[0]).toMatchObject({ params: { argv: args, cwd } });
  });

  it("gets only safe variables by default, and the configured ones", async () => {
    const { messages } = await openChild("tells-environment.mjs", {
      transport: { env: { MODE: "test", HOME: "/configured" } },
      effects: { environment: { PATH: "/usr/bin", HOME: "/home/me", AWS_SECRET_ACCESS_KEY: "hush", LANG: "C" } },
    });
    await until(() => messages.length === 1);
    expect(messages[0]).toMatchObject({
      params: {
        env: {
          PATH: "/usr/bin",
          LANG: "C",
          MODE: "test",
          HOME: "/configured",
        },
      },
    });
    expect(JSON.stringify(messages[0])).not.toContain("hush");
    // Linux has a mark for what the server starts besides.
    const names = Object.keys((messages[0] as unknown as { params: { env: object } }).params.env);
    expect(names.toSorted()).toEqual(["HOME", "LANG", "MODE", "PATH"]);
  });

  it("has its default where a limit is given as undefined", async () => {
    // What `exactOptionalPropertyTypes` forbids, a configuration without types can hold.
    const { transport, messages } = await openChild("floods-stderr.mjs", {
      spec: { limits: { stderrTailBytes: undefined as never } },
    });
    await transport.send(request(1));
    await until(() => messages.length === 1);
    expect(transport.stderr.length).toBeGreaterThan(1000);
  });

  it("may flood stderr: it is drained, and a bounded tail is kept", async () => {
    const { transport, messages, logs } = await openChild("floods-stderr.mjs", {
      spec: { limits: { stderrTailBytes: 1000 } },
    });
    transport.setProtocolVersion();
    await transport.send(request(1));
    await until(() => messages.length === 1);
    expect(transport.stderr.length).toBeGreaterThan(0);
    // And the line that is not finished.
    expect(transport.stderr.length).toBeLessThanOrEqual(1200);
    expect(logs.length).toBeGreaterThan(0);
    expect(logs.length).toBeLessThan(20_000);
    expect(logs[0]).toEqual({ source: "stderr", level: "info", text: "debug ".repeat(20).trim() });
  });
});

describe("a stdio server that dies", () => {
  it("before the handshake: server_exited with code and stderr, and sends fail as not-sent", async () => {
    const { transport, closed, logs } = await openChild("crash-before-handshake.mjs");
    await closed;
    const error = transport.closeReason;
    expect(error).toMatchObject({
      code: "server_exited",
      serverId: "child",
      details: {
        exitCode: 3,
        exitSignal: null,
        stderrTail: "loading configuration\nfatal: no database at db.internal",
      },
    });
    expect(error?.message).toBe(
      '[server_exited] server "child" exited with code 3; its stderr:\nloading configuration\nfatal: no database at db.internal',
    );
    await expect(transport.send(request(1))).rejects.toMatchObject({ code: "server_exited", outcome: "not-sent" });
    expect(logs.map((log) => log.text)).toEqual(["loading configuration", "fatal: no database at db.internal"]);
  });

  it("with a request in flight: server_exited, outcome unknown, onclose once", async () => {
    const { transport, closed, closeCount } = await openChild("crash-on-first-message.mjs");
    await transport.send(request(1));
    await closed;
    expect(transport.closeReason).toMatchObject({
      code: "server_exited",
      outcome: "unknown",
      details: { exitCode: 1 },
    });
    await transport.close();
    expect(closeCount()).toBe(1);
    expect(isHostsideError(transport.closeReason, "server_exited")).toBe(true);
  });

  it("by a signal: the error names it", async () => {
    const { transport, closed } = await openChild("killed-on-first-message.mjs");
    await transport.send(request(1));
    await closed;
    expect(transport.closeReason?.details).toMatchObject({ exitCode: null, exitSignal: "SIGKILL" });
    expect(transport.closeReason?.message).toContain("was ended by SIGKILL");
  });

  it("right after its answers: they are all delivered before onclose, also a last one without a line feed", async () => {
    const { transport, messages, closed } = await openChild("answer-then-exit.mjs");
    await transport.send(request(0));
    await closed;
    expect(messages).toHaveLength(2000);
    expect(messages.at(-1)).toMatchObject({ id: 1999 });
    expect(transport.closeReason).toMatchObject({ code: "server_exited", details: { exitCode: 0 } });
  });

  it("right after its answers, which came behind a line that was given up: they are all delivered", async () => {
    const { transport, messages, closed } = await openChild("answer-then-exit.mjs", { extraArgs: ["batch"] });
    await transport.send(request(0));
    await closed;
    expect(messages).toHaveLength(2000);
  });

  it("before what it wrote was read: it is still read before onclose", async () => {
    const { transport, messages, closed } = await openChild("answer-then-exit.mjs", {
      effects: {
        spawn: (command, args, options) => {
          const child = spawn(command, args, options);
          child.stdout?.pause();
          child.once("exit", () => child.stdout?.resume());
          return child;
        },
      },
    });
    await transport.send(request(0));
    await closed;
    expect(messages).toHaveLength(2000);
  });

  it("while a grandchild holds its stdout and writes on: noticed at once, and the grandchild is ended", async () => {
    const { transport, closed } = await openChild("grandchild-holds-stdout.mjs");
    await transport.send(request(1));
    await closed;
    expect(transport.closeReason).toMatchObject({ code: "server_exited", details: { exitCode: 7 } });
  });

  it("and whose process object reports an error later: without effect", async () => {
    let child: ChildProcess | undefined;
    const { transport, closed } = await openChild("crash-on-first-message.mjs", {
      effects: { spawn: (command, args, options) => (child = spawn(command, args, options)) },
    });
    await transport.send(request(1));
    await closed;
    await transport.close();
    expect(child?.emit("error", new Error("late"))).toBe(true);
    expect(transport.closeReason).toMatchObject({ code: "server_exited" });
  });

  it("without secrets in errors, logs and diagnostics", async () => {
    const { transport, closed, logs, diagnostics } = await openChild("leaks-secret.mjs", {
      transport: { env: { API_KEY: "sk-live-123456789" } },
    });
    await until(() => diagnostics.length === 1);
    await transport.send(request(1));
    await closed;
    const said = JSON.stringify([logs, diagnostics, transport.closeReason, transport.closeReason?.message]);
    expect(said).toContain("using key [redacted]");
    expect(said).toContain("connected with [redacted]");
    expect(said).not.toMatch(/sk-live|123456789/);
  });
});

describe("a stdio server that closes a pipe but lives", () => {
  it("stdout: connection_closed, and it is ended", async () => {
    const { transport, closed } = await openChild("closes-stdout.mjs");
    await transport.send(request(1));
    await closed;
    expect(transport.closeReason).toMatchObject({ code: "connection_closed", outcome: "unknown" });
    expect(transport.closeReason?.message).toContain("closed its stdout but kept running");
  });

  it("stdin: the message that could not be written fails as not-sent, before the server is gone", async () => {
    const signals: unknown[] = [];
    const { transport, messages, closed } = await openChild("closes-stdin.mjs", {
      spec: { timeouts: { closeMs: 500 } },
      effects: {
        sendSignal: (pid, signal) => {
          signals.push(signal);
          if (signal !== "SIGTERM") process.kill(pid, signal);
        },
      },
    });
    await until(() => messages.length === 1);
    await expect(transport.send(request(1))).rejects.toMatchObject({ code: "connection_closed", outcome: "not-sent" });
    expect(signals).not.toContain("SIGKILL");
    await closed;
    expect(transport.closeReason?.message).toContain("closed its stdin but kept running");
  });
});

describe("a stdio server that does not read", () => {
  const large = { jsonrpc: "2.0" as const, method: "large", params: { text: "x".repeat(300_000) } };
  const spec = { limits: { maxMessageBytes: 250_000 }, timeouts: { closeMs: 300 } };

  it("costs bounded memory: overloaded, not-sent", async () => {
    const { transport } = await openChild("never-reads.mjs", { spec });
    const sends = Array.from({ length: 10 }, () => transport.send(large));
    const settled = Promise.allSettled(sends);
    const refused = await firstRejection(sends);
    expect(refused).toMatchObject({ code: "overloaded", outcome: "not-sent", serverId: "child" });
    await transport.close();
    for (const result of await settled) expect(result.status).toBe("rejected");
  });

  it("and dies: every send settles, and only those of which nothing left are not-sent", async () => {
    const { transport, messages, closed } = await openChild("never-reads-then-crashes.mjs", { spec });
    await until(() => messages.length === 1);
    const first = outcomeOf(transport.send(large));
    await nextTurn();
    const second = outcomeOf(transport.send(large));
    process.kill(transport.pid, "SIGUSR2");
    await closed;
    expect(await Promise.all([first, second])).toEqual([
      ["server_exited", "unknown"],
      ["server_exited", "not-sent"],
    ]);
  });

  it("and dies: a request is not-sent if nothing of it left, and the one that had begun is unknown", async () => {
    const { transport, messages } = await openChild("never-reads-then-crashes.mjs", { spec });
    await until(() => messages.length === 1);
    const onDown = vi.fn<(error: HostsideError) => void>();
    const wire = new Wire({
      transport,
      identity: { info: { name: "test", version: "1" }, capabilities: {} },
      context: createServerContext(),
      events: { hooks: new SafeHooks({ onToolsChanged: () => undefined, onDown: () => undefined }), onDown },
      elicitor: undefined,
    });
    const first = outcomeOf(wire.request(call({ params: large.params, timeoutMs: 60_000 })));
    await nextTurn();
    const second = outcomeOf(wire.request(call({ timeoutMs: 60_000 })));
    process.kill(transport.pid, "SIGUSR2");
    expect(await Promise.all([first, second])).toEqual([
      ["server_exited", "unknown"],
      ["server_exited", "not-sent"],
    ]);
    expect(onDown).toHaveBeenCalledOnce();
  });

  it("and dies: a sender that does not look at its promise causes no unhandled rejection", async () => {
    const unhandled: unknown[] = [];
    const onUnhandled = (reason: unknown): void => void unhandled.push(reason);
    process.on("unhandledRejection", onUnhandled);
    const { transport, messages, closed } = await openChild("never-reads-then-crashes.mjs", { spec });
    await until(() => messages.length === 1);
    void transport.send(large);
    await nextTurn();
    void transport.send(large);
    process.kill(transport.pid, "SIGUSR2");
    await closed;
    void transport.send(large);
    await nextTurn();
    process.off("unhandledRejection", onUnhandled);
    expect(unhandled).toEqual([]);
  });
});

async function firstRejection(promises: readonly Promise<unknown>[]): Promise<unknown> {
  return Promise.any(
    promises.map((promise) =>
      promise.then(
        () => Promise.reject(new Error("sent")),
        (error: unknown) => error,
      ),
    ),
  );
}

async function outcomeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => "sent",
    (error: HostsideError) => [error.code, error.outcome],
  );
}

async function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
