import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { reply, startLoopback, type LoopbackServer, type SeenRequest } from "../../../test/loopback-server.ts";
import { useManualClock, type ManualClock } from "../../../../../test/manual-clock.ts";
import { openHttpTransport, type OpenedHttp } from "../../../test/open-http-transport.ts";

beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterEach(() => vi.restoreAllMocks());

const changed = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
const event = (message: unknown, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;

type Step = (response: ServerResponse, request: SeenRequest) => void;

const streaming =
  (...texts: readonly string[]): Step =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.flushHeaders();
    for (const text of texts) response.write(text);
  };
const ending =
  (...texts: readonly string[]): Step =>
  (response, request) => {
    streaming(...texts)(response, request);
    response.end();
  };
const refusing =
  (status: number): Step =>
  (response) =>
    reply(response, status);

/** Answers POSTs well, and the n-th GET by the n-th step; the last one answers all that follow. */
async function startScript(...steps: readonly Step[]): Promise<LoopbackServer & { gets(): readonly SeenRequest[] }> {
  let step = 0;
  const server = await startLoopback((request, response) => {
    const { httpMethod, message } = request;
    if (httpMethod === "GET") {
      steps[Math.min(step, steps.length - 1)]?.(response, request);
      step += 1;
    } else if (message["id"] === undefined) reply(response, 202);
    else reply(response, 200, { jsonrpc: "2.0", id: message["id"], result: {} });
  });
  return Object.assign(server, { gets: () => server.seen.filter(({ httpMethod }) => httpMethod === "GET") });
}

// Longer than any wait between two attempts.
const requestMs = 1_000_000;

async function connect(server: LoopbackServer): Promise<OpenedHttp> {
  const web = await openHttpTransport({ url: server.url, spec: { timeouts: { requestMs } } });
  await web.handshake();
  return web;
}

/** Waits until the next attempt is due, and lets exactly that much time pass. */
async function pass(clock: ManualClock, ms: number): Promise<void> {
  await expect.poll(() => clock.delays().map((delay) => delay < requestMs / 2)).toEqual([true]);
  clock.advance(ms);
}

const lost = (web: OpenedHttp): number => web.diagnostics.filter(({ kind }) => kind === "stream-lost").length;

