import { describe, expect, it } from "vitest";
import { startLoopback } from "../../../test/loopback-server.ts";
import { useManualClock } from "../../../../../test/manual-clock.ts";
import { openHttpTransport } from "../../../test/open-http-transport.ts";

const result = (id: unknown) => ({ jsonrpc: "2.0", id, result: { content: [] } });
const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } };
const event = (message: unknown, id?: string): string =>
  `${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`;

describe("an answer that comes first on its stream", () => {
  it("delivers what follows an answer that came first", async () => {
    let finish = (): void => expect.unreachable();
    await using server = await startLoopback((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(event(result(1), "1"));
      finish = () => void response.end(`\uFEFF${event(progress)}${event(progress)}`);
    });
    await using web = await openHttpTransport({ url: server.url });
    await web.request(1);
    await expect.poll(() => web.messages).toEqual([result(1)]);
    finish();
    // A mark of byte order in the middle is part of what it stands before, which makes no sense
    // then.
    await expect.poll(() => web.messages).toEqual([result(1), progress]);
    expect([web.failures, web.diagnostics]).toEqual([[], []]);
  });

  it("delivers an answer that came whole before anything else is waited for", async () => {
    await using server = await startLoopback((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(`event: message\n${event(result(1), "1")}`);
    });
    const clock = useManualClock();
    await using web = await openHttpTransport({ url: server.url });
    await web.request(1);
    expect([web.messages, web.failures, clock.pending()]).toEqual([[result(1)], [], 0]);
  });

  it.each([
    ["another request", `data: ${JSON.stringify(result(2))}\n\n${event(result(1))}`],
    ["a progress first", `${event(progress)}${event(result(1))}`],
    ["its id as text", event(result("1"))],
    ["a comment", `: hello\n${event(result(1))}`],
    ["data in two lines", event(result(1)).replace(",", ",\ndata: ")],
  ])("reads an answer with %s by a parser", async (_what, text) => {
    await using server = await startLoopback((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(text);
    });
    await using web = await openHttpTransport({ url: server.url });
    await web.request(1);
    await expect.poll(() => web.messages.at(-1)).toEqual(result(1));
  });
});
