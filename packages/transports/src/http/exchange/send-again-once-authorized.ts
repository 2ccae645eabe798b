import type { ToolportError } from "@toolport/core";
import type { Authorizer } from "./authorizer.ts";
import type { HttpCall, HttpReply } from "./http-exchange.ts";
import { readRemark, type CompleteReply } from "./read-body.ts";

/** A request that may be sent more than once. */
export interface AuthorizedCall {
  readonly authorizer: Authorizer;
  readonly start: (token: string | undefined) => HttpCall;
  readonly toError: (reply: CompleteReply) => ToolportError;
  readonly mayAuthorize: boolean;
}

/**
 * Sends a request, and sends it again after a refusal (HTTP 401 or 403) that a new token may cure: the server did not run it. Once after a
 * 401, twice after a 403, because a second step up may be needed for a second scope.
 */
export function sendAgainOnceAuthorized({ authorizer, start, toError, mayAuthorize }: AuthorizedCall): HttpCall {
  let current: HttpCall | undefined;
  let cancelled: ToolportError | undefined;
  let rejectReply = (_reason: ToolportError): void => {};
  const throwIfCancelled = (): void => {
    if (cancelled !== undefined) throw cancelled;
  };

  let leaving: AbortController | undefined;
  // Made only when there is something to wait for besides the request itself.
  const left = (): AbortSignal => (leaving ??= new AbortController()).signal;

  const run = async (): Promise<HttpReply> => {
    if (mayAuthorize && authorizer.isOutstanding()) await authorizer.catchUp(left());
    for (let recoveries = 0; ; recoveries += 1) {
      const token = await authorizer.token();
      throwIfCancelled();
      current = start(token);
      const reply = await current.reply;
      const { status } = reply;
      // A second step up may be needed for a second scope; a fresh token that is refused will not get better.
      const limit = status === 401 ? 1 : status === 403 ? 2 : 0;
      if (!mayAuthorize || recoveries >= limit) return reply;
      const error = toError(await readRemark(reply));
      throwIfCancelled();
      await authorizer.recover({ status, token, error, challenge: reply.header("www-authenticate") }, left());
    }
  };
  const reply = new Promise<HttpReply>((resolve, reject) => {
    rejectReply = reject;
    run().then(resolve, reject);
  });
  return {
    reply,
    cancel(reason) {
      cancelled ??= reason;
      rejectReply(reason);
      leaving?.abort(reason);
      current?.cancel(reason);
    },
  };
}
