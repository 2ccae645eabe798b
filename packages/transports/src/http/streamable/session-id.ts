import { noAnswer } from "../exchange/answer-error.ts";
import type { HttpEndpoint } from "../exchange/http-endpoint.ts";
import type { HttpReply } from "../exchange/http-exchange.ts";

// The revision allows visible ASCII only; what else a server sends could not be echoed in a header.
const legalSessionId = /^[\u0021-\u007E]{1,4096}$/;

/**
 * The id of the session that a server opens with its answer to `initialize`; `undefined` when it
 * opens none. Throws `protocol_error` for one that no header can carry.
 */
export function readSessionId(reply: HttpReply, endpoint: HttpEndpoint): string | undefined {
  const sessionId = reply.header("mcp-session-id");
  if (sessionId === undefined || legalSessionId.test(sessionId)) return sessionId;
  reply.cancel();
  throw noAnswer(endpoint, "an illegal session id", "");
}
