import type { AuthorizationRequest, ServerSpec } from "@hostside/core";
import { kindOf } from "@hostside/core/implement";

/**
 * Whose credentials a server gets, as a connector asks it; `undefined` when that is for somebody
 * else to say.
 */
export type AuthProvider<Credentials extends object = object> = (
  spec: ServerSpec,
  request: AuthorizationRequest,
) => Credentials | undefined;

/**
 * Several ways to be let in as one `authProvider`, such as OAuth for some servers and keys for
 * others: the first that answers has it. Throws a `TypeError` for what is no function.
 */
export function firstAuthProvider<const Providers extends readonly AuthProvider[]>(
  ...providers: Providers
): AuthProvider<NonNullable<ReturnType<Providers[number]>>> {
  for (const provider of providers)
    if (typeof provider !== "function")
      throw new TypeError(`firstAuthProvider() takes functions, not ${kindOf(provider)}`);
  return (spec, request) => {
    for (const provider of providers) {
      const credentials = provider(spec, request);
      // The compiler forgets which of the functions this was.
      if (credentials !== undefined) return credentials as NonNullable<ReturnType<Providers[number]>>;
    }
    return undefined;
  };
}
