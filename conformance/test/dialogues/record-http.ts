import { once } from "node:events";
import { createServer, request, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { isJsonObject } from "@hostside/core/implement";
import type { HttpFrame, RecordedServer, WireMessage } from "./wire-message.ts";

/**
 * A proxy in front of an HTTP server that writes down every request, and every message of every
 * response.
 */
export async function recordHttp(url: string): Promise<RecordedServer> {
  const target = new URL(url);
  const seen: WireMessage[] = [];
  const proxy = createServer((incoming, outgoing) => void pass(incoming, outgoing, { target, seen }));
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  // A server that listens on a port has an address of this kind.
  const { port } = proxy.address() as AddressInfo;
  return {
    address: { type: "http", url: `http://127.0.0.1:${port}${target.pathname}` },
    seen: () => seen,
    async close() {
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, "close");
    },
  };
}

interface Passage {
  readonly target: URL;
  readonly seen: WireMessage[];
}

async function pass(incoming: IncomingMessage, outgoing: ServerResponse, { target, seen }: Passage): Promise<void> {
  const { method = "GET", headers } = incoming;
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer); // No encoding was set.
  const body = Buffer.concat(chunks);
  seen.push({ from: "client", http: frame(method, headers), ...messageIn(body.toString()) });
  const onward = request(target, { method, headers: { ...headers, host: target.host } }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
    // Somebody who waits for a stream to open waits for its head.
    outgoing.flushHeaders();
    record(answer, seen);
    answer.pipe(outgoing);
    answer.on("error", () => outgoing.destroy());
  });
  onward.on("error", () => outgoing.destroy());
  outgoing.on("close", () => onward.destroy());
  onward.end(body);
}

function record(answer: IncomingMessage, seen: WireMessage[]): void {
  const http = frame(String(answer.statusCode), answer.headers);
  const streamed = answer.headers["content-type"]?.startsWith("text/event-stream") === true;
  let text = "";
  answer.on("data", (chunk: Buffer) => {
    text += chunk.toString();
    if (!streamed) return;
    const events = text.split(/\r?\n\r?\n/);
    text = events.pop() ?? "";
    for (const event of events) {
      const found = messageIn(dataOf(event));
      if (found.message !== undefined) seen.push({ from: "server", http, ...found });
    }
  });
  answer.on("end", () => {
    if (!streamed) seen.push({ from: "server", http, ...messageIn(text) });
  });
}

function dataOf(event: string): string {
  return Array.from(event.matchAll(/^data: ?(.*)$/gm), ([, data]) => data).join("\n");
}

function messageIn(text: string): Pick<WireMessage, "message"> {
  if (text.trim() === "") return {};
  const message: unknown = JSON.parse(text);
  return isJsonObject(message) ? { message } : {};
}

// What says how long a body is, and where it goes, is the proxy's and not the client's.
const ownHeaders = new Set(["host", "content-length", "connection", "transfer-encoding", "date", "keep-alive"]);

function frame(line: string, headers: IncomingHttpHeaders): HttpFrame {
  const entries = Object.entries(headers).filter(([name]) => !ownHeaders.has(name));
  return { line, headers: Object.fromEntries(entries.map(([name, value]) => [name, String(value)])) };
}
