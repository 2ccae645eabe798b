import type { ServerResponse } from "node:http";
import { HostsideError } from "@hostside/core";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { reply, startLoopback, type LoopbackServer, type SeenRequest } from "../../../test/loopback-server.ts";
import { useManualClock, type ManualClock } from "../../../../../test/manual-clock.ts";
import { openHttpTransport, type OpenedHttp } from "../../../test/open-http-transport.ts";
import { startRaw } from "../../../test/raw-server.ts";

beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterEach(() => vi.restoreAllMocks());

const result = (id: unknown) => ({ jsonrpc: "2.0", id, result: { content: [] } });
const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } };
const event = (message: unknown, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;

function events(response: ServerResponse, ...texts: readonly string[]): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  response.flushHeaders();
  for (const text of texts) response.write(text);
}

/**
 * The n-th request, GETs included, is answered by the n-th function; the last one answers all that
 * follow.
 */
async function startScript(
  ...steps: readonly ((response: ServerResponse, request: SeenRequest) => void)[]
): Promise<LoopbackServer> {
  let step = 0;
  return startLoopback((request, response) => {
    steps[Math.min(step, steps.length - 1)]?.(response, request);
    step += 1;
  });
}

async function openWith(server: LoopbackServer): Promise<OpenedHttp> {
  return openHttpTransport({ url: server.url });
}

