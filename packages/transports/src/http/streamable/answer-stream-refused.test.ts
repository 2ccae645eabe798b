import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startLoopback } from "../../../test/loopback-server.ts";
import { useManualClock } from "../../../../../test/manual-clock.ts";
import { openHttpTransport } from "../../../test/open-http-transport.ts";

beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0));
afterEach(() => vi.restoreAllMocks());

describe("a stream that breaks off because its server is gone", () => {
  it("fails with connection_closed, outcome unknown, after three attempts that met nobody", async () => {
    const clock = useManualClock();
    await using server = await startLoopback((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end("id: e-1\ndata:\n\n");
    });
    await using web = await openHttpTransport({ url: server.url });
    await web.request(1);
    await expect.poll(() => clock.pending()).toBe(1);
    await server[Symbol.asyncDispose]();
    await expect
      .poll(() => {
        clock.advance(500);
        return web.failures.length;
      })
      .toBe(1);
    const error = web.failures[0]?.error;
    expect(error).toMatchObject({ code: "connection_closed", outcome: "unknown", details: { attempts: 3 } });
    expect(error?.rawMessage).toMatch(
      /^the response stream of server "web" broke off before the answer, and could not be resumed in 3 attempts: server "web": cannot connect to .*: ECONNREFUSED$/,
    );
    expect(error?.cause).toMatchObject({
      errors: [{ code: "connection_closed" }, { code: "unreachable", outcome: "not-sent" }],
    });
    expect(clock.pending()).toBe(0);
  });
});