describe("the notification stream of a legacy server", () => {
  it("is opened after the handshake, and delivers what comes on it", async () => {
    const clock = useManualClock();
    await using server = await startScript(streaming(event(changed)));
    await using web = await connect(server);
    await expect.poll(() => web.messages).toContainEqual(changed);
    expect(server.gets()).toMatchObject([
      { headers: { accept: "text/event-stream", "mcp-protocol-version": "2025-11-25" } },
    ]);
    expect([web.interruptions, lost(web), clock.pending()]).toEqual([0, 0, 0]);
  });

  it("does not exist where the first GET is answered with 405, which is nobody's fault", async () => {
    const clock = useManualClock();
    await using server = await startScript(refusing(405));
    await using web = await connect(server);
    await expect.poll(() => server.gets().length).toBe(1);
    await web.request(1);
    expect([web.interruptions, web.diagnostics, clock.pending()]).toEqual([0, [], 0]);
  });

  it.each<[string, Step]>([
    ["404", refusing(404)],
    ["400", refusing(400)],
    ["401", refusing(401)],
    ["302", refusing(302)],
    ["200 with HTML", (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>")],
    ["204", refusing(204)],
  ])("does not exist where it is answered with %s, which is worth a diagnostic", async (_what, step) => {
    const clock = useManualClock();
    await using server = await startScript(step);
    await using web = await connect(server);
    await expect.poll(() => lost(web)).toBe(1);
    await web.request(1);
    expect([server.gets().length, web.interruptions, clock.pending()]).toEqual([1, 0, 0]);
  });

  it("is opened again whenever it ends, with a word to the host at the loss and at the return (users.md 19)", async () => {
    const clock = useManualClock();
    await using server = await startScript(ending(event(changed, "n-1")), ending(event(changed)), streaming());
    await using web = await connect(server);
    await expect.poll(() => web.interruptions).toBe(1);
    await pass(clock, 1000);
    await expect.poll(() => web.interruptions).toBe(3);
    await pass(clock, 1000);
    await expect.poll(() => web.interruptions).toBe(4);
    expect(server.gets().map(({ headers }) => headers["last-event-id"])).toEqual([undefined, "n-1", "n-1"]);
    expect([lost(web), clock.pending()]).toEqual([2, 0]);
  });

  it("keeps trying after errors that pass, without a word before it is back", async () => {
    const clock = useManualClock();
    await using server = await startScript(refusing(503), refusing(500), streaming(event(changed)));
    await using web = await connect(server);
    await pass(clock, 1000);
    await pass(clock, 2000);
    await expect.poll(() => web.messages).toContainEqual(changed);
    // Changes since the first attempt went unheard.
    expect([web.interruptions, lost(web)]).toEqual([1, 1]);
  });

  it("is not given up for a refusal once it was open: a gateway may be in the way", async () => {
    const clock = useManualClock();
    await using server = await startScript(ending(event(changed)), refusing(404), refusing(405), streaming());
    await using web = await connect(server);
    await pass(clock, 1000);
    await pass(clock, 1000);
    await pass(clock, 2000);
    await expect.poll(() => web.interruptions).toBe(2);
    expect(server.gets()).toHaveLength(4);
  });

  it("is no storm and never gives up: streams that bring nothing come ever more seldom, down to one a minute, and calls work all the while", async () => {
    const clock = useManualClock();
    await using server = await startScript(ending());
    await using web = await connect(server);
    for (const ms of [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]) {
      await pass(clock, ms - 1);
      const before = server.gets().length;
      await web.request(before);
      expect([server.gets().length, clock.pending()]).toEqual([before, 1]);
      clock.advance(1);
      await expect.poll(() => server.gets().length).toBe(before + 1);
    }
  });

  it("starts over with short intervals after a stream that lasted", async () => {
    const clock = useManualClock();
    let end = (): void => expect.unreachable();
    await using server = await startScript(ending(), ending(), (response, request) => {
      streaming()(response, request);
      end = () => void response.end();
    });
    await using web = await connect(server);
    await pass(clock, 1000);
    await pass(clock, 2000);
    await expect.poll(() => server.gets().length).toBe(3);
    await expect.poll(() => web.interruptions).toBe(4);
    clock.advance(60_001);
    end();
    await pass(clock, 1000);
    await expect.poll(() => server.gets().length).toBe(4);
  });

  it("is dropped and opened again when one event exceeds the limit", async () => {
    const clock = useManualClock();
    await using server = await startScript(streaming(`data: ${"x".repeat(5000)}`), streaming(event(changed)));
    await using web = await openHttpTransport({
      url: server.url,
      spec: { limits: { maxMessageBytes: 1000 }, timeouts: { requestMs } },
    });
    await web.handshake();
    await pass(clock, 1000);
    await expect.poll(() => web.messages).toContainEqual(changed);
    expect(web.diagnostics).toMatchObject([{ kind: "stream-lost", message: expect.stringContaining("1000 bytes") }]);
    expect(web.interruptions).toBe(2);
  });

  it("lets no answer pass, which would not belong there", async () => {
    useManualClock();
    await using server = await startScript(streaming(event({ jsonrpc: "2.0", id: 1, result: {} }), event(changed)));
    await using web = await connect(server);
    await expect.poll(() => web.messages.at(-1)).toEqual(changed);
    expect(web.messages.filter(({ id }) => id === 1)).toEqual([]);
    expect(web.diagnostics).toMatchObject([{ kind: "protocol-anomaly" }]);
  });

  it.each([
    ["open", streaming(), []],
    ["about to be opened again", ending(), [1000]],
  ])("ends with close() while it is %s, and says nothing more", async (_state, step, delays) => {
    const clock = useManualClock();
    await using server = await startScript(step);
    await using web = await connect(server);
    await expect.poll(() => [server.gets().length, clock.delays()]).toEqual([1, delays]);
    const { interruptions } = web;
    await web.transport.close();
    expect([clock.pending(), web.interruptions, web.closes]).toEqual([0, interruptions, 1]);
    clock.advance(120_000);
    expect(server.gets()).toHaveLength(1);
  });

  it("is not opened any more when close() comes in the moment in which it was due", async () => {
    const clock = useManualClock();
    await using server = await startScript(ending());
    await using web = await connect(server);
    await expect.poll(() => clock.delays()).toEqual([1000]);
    clock.advance(1000);
    await web.transport.close();
    await using later = await connect(server);
    await expect.poll(() => lost(later)).toBe(1);
    expect(server.gets()).toHaveLength(2);
  });

  it("is asked for again when a refusal that may pass does not end in time", async () => {
    const clock = useManualClock();
    await using server = await startScript((response) => response.writeHead(503).write("wait"), streaming());
    await using web = await connect(server);
    await expect.poll(() => server.gets().length).toBe(1);
    await expect.poll(() => clock.delays()).toEqual([requestMs]);
    clock.advance(requestMs);
    await pass(clock, 1000);
    await expect.poll(() => server.gets().length).toBe(2);
    expect(lost(web)).toBe(1);
  });

  it("is asked for again when its answer does not begin in time, and reported", async () => {
    const clock = useManualClock();
    await using server = await startScript(() => undefined, streaming());
    await using web = await connect(server);
    await expect.poll(() => server.gets().length).toBe(1);
    clock.advance(requestMs - 1);
    expect(lost(web)).toBe(0);
    clock.advance(1);
    await expect.poll(() => lost(web)).toBe(1);
    expect(web.diagnostics[0]?.message).toContain("within 1000000 ms");
    await pass(clock, 1000);
    await expect.poll(() => web.interruptions).toBe(1);
    expect([server.gets().length, clock.pending()]).toEqual([2, 0]);
  });
});
