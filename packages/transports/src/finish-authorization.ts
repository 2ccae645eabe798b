import type { ServerSpec } from "@toolport/core";
import type { HttpOptions } from "./http/open-http.ts";
import { loadHttp } from "./load-transport.ts";

/**
 * Completes an OAuth authorization that an `auth_required` asked for; connect again afterwards. `callback` is the whole query of the
 * redirect, because the issuer in it has to be checked (RFC 9207); comparing its `state` is the provider's part. Throws
 * `auth_required` when the user declined or the code was refused, and `invalid_spec` when the server does not use OAuth.
 */
export async function finishAuthorization(
  spec: ServerSpec,
  callback: URLSearchParams,
  options: HttpOptions,
): Promise<void> {
  const { finishHttpAuthorization } = await loadHttp(spec.id);
  return finishHttpAuthorization(spec, callback, options);
}
