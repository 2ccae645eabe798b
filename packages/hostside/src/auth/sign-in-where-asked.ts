import type { ServerSpec } from "@hostside/core";
import { isConfidentialUrl, isCredentialHeader } from "@hostside/core/implement";

/**
 * Has a user sign in to a server over HTTP that has no credentials of its own, if it turns out to
 * want some.
 */
export function signInWhereAsked(spec: ServerSpec): ServerSpec {
  if (spec.url === undefined || spec.auth !== undefined || spec.bearerToken !== undefined) return spec;
  if (Object.keys(spec.headers ?? {}).some(isCredentialHeader)) return spec;
  if (!URL.canParse(spec.url) || !isConfidentialUrl(new URL(spec.url))) return spec;
  return { ...spec, auth: "oauth" };
}
