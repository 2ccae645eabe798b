import { cleanText, HostsideError, type ConnectionGuard, type GuardedServer, type GuardRefusal } from "@hostside/core";
import { isJsonObject, quoteText } from "@hostside/core/implement";
import { nameServer } from "../auth-errors.ts";

/**
 * Throws `not_allowed` when the guard refuses a request to this URL, and `internal_error` when it
 * fails. Nothing was sent then. An address that stands in the URL itself is asked for; which one a
 * name has, a `fetch` does not say.
 */
export function assertGuardAllows(guard: ConnectionGuard, url: URL, server: GuardedServer): void {
  const about = { serverId: server.serverId, outcome: "not-sent" } as const;
  // Not the path and the query, which may be somebody's secret, nor user info.
  const what = `${nameServer(server.serverId)}: connecting to ${cleanText(`${url.protocol}//${url.host}`, 300)}`;
  let refusal: unknown;
  try {
    refusal = guard.checkUrl(url, server) ?? guard.checkAddress(addressIn(url), url, server);
  } catch (cause) {
    throw new HostsideError(`${what} is refused: the guard failed`, { ...about, code: "internal_error", cause });
  }
  if (refusal === undefined) return;
  if (!isRefusal(refusal)) {
    const message = `${what} is refused: the guard answered neither a refusal nor nothing`;
    throw new HostsideError(message, { ...about, code: "internal_error" });
  }
  throw new HostsideError(
    `${what} is not allowed: ${cleanText(refusal.reason, 300)} (rule ${quoteText(refusal.rule)})`,
    {
      ...about,
      code: "not_allowed",
      details: { policy: refusal.rule },
    },
  );
}

function addressIn({ hostname }: URL): string | undefined {
  if (hostname.startsWith("[")) return hostname.slice(1, -1);
  // The parser has made this of every other spelling: a host that ends in a number is an address,
  // or the URL is none.
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname : undefined;
}

function isRefusal(value: unknown): value is GuardRefusal {
  return isJsonObject(value) && typeof value["reason"] === "string" && typeof value["rule"] === "string";
}
