import type { HostsideError, JsonObject } from "@hostside/core";
import { utf8Length } from "@hostside/core/implement";
import { isRequest, type RequestId, type RpcRequest, type SendOptions } from "../../message/transport.ts";
import { HttpTransport } from "../events/http-transport.ts";
import { asExchangeError, noAnswer, transportClosed } from "../exchange/answer-error.ts";
import type { SessionUse } from "../exchange/from-http-status.ts";
import type { EndpointRequest, HttpEndpoint } from "../exchange/http-endpoint.ts";
import { acceptStream, replyKindOf, type Cancellable, type HttpReply } from "../exchange/http-exchange.ts";
import { envelopeVersionOf, protocolHeaders } from "../exchange/request-headers.ts";
import { acceptReply, acceptWhole, type AwaitedReply, readAnswerStream } from "./answer-stream.ts";
import { NotificationStream } from "./notification-stream.ts";

const plainHeaders = {
  ...acceptStream,
  accept: "application/json, text/event-stream",
  "content-type": "application/json",
};

/**
 * Streamable HTTP in both eras: one POST per message, answered with JSON or with a stream of
 * events. A session that the server opens with its answer to `initialize` is kept, and after
 * `notifications/initialized` the server's own stream is listened to; neither exists in 2026-07-28,
 * where a request is told by the revision in its `_meta`.
 *
 * `send()` of a request settles when the server has taken it: after the answer if that is JSON, at
 * its start if it is a stream. Later failures are reported by `onrequestfailed`. Nothing is sent
 * before the first `send()`.
 */
export class StreamableHttpTransport extends HttpTransport {
  readonly hasPerRequestStream = true;
  sessionId: string | undefined;
  /** The headers of every message. */
  #messageHeaders: Readonly<Record<string, string>> = plainHeaders;
  #closing: Promise<void> | undefined;

  setProtocolVersion(version: string): void {
    this.protocolVersion = version;
    this.#renewHeaders();
  }

  start(): Promise<void> {
    return Promise.resolve();
  }

  send(message: JsonObject, options: SendOptions = {}): Promise<void> {
    return isRequest(message) ? this.#sendRequest(message, options) : this.#sendNotification(message, options);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #sendNotification(message: JsonObject, options: SendOptions): Promise<void> {
    const { endpoint } = this;
    if (this.isClosed) throw transportClosed(endpoint);
    const request = this.#toRequest(message, options);
    const reply = await this.sendBriefly(request, this.context.settings.timeouts.requestMs);
    if (replyKindOf(reply) === "refused") throw endpoint.toError(reply, this.#sessionOf(message, request));
    if (message["method"] === "notifications/initialized" && !this.isClosed) this.#listen();
  }

  #toRequest(message: JsonObject, { headers, callContext, onSize }: SendOptions): EndpointRequest {
    const body = JSON.stringify(message);
    onSize?.(utf8Length(body));
    const common = isInitialize(message) ? plainHeaders : this.#messageHeaders;
    const own = protocolHeaders(message);
    return {
      method: "POST",
      about: { message, callContext },
      body,
      // The same object for as many messages as possible: what was prepared for one is good for the
      // next.
      headers: headers === undefined && own === undefined ? common : { ...headers, ...common, ...own },
    };
  }

