import type { ServerSpec } from "@toolport/core";
import type { HttpOptions } from "./http/http-options.ts";
import { loadHttp } from "./opening/load-transport.ts";

/**
 * Completes an OAuth authorization that an `auth_required` asked for; connect again afterwards. `callback` is the whole query of the
 * redirect, because the issuer in it has to be checked (RFC 9207); comparing its `state` is the provider's part. The code goes to the
 * authorization server that the user was sent to and to no other; in another process than the one that sent them, only a provider with
 * `discoveryState` knows which that was. Settles within two minutes. Throws `auth_required` when the user declined, the code was
 * refused or the server names another authorization server by now, and `invalid_spec` when the server does not use OAuth.
 */
export async function finishAuthorization(
  spec: ServerSpec,
  callback: URLSearchParams,
  options: HttpOptions & {
    /** For whom it was asked for, as whoever connected said it. */
    readonly principal?: string | undefined;
  },
): Promise<void> {
  const { finishHttpAuthorization } = await loadHttp(spec.id);
  return finishHttpAuthorization(spec, callback, options);
}
