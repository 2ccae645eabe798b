import type { Cancel, HostsideError, JsonObject } from "@hostside/core";
import { clock } from "@hostside/core/implement";
import type { ServerContext } from "../../context/server-context.ts";
import type { RequestId, SendOptions, Transport } from "../../message/transport.ts";
import { noAnswerInTime, takenBack } from "../exchange/answer-error.ts";
import type { EndpointRequest, HttpEndpoint } from "../exchange/http-endpoint.ts";
import type { Cancellable } from "../exchange/http-exchange.ts";
import { readRemark, type CompleteReply } from "../exchange/read-body.ts";
import { createAnomalyReport, type ReadingContext } from "./message-parser.ts";

/** Something that waits for the server. */
export interface UnderWay extends Cancellable {
  /** The id of a request. */
  readonly id?: RequestId | undefined;
  /** The answer to it came, and ends it if the reply to the message itself stays out. */
  cancelLinger?: Cancel;
}

/** A reply may go on for this long after the answer in it, or to its request, came. */
export const lingerMs = 5000;

/** The part that is common to both transports over HTTP. */
export abstract class HttpTransport implements Transport {
  onmessage: Transport["onmessage"];
  onerror: Transport["onerror"];
  onclose: Transport["onclose"];
  onrequestfailed: Transport["onrequestfailed"];
  oninterrupted: Transport["oninterrupted"];
  protected readonly context: ServerContext;
  protected readonly endpoint: HttpEndpoint;
  protected readonly reading: ReadingContext;
  protected readonly underWay: Set<UnderWay> = new Set();
  protected protocolVersion: string | undefined;
  protected isClosed = false;

  constructor(context: ServerContext, endpoint: HttpEndpoint) {
    this.context = context;
    this.endpoint = endpoint;
    const sink: ReadingContext["sink"] = {
      deliver: (message, relatedId, bytes) => {
        if (!this.isClosed) this.deliver(message, relatedId, bytes);
      },
      onAnomaly: createAnomalyReport(context),
    };
    this.reading = { endpoint, sink, limits: context.settings.limits };
  }

  abstract start(): Promise<void>;
  abstract send(message: JsonObject, options?: SendOptions): Promise<void>;
  abstract close(): Promise<void>;

  takeBack(id: RequestId): void {
    for (const step of Array.from(this.underWay)) if (step.id === id) step.cancel(takenBack(this.endpoint, "unknown"));
  }

  protected deliver(message: JsonObject, relatedId: RequestId | undefined, bytes: number | undefined): void {
    this.onmessage?.(message, relatedId, bytes);
  }

  /**
   * Sends what is answered with an acknowledgement: within a time, and read as far as an error
   * message needs it. Any status is a reply.
   */
  protected async sendBriefly(request: EndpointRequest, timeoutMs: number, id?: RequestId): Promise<CompleteReply> {
    const { endpoint, underWay } = this;
    const call = endpoint.call(request);
    const step: UnderWay = { id, cancel: (reason) => call.cancel(reason) };
    const cancelTimer = clock.schedule(timeoutMs, () => call.cancel(noAnswerInTime(endpoint, timeoutMs)));
    underWay.add(step);
    try {
      return await readRemark(await call.reply);
    } finally {
      cancelTimer();
      step.cancelLinger?.();
      underWay.delete(step);
    }
  }

  /** Ends all that waits for the server, and takes nothing more. */
  protected stop(reason: HostsideError): void {
    this.isClosed = true;
    for (const step of Array.from(this.underWay)) step.cancel(reason);
  }
}
