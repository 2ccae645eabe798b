import { describe, expect, it } from "vitest";
import { startLoopback } from "../../../test/loopback-server.ts";
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
});
