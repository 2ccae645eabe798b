import type { HostsideError } from "@hostside/core";
import { expect, it, vi } from "vitest";
import { useManualClock } from "../../../../../test/manual-clock.ts";
import type { HttpCall } from "../exchange/http-exchange.ts";
import { SseTransport } from "./sse-transport.ts";
import { createServerContext } from "../../../test/server-context.ts";

it("a message that is answered again and again is watched once", async () => {
  const clock = useManualClock();
  const cancel = vi.fn<(reason: HostsideError) => void>();
  let say: (text: string) => void = () => undefined;
  const stream: HttpCall = {
    reply: Promise.resolve({
      status: 200,
      header: (name: string) => (name === "content-type" ? "text/event-stream" : undefined),
      read: (onChunk) => {
        say = (text) => onChunk(new TextEncoder().encode(text));
        say("event: endpoint\ndata: /messages\n\n");
        return new Promise(() => undefined);
      },
      cancel: () => undefined,
      whole: () => undefined,
    }),
    cancel: () => undefined,
  };
  const context = createServerContext(
    { onDiagnostic: () => expect.unreachable() },
    { timeouts: { callMs: 1_000_000, requestMs: 1_000_000 } },
  );
  const transport = new SseTransport(context, {
    serverId: "web",
    url: new URL("http://127.0.0.1:1/sse"),
    redact: (text) => text,
    call: ({ method }) => (method === "GET" ? stream : { reply: new Promise(() => undefined), cancel }),
    toError: () => expect.unreachable(),
    close: () => undefined,
  });
  await transport.start();
  void transport.send({ jsonrpc: "2.0", id: 1, method: "tools/call", params: {} }).catch(() => undefined);
  for (let n = 0; n < 3; n += 1) say('data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n');
  clock.advance(10_000);
  expect(cancel).toHaveBeenCalledOnce();
  await transport.close();
});
