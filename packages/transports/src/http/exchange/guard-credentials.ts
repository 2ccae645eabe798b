import { HostsideError } from "@hostside/core";
import { isConfidentialUrl, isCredentialHeader } from "@hostside/core/implement";
import type { HttpRequest } from "./http-exchange.ts";

/**
 * The last check before a request leaves: whatever put them there, headers that carry credentials
 * only go where nobody else listens. Throws `invalid_spec`, naming the header.
 */
export function guardCredentials({ url, headers }: Pick<HttpRequest, "headers" | "url">, serverId: string): void {
  if (isConfidentialUrl(url)) return;
  const exposed = Object.keys(headers).find(isCredentialHeader);
  if (exposed === undefined) return;
  throw new HostsideError(`header ${exposed} would travel unencrypted to ${url.origin}; use https:`, {
    code: "invalid_spec",
    serverId,
    details: { field: `headers.${exposed}` },
  });
}
