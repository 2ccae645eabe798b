import type { ServerSpec } from "@hostside/core";
import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import { assertGuard } from "./context/assert-guard.ts";
import { assertPrincipal } from "./context/assert-principal.ts";
import type { HttpOptions } from "./http/http-options.ts";
import { assertHttpOptions } from "./opening/assert-http-options.ts";
import { connectorFields } from "./opening/connector-options.ts";
import { loadHttp } from "./opening/load-transport.ts";

/** Options of {@linkcode finishAuthorization}. */
export interface FinishAuthorizationOptions extends HttpOptions {
  /** For whom it was asked for, as whoever connected said it. */
  readonly principal?: string | undefined;
}

// Those of the connector, too: a product has them in one object.
const optionFields: Fields<FinishAuthorizationOptions> = { ...connectorFields, principal: true };

/**
 * Completes an OAuth authorization that an `auth_required` asked for; connect again afterwards.
 * `callback` is the whole query of the redirect, because the issuer in it has to be checked (RFC
 * 9207), and its `state`: in the process that sent the user it is compared with theirs, in another
 * one that is the provider's part. The code goes to the authorization server that the user was sent
 * to and to no other; in another process than the one that sent them, only a provider with
 * `discoveryState` knows which that was. Settles within two minutes. Throws `auth_required` when
 * the user declined, the state is another or missing, the code was refused or the server names
 * another authorization server by now, `not_allowed` when the `guard` refuses where the code would
 * go, and `invalid_spec` when the server does not use OAuth; a `TypeError` for an unknown option,
 * for a `guard`, a `proxy` or a `ca` that is none, and for a `principal` that is no text or empty.
 */
export async function finishAuthorization(
  spec: ServerSpec,
  callback: URLSearchParams,
  options: FinishAuthorizationOptions,
): Promise<void> {
  assertKnownOptions("finishAuthorization()", options, optionFields);
  assertPrincipal("finishAuthorization()", options.principal);
  assertGuard("finishAuthorization()", options.guard);
  assertHttpOptions("finishAuthorization()", options);
  const { finishHttpAuthorization } = await loadHttp(spec.id);
  return finishHttpAuthorization(spec, callback, options);
}
