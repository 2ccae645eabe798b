import { HostsideError } from "@hostside/core";
import { isCredentialHeader, isHeaderName, isHeaderValue, isReservedHeader } from "@hostside/core/implement";

/**
 * The headers that come with one message from above, in lower case. Those that the transport sets
 * itself, and credentials, which are the connection's, are left out. Throws `internal_error` for
 * what no header can carry: encoding it was the caller's part.
 */
export function requestHeaders(
  headers: Readonly<Record<string, string>>,
  serverId: string,
): Readonly<Record<string, string>> {
  const accepted: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    const isOwned = isReservedHeader(lower) || isCredentialHeader(lower);
    if (isOwned && !lower.startsWith("mcp-param-")) continue;
    if (!isHeaderName(name) || !isHeaderValue(value)) {
      throw new HostsideError("a header of the request is malformed", {
        code: "internal_error",
        serverId,
        outcome: "not-sent",
      });
    }
    accepted[lower] = value;
  }
  return accepted;
}