  async #sendRequest(message: RpcRequest, options: SendOptions): Promise<void> {
    const { id } = message;
    const { endpoint, reading, underWay } = this;
    if (this.isClosed) throw transportClosed(endpoint);
    const request = this.#toRequest(message, options);
    const call = endpoint.call(request);
    const pending = new Pending(id, call);
    let isStreaming = false;
    underWay.add(pending);
    try {
      const reply = await call.reply;
      const kind = replyKindOf(reply);
      if (isInitialize(message) && kind !== "refused") {
        this.sessionId = readSessionId(reply, endpoint);
        this.#renewHeaders();
      }
      const session = kind === "refused" ? this.#sessionOf(message, request) : "none";
      const awaited: AwaitedReply = { reading, id, session };
      if (acceptWhole(reply, kind, awaited)) return;
      if (kind === "events") {
        isStreaming = true;
        // 2026-07-28 has no resumption: a stream that breaks off is lost.
        void this.#followStream(pending, reply, envelopeVersionOf(message) === undefined);
      } else {
        await acceptReply(reply, kind, awaited);
      }
    } finally {
      if (!isStreaming) underWay.delete(pending);
    }
  }

  async #followStream(pending: Pending, reply: HttpReply, isResumable: boolean): Promise<void> {
    const { endpoint } = this;
    try {
      await readAnswerStream(reply, {
        reading: this.reading,
        id: pending.id,
        session: this.sessionId === undefined ? "none" : "id",
        resume: isResumable ? (lastEventId) => endpoint.call(this.#streamRequest(lastEventId)) : undefined,
        onStep(step) {
          pending.step = step;
          // Taken back in the moment between two steps, it must not go on with the next.
          if (pending.cancelledBy !== undefined) step.cancel(pending.cancelledBy);
        },
      });
    } catch (error) {
      if (pending.cancelledBy === undefined) this.onrequestfailed?.(pending.id, asExchangeError(error, endpoint));
    } finally {
      this.underWay.delete(pending);
    }
  }

  // The server's own stream, which only a legacy server has.
  #listen(): void {
    const { endpoint } = this;
    const { serverId, settings, onDiagnostic } = this.context;
    const stream = new NotificationStream({
      reading: this.reading,
      session: this.sessionId === undefined ? "none" : "id",
      open: (lastEventId) => endpoint.call(this.#streamRequest(lastEventId)),
      openMs: settings.timeouts.requestMs,
      onInterrupted: () => this.oninterrupted?.(),
      onLost(how) {
        const message = `the notification stream of server ${JSON.stringify(serverId)} is not open: ${how}`;
        onDiagnostic({ kind: "stream-lost", serverId, message });
      },
    });
    this.underWay.add(stream);
    // Of a server that has none, the refusal need not be kept.
    void stream.done.then(() => this.underWay.delete(stream));
  }

  #streamRequest(lastEventId: string | undefined): EndpointRequest {
    const resumed = lastEventId !== undefined && { "last-event-id": lastEventId };
    return { method: "GET", recovery: "quiet", headers: { ...this.#connectionHeaders(), ...acceptStream, ...resumed } };
  }

  async #close(): Promise<void> {
    const { context, endpoint } = this;
    this.stop(transportClosed(endpoint));
    if (this.sessionId !== undefined) {
      const request: EndpointRequest = { method: "DELETE", recovery: "none", headers: this.#connectionHeaders() };
      // A courtesy: a session whose server does not hear of it, or does not allow it (405),
      // expires.
      await this.sendBriefly(request, context.settings.timeouts.closeMs).catch(() => undefined);
    }
    endpoint.close();
    this.onclose?.();
  }

  #renewHeaders(): void {
    this.#messageHeaders = { ...plainHeaders, ...this.#connectionHeaders() };
  }

  #connectionHeaders(): Record<string, string> {
    const { sessionId, protocolVersion } = this;
    return {
      ...(sessionId !== undefined && { "mcp-session-id": sessionId }),
      ...(protocolVersion !== undefined && { "mcp-protocol-version": protocolVersion }),
    };
  }

  // A revision is set when the handshake is over, and only those with a session have messages
  // without it in their `_meta`.
  #sessionOf(message: JsonObject, { headers }: EndpointRequest): SessionUse {
    if ("mcp-session-id" in headers) return "id";
    const isHandshakeOver = this.protocolVersion !== undefined && !isInitialize(message) && isRequest(message);
    return isHandshakeOver && envelopeVersionOf(message) === undefined ? "handshake" : "none";
  }
}

/** A request that waits for its answer. A class, because there is one for each call. */
class Pending implements Cancellable {
  readonly id: RequestId;
  /** The step that it waits for. */
  step: Cancellable;
  cancelledBy: HostsideError | undefined;

  constructor(id: RequestId, step: Cancellable) {
    this.id = id;
    this.step = step;
  }

  cancel(reason: HostsideError): void {
    this.cancelledBy ??= reason;
    this.step.cancel(reason);
  }
}

function isInitialize(message: JsonObject): boolean {
  return message["method"] === "initialize";
}

// The revision allows visible ASCII only; what else a server sends could not be echoed in a header.
const legalSessionId = /^[\u0021-\u007E]{1,4096}$/;

/**
 * The id of the session that a server opens with its answer to `initialize`; `undefined` when it
 * opens none. Throws `protocol_error` for one that no header can carry.
 */
function readSessionId(reply: HttpReply, endpoint: HttpEndpoint): string | undefined {
  const sessionId = reply.header("mcp-session-id");
  if (sessionId === undefined || legalSessionId.test(sessionId)) return sessionId;
  reply.cancel();
  throw noAnswer(endpoint, "an illegal session id", "");
}
