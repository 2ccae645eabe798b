import { redactUrl, HostsideError } from "@hostside/core";
import type { Proxy } from "../sockets/proxy-choice.ts";

/** A request that should have gone by a proxy. */
export interface ProxiedRequest {
  readonly serverId: string;
  readonly url: URL;
  readonly proxy: Proxy;
}

/**
 * A proxy cannot be reached, or refuses; the server knows nothing of it. Names the proxy without
 * its credentials.
 */
export function proxyFailed({ serverId, url, proxy }: ProxiedRequest, error: Error): HostsideError {
  const about = `server ${JSON.stringify(serverId)}: no connection to ${redactUrl(url.href)} by the proxy ${proxy.url.origin}`;
  const status = "proxyStatus" in error && typeof error.proxyStatus === "number" ? error.proxyStatus : undefined;
  if (status === undefined) {
    const evidence = "code" in error && typeof error.code === "string" ? error.code : error.name;
    return new HostsideError(`${about}, which cannot be used: ${evidence}`, {
      code: "unreachable",
      serverId,
      outcome: "not-sent",
    });
  }
  const hint = status === 407 ? "; it wants a user name and a password, which its URL may have" : "";
  return new HostsideError(`${about}, which refuses it: HTTP ${status}${hint}`, {
    code: "unreachable",
    serverId,
    outcome: "not-sent",
    details: { httpStatus: status },
  });
}

/** The environment names a proxy that cannot be asked. */
export function unsupportedProxy({ serverId, url }: Omit<ProxiedRequest, "proxy">): HostsideError {
  return new HostsideError(
    `server ${JSON.stringify(serverId)}: no connection to ${redactUrl(url.href)}: the environment names a proxy for it that is no http: or https: URL`,
    { code: "unreachable", serverId, outcome: "not-sent" },
  );
}
