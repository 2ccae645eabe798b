import type { HostsideError, JsonObject } from "@hostside/core";
import { clock, utf8Length, withErrorContext } from "@hostside/core/implement";
import type { TransportContext } from "../../context/server-context.ts";
import { isRequest, type RequestId, type SendOptions } from "../../message/transport.ts";
import { HttpTransport, lingerMs } from "../events/http-transport.ts";
import { acceptAny, isSameId, MessageParser } from "../events/message-parser.ts";
import {
  asExchangeError,
  noAnswer,
  noStream,
  streamEnded,
  takenBack,
  transportClosed,
} from "../exchange/answer-error.ts";
import type { HttpEndpoint } from "../exchange/http-endpoint.ts";
import { acceptStream, replyKindOf, type HttpReply } from "../exchange/http-exchange.ts";
import { readRemark } from "../exchange/read-body.ts";

/**
 * The HTTP+SSE of 2024-11-05: one stream for all that the server says, whose first event names the
 * URL that messages go to. `start()` opens the stream and waits for that event; it rejects with
 * what the status means, what broke the exchange, or `aborted`. The stream is the connection:
 * whatever ends it ends the transport at once, with a reason. A message whose request was taken
 * back, or answered some seconds ago, does not wait for its reply.
 */
export class SseTransport extends HttpTransport {
  closeReason: HostsideError | undefined;
  hasStream = false;
  /** Aborts `start()`. */
  readonly #signal: AbortSignal;
  /** The URL for messages, once the server said so. */
  #target: URL | undefined;

  constructor({ lasting, signal }: TransportContext, endpoint: HttpEndpoint) {
    super(lasting, endpoint);
    this.#signal = signal;
  }

  setProtocolVersion(version: string): void {
    this.protocolVersion = version;
  }

  async start(): Promise<void> {
    const { endpoint, underWay } = this;
    const signal = this.#signal;
    if (signal.aborted) throw takenBack(endpoint, "not-sent");
    const call = endpoint.call({ method: "GET", headers: acceptStream });
    const onAbort = (): void => call.cancel(takenBack(endpoint, "not-sent"));
    underWay.add(call);
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const reply = await call.reply;
      if (replyKindOf(reply) !== "events") throw noStream(endpoint, await readRemark(reply), "none");
      this.hasStream = true;
      await new Promise<void>((resolve, reject) => {
        // Goes on when this promise is long settled.
        void this.#follow(reply, resolve).then(reject);
      });
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async send(message: JsonObject, { callContext, onSize }: SendOptions = {}): Promise<void> {
    const { context, endpoint, protocolVersion } = this;
    // A server may hold its reply to a request until it has the answer.
    const { callMs, requestMs } = context.settings.timeouts;
    if (this.isClosed) throw withErrorContext(this.closeReason ?? transportClosed(endpoint), { outcome: "not-sent" });
    const url = this.#target;
    if (url === undefined) throw new TypeError("send() before start()");
    const body = JSON.stringify(message);
    onSize?.(utf8Length(body));
    const version = protocolVersion !== undefined && { "mcp-protocol-version": protocolVersion };
    const headers = { "content-type": "application/json", ...version };
    const request = { method: "POST", url, about: { message, callContext }, body, headers } as const;
    const reply = isRequest(message)
      ? await this.sendBriefly(request, callMs, message.id)
      : await this.sendBriefly(request, requestMs);
    if (replyKindOf(reply) === "refused") throw endpoint.toError(reply, "url");
  }

  async close(): Promise<void> {
    this.#end(transportClosed(this.endpoint));
  }

  protected override deliver(message: JsonObject, _relatedId: RequestId | undefined, bytes: number | undefined): void {
    if (!("method" in message)) this.#watchReply(message["id"]);
    this.onmessage?.(message, undefined, bytes);
  }

  // What was answered needs no reply any more: a server that never gives one would use up a
  // connection for each call.
  #watchReply(id: unknown): void {
    for (const step of Array.from(this.underWay)) {
      // Once, however often a server says it.
      if (step.id === undefined || step.cancelLinger !== undefined || !isSameId(id, step.id)) continue;
      step.cancelLinger = clock.schedule(lingerMs, () => step.cancel(takenBack(this.endpoint, "unknown")));
    }
  }

  /** Reads the stream until it ends, and the transport with it. Resolves to why it ended. */
  async #follow(reply: HttpReply, onTarget: () => void): Promise<HostsideError> {
    const { endpoint, reading } = this;
    const { sink } = reading;
    const parser = new MessageParser({
      reading,
      onBrokenAnswer: (id, _what, error) => this.onrequestfailed?.(id, error),
      onJson: (json, bytes) => {
        if (this.#target === undefined) sink.onAnomaly("a message before it said where to answer");
        else acceptAny(json, { sink, bytes });
      },
      onOtherEvent: (type, data) => {
        if (type !== "endpoint" || this.#target !== undefined) return;
        this.#target = readTarget(data, endpoint);
        onTarget();
      },
    });
    const reason = await reply
      .read((chunk) => parser.push(chunk))
      .then(
        () => streamEnded(endpoint),
        (error: unknown) => asExchangeError(error, endpoint),
      );
    if (this.#target !== undefined) this.#end(reason);
    return reason;
  }

  #end(reason: HostsideError): void {
    if (this.isClosed) return;
    if (reason.code !== "closed") this.closeReason = reason;
    this.stop(reason);
    this.endpoint.close();
    this.onclose?.();
  }
}

// Credentials go along with every message, so the server may only name a place of its own.
function readTarget(data: string, endpoint: HttpEndpoint): URL {
  const { url } = endpoint;
  const target = URL.canParse(data, url.href) ? new URL(data, url) : undefined;
  if (target?.origin !== url.origin || target.username !== "" || target.password !== "") {
    throw noAnswer(endpoint, "a message URL of another origin", target?.origin ?? data);
  }
  return target;
}
