import { clock } from "@hostside/core/implement";
import type { HostsideError } from "@hostside/core";
import { noAnswerInTime } from "./answer-error.ts";
import type { EndpointRequest, HttpEndpoint } from "./http-endpoint.ts";
import { readRemark, type CompleteReply } from "./read-body.ts";

/**
 * A request whose reply is an acknowledgement: bounded in time, and read as far as an error message
 * needs it.
 */
export interface BriefCall {
  /**
   * Rejects with `request_timeout`, the reason of a `cancel`, or what broke the exchange; any
   * status is a reply.
   */
  readonly reply: Promise<CompleteReply>;
  cancel(reason: HostsideError): void;
}

/** Starts such a request. */
export function startBriefCall(endpoint: HttpEndpoint, request: EndpointRequest, timeoutMs: number): BriefCall {
  const call = endpoint.call(request);
  const cancelTimer = clock.schedule(timeoutMs, () => call.cancel(noAnswerInTime(endpoint, timeoutMs)));
  const read = async (): Promise<CompleteReply> => {
    try {
      return await readRemark(await call.reply);
    } finally {
      cancelTimer();
    }
  };
  return { reply: read(), cancel: (reason) => call.cancel(reason) };
}