/** Waits until a delay has begun, then lets it pass. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  await expect.poll(() => clock.pending()).toBe(1);
  clock.advance(ms);
}

const failures = (web: OpenedHttp): unknown =>
  web.failures.map(({ id, error }) => [id, error.code, error.outcome, error.details.httpStatus]);

describe("a request answered with a stream", () => {
  it("delivers each message when it comes, and is settled by its answer", async () => {
    let finish = (): void => expect.unreachable();
    await using server = await startScript((response) => {
      events(response, ": hello\n\n", event(progress));
      finish = () => void response.end(event(result(1)));
    });
    await using web = await openWith(server);
    await web.request(1);
    await expect.poll(() => web.messages).toEqual([progress]);
    finish();
    await expect.poll(() => web.messages).toEqual([progress, result(1)]);
    expect(web.failures).toEqual([]);
  });

  it("skips what is no JSON, and answers to other requests, with a diagnostic each", async () => {
    await using server = await startScript((response) => {
      events(response, "data: {oops\n\n", event(result(99)), "event: other\ndata: x\n\n", event(result(1)));
      response.end();
    });
    await using web = await openWith(server);
    await web.request(1);
    await expect.poll(() => web.messages).toEqual([result(1)]);
    expect(web.diagnostics).toMatchObject([
      { kind: "protocol-anomaly", serverId: "web", message: expect.stringContaining("an event that is not JSON") },
      { kind: "protocol-anomaly", message: expect.stringContaining("an answer to another request") },
    ]);
  });

  it.each([
    ["nested too deeply", `{"jsonrpc":"2.0","id":1,"result":${"[".repeat(600)}${"]".repeat(600)}}`],
    ["no JSON", '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"cut o'],
    ["no JSON, with its id as text", '{"jsonrpc":"2.0","id":"1","error":{"code":-32603,"mess'],
    ["without an id", '{"jsonrpc":"2.0","result":{"content":[]}}'],
    ["without an id, too", '{"jsonrpc":"2.0","id":null,"result":{"content":[]}}'],
  ])("fails at once with protocol_error when its answer is %s, though the stream goes on", async (_what, data) => {
    await using server = await startScript((response) => events(response, event(progress), `data: ${data}\n\n`));
    await using web = await openWith(server);
    await web.request(1);
    await expect.poll(() => failures(web)).toEqual([[1, "protocol_error", "unknown", undefined]]);
    expect(web.messages).toEqual([progress]);
  });

  it("skips a broken answer to another request", async () => {
    const broken = '{"jsonrpc":"2.0","id":9,"result":{"content":[';
    await using server = await startScript((response) => events(response, `data: ${broken}\n\n`, event(result(1))));
    await using web = await openWith(server);
    await web.request(1);
    await expect.poll(() => web.messages).toEqual([result(1)]);
    expect([web.failures, web.diagnostics.length]).toEqual([[], 1]);
  });

  it.each([
    ["comments", ": still here\n".repeat(1000)],
    ["blank lines", "\n".repeat(10_000)],
    ["events that are no messages", "event: x\ndata: yyyyyyyyyyyyyyyy\n\ndata: 1\n\n".repeat(300)],
  ])("fails with message_too_large when its stream brings %s without end", async (_what, text) => {
    await using server = await startScript((response) => {
      events(response);
      const timer = setInterval(() => response.write(text), 1);
      response.on("close", () => clearInterval(timer));
    });
    await using web = await openHttpTransport({ url: server.url, spec: { limits: { maxMessageBytes: 1000 } } });
    await web.request(1);
    await expect.poll(() => failures(web)).toEqual([[1, "message_too_large", "unknown", undefined]]);
  });

  it("gives up the connection of a stream that goes on after its answer", async () => {
    const clock = useManualClock();
    let closed = false;
    await using server = await startScript((response) => {
      events(response, event(result(1)));
      response.on("close", () => (closed = true));
    });
    await using web = await openWith(server);
    await web.request(1);
    await expect.poll(() => web.messages).toEqual([result(1)]);
    clock.advance(5000);
    expect(closed).toBe(false);
    clock.advance(5000);
    await expect.poll(() => closed).toBe(true);
    expect([web.failures, clock.pending()]).toEqual([[], 0]);
  });

  it.each<[string, string]>([
    ["ends", "0\r\n\r\n"],
    ["is cut off", ""],
  ])(
    "fails at once with connection_closed, outcome unknown, when its stream %s before the answer",
    async (_how, tail) => {
      await using server = await startRaw((socket) => {
        const text = event(progress);
        socket.write("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n");
        socket.end(`${text.length.toString(16)}\r\n${text}\r\n${tail}`);
      });
      await using web = await openHttpTransport({ url: server.url });
      await web.request(1);
      await expect.poll(() => failures(web)).toEqual([[1, "connection_closed", "unknown", undefined]]);
      expect(web.messages).toEqual([progress]);
      expect(server.requests).toHaveLength(1);
    },
  );

  it("fails alone: other requests of the connection go on", async () => {
    await using server = await startLoopback(({ message }, response) => {
      events(response, message["id"] === 1 ? "" : event(result(message["id"])));
      response.end();
    });
    await using web = await openWith(server);
    await Promise.all([web.request(1), web.request(2)]);
    await expect.poll(() => failures(web)).toEqual([[1, "connection_closed", "unknown", undefined]]);
    await expect.poll(() => web.messages).toEqual([result(2)]);
  });
});

describe("a stream that breaks off after an event with an id", () => {
  it("is resumed there, no sooner than the server asked for", async () => {
    const clock = useManualClock();
    await using server = await startScript(
      (response) => {
        events(response, "id: e-1\nretry: 500\ndata:\n\n");
        response.end();
      },
      (response) => {
        events(response, event(result(1), "e-2"));
        response.end();
      },
    );
    await using web = await openWith(server);
    await web.request(1);
    await pass(clock, 499);
    expect([clock.pending(), server.methods()]).toEqual([1, ["tools/call"]]);
    clock.advance(1);
    await expect.poll(() => web.messages).toEqual([result(1)]);
    expect(server.seen[1]).toMatchObject({
      httpMethod: "GET",
      headers: { "last-event-id": "e-1", accept: "text/event-stream" },
    });
    await web.transport.close();
    expect([web.failures, clock.pending()]).toEqual([[], 0]);
  });

  it("may give all its events one id, as some servers do", async () => {
    await using server = await startScript((response) => {
      events(response, event(progress, "0"), event(progress, "0"), event(result(1), "0"));
      response.end();
    });
    await using web = await openWith(server);
    await web.request(1);
    await expect.poll(() => web.messages).toEqual([progress, progress, result(1)]);
  });

  it("is resumed as often as each stream brings something new", async () => {
    const clock = useManualClock();
    let step = 0;
    await using server = await startLoopback((_request, response) => {
      step += 1;
      events(response, step === 12 ? event(result(1)) : `id: ${step}\nretry: 300\ndata:\n\n`);
      response.end();
    });
    await using web = await openWith(server);
    await web.request(1);
    for (let n = 1; n < 12; n += 1) await pass(clock, 300);
    await expect.poll(() => web.messages).toEqual([result(1)]);
    expect(server.seen.slice(1).map(({ headers }) => headers["last-event-id"])).toEqual(
      Array.from({ length: 11 }, (_, n) => `${n + 1}`),
    );
  });

  it("fails after six attempts that brought nothing, at growing intervals", async () => {
    const clock = useManualClock();
    await using server = await startScript(
      (response) => {
        events(response, "id: e-1\nretry: 100\ndata:\n\n");
        response.end();
      },
      (response) => reply(response, 503),
    );
    await using web = await openWith(server);
    await web.request(1);
    for (const ms of [250, 1000, 2000, 4000, 8000, 16_000]) {
      const before = server.seen.length;
      await pass(clock, ms - 1);
      expect(clock.pending()).toBe(1);
      clock.advance(1);
      await expect.poll(() => server.seen.length).toBe(before + 1);
    }
    await expect.poll(() => failures(web)).toEqual([[1, "http_error", "unknown", 503]]);
    expect(clock.pending()).toBe(0);
  });

  it("waits as long as Retry-After asks for", async () => {
    const clock = useManualClock();
    await using server = await startScript(
      (response) => {
        events(response, "id: e-1\ndata:\n\n");
        response.end();
      },
      (response) => {
        response.setHeader("retry-after", "30");
        reply(response, 429);
      },
      (response) => {
        events(response, event(result(1)));
        response.end();
      },
    );
    await using web = await openWith(server);
    await web.request(1);
    await pass(clock, 1000);
    await expect.poll(() => server.seen.length).toBe(2);
    await pass(clock, 29_999);
    expect(clock.pending()).toBe(1);
    clock.advance(1);
    await expect.poll(() => web.messages).toEqual([result(1)]);
  });

  it.each([
    [405, "http_error"],
    [400, "http_error"],
    [401, "auth_required"],
    [307, "redirect_refused"],
  ])(
    "fails with an unknown outcome, because the call may run, when resuming is refused with %d",
    async (status, code) => {
      const clock = useManualClock();
      await using server = await startScript(
        (response) => {
          events(response, "id: e-1\ndata:\n\n");
          response.end();
        },
        (response) => reply(response, status),
      );
      await using web = await openWith(server);
      await web.request(1);
      await pass(clock, 1000);
      await expect.poll(() => failures(web)).toEqual([[1, code, "unknown", status]]);
    },
  );

  it.each([
    ["no token", () => Promise.reject(new Error("the vault is sealed")), "auth_required"],
    ["a token that no header can carry", () => Promise.resolve("no\nheader"), "auth_required"],
    ["an error of ours", () => Promise.reject(new HostsideError("x", { code: "unreachable" })), "connection_closed"],
  ])("fails with an unknown outcome when there is %s to resume with", async (_, later, code) => {
    const clock = useManualClock();
    await using server = await startScript((response) => {
      events(response, "id: e-1\ndata:\n\n");
      response.end();
    });
    const tokens = [() => Promise.resolve("first"), later];
    await using web = await openHttpTransport({
      url: server.url,
      transport: { auth: "oauth" },
      authProvider: () => ({
        headersFor: async () => ({ authorization: `Bearer ${await (tokens.shift() ?? later)()}` }),
        onRefused: async () => undefined,
      }),
    });
    await web.request(1);
    await pass(clock, 1000);
    // A network that fails is tried again.
    for (let more = code === "connection_closed" ? 5 : 0; more > 0; more -= 1) await pass(clock, 60_000);
    await expect.poll(() => failures(web)).toEqual([[1, code, "unknown", undefined]]);
    expect(server.seen).toHaveLength(1);
  });

  it("fails with session_expired, outcome unknown, when the session is gone by then", async () => {
    const clock = useManualClock();
    await using server = await startScript(
      (response) => {
        response.setHeader("mcp-session-id", "s-1");
        reply(response, 200, result(0));
      },
      (response) => {
        events(response, "id: e-1\ndata:\n\n");
        response.end();
      },
      (response) => reply(response, 404),
    );
    await using web = await openWith(server);
    await web.request(0, "initialize");
    await web.request(1);
    await pass(clock, 1000);
    await expect.poll(() => failures(web)).toEqual([[1, "session_expired", "unknown", 404]]);
  });

  it("is left alone when the request is taken back meanwhile", async () => {
    const clock = useManualClock();
    await using server = await startScript((response) => {
      events(response, "id: e-1\ndata:\n\n");
      response.end();
    });
    await using web = await openWith(server);
    await web.request(1);
    await expect.poll(() => clock.pending()).toBe(1);
    web.transport.takeBack?.(1);
    expect(clock.pending()).toBe(0);
    await web.transport.close();
    expect([server.seen.length, web.failures]).toEqual([1, []]);
  });

  it("is left alone, too, when that comes in the moment in which it was due", async () => {
    const clock = useManualClock();
    await using server = await startScript(
      (response) => {
        events(response, "id: e-1\ndata:\n\n");
        response.end();
      },
      (response, { message }) => reply(response, 200, result(message["id"])),
    );
    await using web = await openWith(server);
    await web.request(1);
    await expect.poll(() => clock.pending()).toBe(1);
    clock.advance(1000);
    web.transport.takeBack?.(1);
    for (const id of [2, 3, 4]) await web.request(id);
    expect(server.seen.map(({ httpMethod }) => httpMethod)).toEqual(["POST", "POST", "POST", "POST"]);
  });
});
