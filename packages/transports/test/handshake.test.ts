import type { ServerSpec, EntrySettings } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { connect } from "../src/index.ts";

/** A server of a few lines: `answer(message)` returns what to write, or nothing. */
function server(answer: string, members: Partial<EntrySettings> = {}): ServerSpec {
  const code = `
    const answer = ${answer};
    console.error("pid " + process.pid);
    let text = "";
    process.stdin.on("data", (chunk) => {
      text += chunk;
      const lines = text.split("\\n");
      text = lines.pop();
      for (const line of lines) {
        const message = JSON.parse(line);
        const reply = message.id === undefined ? undefined : answer(message);
        if (reply) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id: message.id, ...reply }) + "\\n");
      }
    });`;
  return { id: "srv", type: "stdio", command: process.execPath, args: ["-e", code], ...members };
}

const unknown = '{ error: { code: -32601, message: "Method not found" } }';
const onInitialize = (reply: string): string => `({ method }) => (method === "initialize" ? ${reply} : ${unknown})`;

/** A program that is no server. */
function program(code: string, members: Partial<EntrySettings> = {}): ServerSpec {
  return { id: "srv", type: "stdio", command: process.execPath, args: ["-e", code], ...members };
}

describe("a program that writes to stdout what is no message", () => {
  const timeouts = { connectMs: 3000, probeMs: 100, closeMs: 200 };
  it.each([
    {
      name: "a greeting, and then nothing",
      spec: program("console.log('Hello, welcome!');console.log('More');setInterval(()=>{},1e3)", { timeouts }),
      error: { code: "connect_timeout", details: { excerpt: "Hello, welcome!" } },
      message: /\(during initialize\); its stdout had a line that is no message: "Hello, welcome!"$/,
    },
    {
      name: "its usage, and ends",
      spec: program("console.log('Usage: foo [options]');console.log('  --bar')"),
      error: { code: "server_exited", details: { exitCode: 0, excerpt: "Usage: foo [options]" } },
      message:
        /exited with code 0; it wrote nothing to stderr; its stdout had a line that is no message: "Usage: foo \[options\]"$/,
    },
    {
      name: "its log as JSON, and then fails",
      spec: program(`console.log('{"level":"info","msg":"listening"}');console.error('oh no');process.exitCode=1`),
      error: { code: "server_exited", details: { excerpt: '{"level":"info","msg":"listening"}', stderrTail: "oh no" } },
      message: /is no message: "\{\\"level\\":\\"info\\",\\"msg\\":\\"listening\\"\}"; its stderr:\noh no$/,
    },
    {
      name: "a secret in it",
      spec: {
        id: "srv",
        type: "stdio",
        command: process.execPath,
        args: ["-e", "console.log('key ' + process.env.API_KEY + 'x'.repeat(1e6))"],
        env: { API_KEY: "hunter2-hunter2" },
      } satisfies ServerSpec,
      error: { code: "server_exited", details: { excerpt: expect.stringMatching(/^key (?!hunter2).{1,200}$/) } },
      message: /^(?!.*hunter2)/,
    },
  ])("is quoted in the error: $name", async ({ spec, error, message }) => {
    const failure: unknown = await connect(spec).catch((reason: unknown) => reason);
    expect(failure).toMatchObject({ serverId: "srv", outcome: "not-sent", ...error });
    expect(failure).toHaveProperty("message", expect.stringMatching(message));
  });
});

describe("a handshake that fails", () => {
  it.each([
    {
      name: "the server exits at once",
      spec: server('console.error("no token") || process.exit(3)'),
      error: { code: "server_exited", details: { exitCode: 3, operation: "initialize" } },
      message: /exited with code 3; its stderr:\nno token$/,
    },
    {
      name: "the server exits at initialize",
      spec: server(onInitialize('console.error("bad config") || process.exit(4)')),
      error: { code: "server_exited", details: { exitCode: 4, operation: "initialize" } },
      message: /exited with code 4; its stderr:\npid \d+\nbad config$/,
    },
    {
      name: "the server never says a word",
      spec: server("() => undefined", { timeouts: { connectMs: 4000, probeMs: 100, closeMs: 200 } }),
      error: { code: "connect_timeout", details: { timeoutMs: 4000, operation: "initialize" } },
      message: /was not ready within 4000 ms \(during initialize\); its stderr:\npid \d+$/,
    },
    {
      name: "the server knows none of our revisions",
      spec: server(onInitialize('{ result: { protocolVersion: "1999-01-01", capabilities: {} } }')),
      error: { code: "unsupported_protocol", details: { supported: ["1999-01-01"] } },
      message: /the server knows 1999-01-01; this host 2026-07-28, 2025-11-25,/,
    },
    {
      name: "the server names no capabilities",
      spec: server(onInitialize('{ result: { protocolVersion: "2025-11-25" } }')),
      error: { code: "handshake_failed" },
      message: /answered initialize with something malformed: it names no capabilities/,
    },
    {
      name: "the server answers initialize with null",
      spec: server(onInitialize("{ result: null }")),
      error: { code: "handshake_failed" },
      message: /its result is null, not an object/,
    },
    {
      name: "the server refuses initialize",
      spec: server(onInitialize('{ error: { code: -32603, message: "no database" } }')),
      error: { code: "server_error", details: { rpcCode: -32_603 } },
      message: /refused initialize with JSON-RPC error -32603: no database/,
    },
  ])("says so when $name, and leaves no process", async ({ spec, error, message }) => {
    const failure: unknown = await connect(spec).catch((reason: unknown) => reason);
    expect(failure).toMatchObject({ serverId: "srv", outcome: "not-sent", ...error });
    expect(failure).toHaveProperty("message", expect.stringMatching(message));
    for (const pid of pidsIn(failure)) expect(isAlive(pid)).toBe(false);
  });

  it("leaves no process when the caller aborts", async () => {
    const controller = new AbortController();
    const pids: number[] = [];
    const connecting = connect(server("() => undefined", { timeouts: { closeMs: 200 } }), {
      signal: controller.signal,
      onLog: ({ text }) => {
        pids.push(Number(text.replace("pid ", "")));
        controller.abort("enough");
      },
    });
    await expect(connecting).rejects.toMatchObject({ code: "aborted", outcome: "not-sent" });
    expect(pids.map(isAlive)).toEqual([false]);
  });

  it("takes a sloppy server all the same", async () => {
    const reply =
      '{ result: { protocolVersion: "2025-11-25", capabilities: { tools: true }, serverInfo: { name: 7 } } }';
    const connection = await connect(server(onInitialize(reply)));
    expect(connection.server).toEqual({ era: "legacy", protocolVersion: "2025-11-25", capabilities: { tools: {} } });
    await connection.close();
  });
});

function pidsIn(failure: unknown): readonly number[] {
  const text = failure instanceof Error ? failure.message : "";
  return Array.from(text.matchAll(/^pid (\d+)$/gm), ([, pid]) => Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
