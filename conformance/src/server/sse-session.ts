import type { JsonValue } from "@hostside/core";
import { resultWithin } from "@hostside/core/implement";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { createHttpWire, inTime, withoutAnswer, type HttpSessionOptions } from "./http-wire.ts";
import { createMessageRouter, replyTo, createSessionBase } from "./message-router.ts";
import type { HttpRequest, HttpResponse, SseSession } from "./raw-session.ts";
import { isMessage, readObjects } from "./read-objects.ts";

/** Where messages go to, or what came in place of the event that says so. */
type Endpoint = { readonly url: URL } | { readonly instead: HttpResponse };

/**
 * A session over HTTP+SSE of 2024-11-05: answers come on the stream of a GET, requests go to the
 * address that the stream named. The stream is opened with the first thing that is sent. An address
 * of another origin is not used: it would be handed the credentials.
 */
export function openSseSession(url: URL, options: HttpSessionOptions): SseSession {
  const { id, trace, answerMs } = options;
  const wire = createHttpWire(options);
  const router = createMessageRouter((message) => void post(replyTo(message)));
  const eventNames = new Set<string>();
  const named: { text: string | undefined } = { text: undefined };
  let opening: Promise<Endpoint> | undefined;

  const holdStream = async (resolve: (endpoint: Endpoint) => void): Promise<void> => {
    const onEvent = (event: EventSourceMessage): void => {
      if (event.event === "endpoint") {
        trace.record({ kind: "receive", session: id, text: `event: endpoint, data: ${event.data}` });
        named.text ??= event.data;
        resolve(endpointIn(event.data, url));
      } else if (event.data !== "") receive(event);
    };
    const reader = createParser({ onEvent });
    const headers = { ...headersOf(options), accept: "text/event-stream" };
    const response = await wire.exchange(
      url,
      { method: "GET", headers, timeoutMs: "never" },
      { onChunk: (chunk, contentType) => contentType.startsWith("text/event-stream") && reader.feed(chunk) },
    );
    resolve({ instead: response });
    // Without an endpoint nothing was sent yet: what waits gets the response itself.
    if (named.text === undefined) return;
    const broke = response.brokeOff === undefined ? "ended" : `broke off: ${response.brokeOff}`;
    router.end(response.status === 0 ? response.body : `the event stream ${broke}`);
  };
  const stream = (): Promise<Endpoint> => (opening ??= new Promise((resolve) => void holdStream(resolve)));
  const receive = ({ event = "message", data }: EventSourceMessage): void => {
    trace.record({ kind: "receive", session: id, text: data });
    const values = readObjects(data);
    if (values.some(isMessage)) eventNames.add(event);
    for (const value of values) router.receive(value);
  };
  const exchange = async (init: HttpRequest): Promise<HttpResponse> => {
    const endpoint = await stream();
    if ("instead" in endpoint) return endpoint.instead;
    return wire.exchange(init.url ?? endpoint.url, { ...init, headers: { ...headersOf(options), ...init.headers } });
  };
  const post = (message: JsonValue, more: Partial<HttpRequest> = {}): Promise<HttpResponse> =>
    exchange({ method: "POST", body: JSON.stringify(message), ...more });
  const settleRefused = async (requestId: JsonValue, posted: Promise<HttpResponse>): Promise<void> => {
    const response = await posted;
    // Accepted is all that a response says here, unless it is what came in place of a stream; the
    // answer is on the stream.
    const accepted = response.status >= 200 && response.status <= 299 && !("instead" in (await stream()));
    if (!accepted) router.settle(requestId, withoutAnswer(response));
  };
  const base = createSessionBase({ id, answerMs, router }, post, (message, sending) => {
    void settleRefused(message["id"] ?? null, post(message, sending));
  });
  return {
    ...base,
    eventNames,
    async stream(timeoutMs) {
      const endpoint = await resultWithin(stream(), timeoutMs);
      const reached = endpoint !== undefined && "instead" in endpoint ? endpoint.instead : undefined;
      return { endpoint: named.text, instead: reached };
    },
    fetch: async (init) => inTime(await exchange(init)),
    async close() {
      wire.hangUp();
      router.end("the session was closed");
    },
  };
}

function endpointIn(data: string, base: URL): Endpoint {
  const url = URL.canParse(data, base.href) ? new URL(data, base) : undefined;
  if (url?.origin === base.origin) return { url };
  const body = `event: endpoint\ndata: ${data}`;
  return { instead: { status: 200, headers: new Map([["content-type", "text/event-stream"]]), body } };
}

function headersOf({ headers }: HttpSessionOptions): Readonly<Record<string, string>> {
  return { "content-type": "application/json", ...headers };
}
