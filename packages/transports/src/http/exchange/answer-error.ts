import { isHostsideError, redactUrl, HostsideError } from "@hostside/core";
import { formatMs, safeCause } from "@hostside/core/implement";
import { bodyExcerptOf } from "../../text/safe-excerpt.ts";
import type { SessionUse } from "./from-http-status.ts";
import type { HttpEndpoint } from "./http-endpoint.ts";
import type { CompleteReply } from "./read-body.ts";
import { replyKindOf } from "./http-exchange.ts";

/** A message of the server is larger than the limit. */
export function messageTooLarge({ serverId }: HttpEndpoint, maxMessageBytes: number): HostsideError {
  return new HostsideError(`server ${JSON.stringify(serverId)} sent a message of more than ${maxMessageBytes} bytes`, {
    code: "message_too_large",
    serverId,
  });
}

/** A stream of events goes on and on, and brings no message. */
export function noMessages({ serverId }: HttpEndpoint, bytes: number): HostsideError {
  return new HostsideError(
    `server ${JSON.stringify(serverId)} sent more than ${bytes} bytes without a message in them; an event counts as 64 at least`,
    {
      code: "message_too_large",
      serverId,
    },
  );
}

/**
 * The server answered with something else than an answer: `what`, in a few words of ours; `body` is
 * the evidence.
 */
export function noAnswer({ serverId, url, redact }: HttpEndpoint, what: string, body: string): HostsideError {
  const excerpt = bodyExcerptOf(body, redact);
  const hint = /^<(?:!doctype|html)/i.test(excerpt) ? ", a web page" : "";
  const evidence = excerpt === "" ? "" : `: ${excerpt}`;
  const whose = `server ${JSON.stringify(serverId)}`;
  return new HostsideError(`${whose}: ${what} from ${redactUrl(url.href)} instead of an answer${hint}${evidence}`, {
    code: "protocol_error",
    serverId,
    details: excerpt === "" ? {} : { excerpt },
  });
}

/** A GET that should have opened a stream did not. */
export function noStream(endpoint: HttpEndpoint, reply: CompleteReply, session: SessionUse): HostsideError {
  if (replyKindOf(reply) === "refused") return endpoint.toError(reply, session);
  return noAnswer(endpoint, describeReply(reply, endpoint), reply.body);
}

/** Status and content type of a reply, in a few words. */
export function describeReply(
  { status, header }: Pick<CompleteReply, "header" | "status">,
  { redact }: HttpEndpoint,
): string {
  const contentType = header("content-type");
  return `HTTP ${status} (${contentType === undefined ? "no content type" : bodyExcerptOf(contentType, redact, 100)})`;
}

/** The stream that should have brought the answer is over. */
export function streamEnded({ serverId }: HttpEndpoint): HostsideError {
  return new HostsideError(`the response stream of server ${JSON.stringify(serverId)} ended before the answer`, {
    code: "connection_closed",
    serverId,
  });
}

/**
 * The stream that should have brought the answer broke off, and whoever asked for the rest of it
 * did not get it.
 */
export function notResumed(
  { serverId }: HttpEndpoint,
  {
    broken,
    last,
    attempts,
  }: { readonly broken: HostsideError | undefined; readonly last: HostsideError; readonly attempts: number },
): HostsideError {
  const what = `the response stream of server ${JSON.stringify(serverId)} broke off before the answer`;
  const times = attempts === 1 ? "1 attempt" : `${attempts} attempts`;
  const causes = broken === undefined ? [last] : [broken, last];
  return new HostsideError(`${what}, and could not be resumed in ${times}: ${last.rawMessage}`, {
    code: "connection_closed",
    serverId,
    outcome: "unknown",
    details: { attempts },
    cause: new AggregateError(causes, "a stream that broke off could not be resumed"),
  });
}

/** A server took a request, and its answer did not begin. */
export function noAnswerInTime({ serverId, url }: HttpEndpoint, timeoutMs: number): HostsideError {
  return new HostsideError(`no answer from ${url.origin} within ${formatMs(timeoutMs)}`, {
    code: "request_timeout",
    serverId,
    details: { timeoutMs },
  });
}

/** The transport was closed before, or while, something was under way. */
export function transportClosed({ serverId }: HttpEndpoint): HostsideError {
  return new HostsideError(`the transport of server ${JSON.stringify(serverId)} is closed`, {
    code: "closed",
    serverId,
  });
}

/** The caller took a request back. */
export function takenBack({ serverId }: HttpEndpoint, outcome: "not-sent" | "unknown"): HostsideError {
  return new HostsideError(`a request to server ${JSON.stringify(serverId)} was taken back`, {
    code: "aborted",
    serverId,
    outcome,
  });
}

/** An error that should be one of ours; anything else is a defect. */
export function asExchangeError(error: unknown, { serverId, redact }: HttpEndpoint): HostsideError {
  if (isHostsideError(error)) return error;
  return new HostsideError("a transport failed in an unforeseen way", {
    code: "internal_error",
    serverId,
    cause: safeCause(error, redact),
  });
}
