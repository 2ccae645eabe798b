import type { AuthorizationFetch } from "@hostside/core";
import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import type { AuthorizationFetchOptions } from "../http/open-authorization-fetch.ts";
import { assertHttpOptions } from "./connector-options.ts";
import { loadHttp } from "./load-transport.ts";

export type { AuthorizationFetchOptions } from "../http/open-authorization-fetch.ts";

const optionFields: Fields<AuthorizationFetchOptions> = { ca: true, proxy: true, server: true };

/**
 * Makes a `fetch` that goes the same way as a connector with these options, for
 * `createOAuth({ fetch })`: signing in asks authorization servers for things before there is a
 * connection. It follows no redirect, answers within 30 s and 1 MiB, over `https:` or on this
 * machine alone, and with the headers that OAuth code reads. Like any `fetch` it fails with a
 * `TypeError`, whose cause is the `HostsideError`, or with the reason of its `signal`. Outside of
 * Node it is the global `fetch`.
 *
 * Throws a `TypeError` that names the option that is unknown or of a wrong type.
 */
export function createAuthorizationFetch(options: AuthorizationFetchOptions = {}): AuthorizationFetch {
  const owner = "createAuthorizationFetch()";
  assertKnownOptions(owner, options, optionFields);
  assertHttpOptions(owner, options);
  let opening: Promise<AuthorizationFetch> | undefined;
  const open = async (): Promise<AuthorizationFetch> => {
    const { openAuthorizationFetch } = await loadHttp("authorization");
    return openAuthorizationFetch(options);
  };
  return async (url, init) => {
    opening ??= open();
    // What could not be loaded may be there the next time.
    opening.catch(() => (opening = undefined));
    return (await opening)(url, init);
  };
}
