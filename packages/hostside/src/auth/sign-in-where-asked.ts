import type { ServerSpec } from "@hostside/core";
import { isConfidentialUrl, isCredentialHeader } from "@hostside/core/implement";

/** Has a user sign in to a server over HTTP that has no credentials of its own, if it turns out to want some. */
export function signInWhereAsked(spec: ServerSpec): ServerSpec {
  const { transport } = spec;
  if (transport.type !== "http" || transport.auth !== undefined || transport.bearerToken !== undefined) return spec;
  if (Object.keys(transport.headers ?? {}).some(isCredentialHeader)) return spec;
  if (!URL.canParse(transport.url) || !isConfidentialUrl(new URL(transport.url))) return spec;
  return { ...spec, transport: { ...transport, auth: "oauth" } };
}
