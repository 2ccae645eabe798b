import type { HostsideError } from "@hostside/core";
import type { HttpCall, HttpReply, HttpRequest } from "./http-exchange.ts";

const mostHops = 5;

/**
 * Sends a request, and sends it on as it is, body and credentials with it, where a 307 or 308 leads
 * within its own origin, as a mount at `/mcp/` answers `/mcp`. Any other redirect is the reply.
 */
export function followRedirects(start: (request: HttpRequest) => HttpCall, request: HttpRequest): HttpCall {
  let current = start(request);
  let cancelled: HostsideError | undefined;
  const follow = async (reply: HttpReply, from: HttpRequest, hops: number): Promise<HttpReply> => {
    const url = nextOf(reply, from.url);
    if (url === undefined || hops === mostHops) return reply;
    reply.cancel();
    if (cancelled !== undefined) throw cancelled;
    const next = { ...from, url };
    current = start(next);
    return follow(await current.reply, next, hops + 1);
  };
  return {
    reply: current.reply.then((reply) => (isMoved(reply) ? follow(reply, request, 0) : reply)),
    cancel(reason) {
      cancelled ??= reason;
      current.cancel(reason);
    },
  };
}

function isMoved({ status }: HttpReply): boolean {
  return status === 307 || status === 308;
}

function nextOf(reply: HttpReply, from: URL): URL | undefined {
  const location = reply.header("location");
  if (!isMoved(reply) || location === undefined || !URL.canParse(location, from.href)) return undefined;
  const url = new URL(location, from);
  return url.origin === from.origin && url.username + url.password === "" ? url : undefined;
}
