import type { ServerCredentials } from "@hostside/core";
import { assertKnownOptions, kindOf, systemClock, type Fields } from "@hostside/core/implement";
import type { ApiKeys, ApiKeysOptions, KeyedServer } from "./api-keys.ts";
import { createKeyCredentials, type KeySettings } from "./key-credentials.ts";

const optionFields: Fields<ApiKeysOptions> = { keyFor: true, header: true, refreshMs: true, clock: true };
// RFC 9110, 5.6.2: a header name is a token.
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// Of a host for many users. Whose are forgotten, are made again.
const mostKept = 10_000;

interface Kept {
  readonly url: string;
  readonly credentials: ServerCredentials;
}

/**
 * Lets connections in by keys or bearer tokens of the host's own, which may be replaced at any
 * time: the next request carries the new one, those under way go on with the old one, and a request
 * that is refused with HTTP 401 is sent once more if there is another key by then. Nobody is asked
 * anything. What one principal has is never sent for another.
 *
 * A request fails with `auth_required` when its key is blank, when no header can carry it, and when
 * the server refuses it and there is no other; with `forbidden` when the key does not allow what is
 * asked; with `store_failed` when there is no key because `keyFor` failed. Throws a `TypeError`
 * that names the option that is unknown or of a wrong type.
 */
export function createApiKeys(options: ApiKeysOptions): ApiKeys {
  const settings = readOptions(options);
  const kept = new Map<string, Kept>();
  return {
    authProvider(spec, { principal }) {
      if (spec.url === undefined || spec.auth !== "api-key") return undefined;
      const { id, url } = spec;
      const account = JSON.stringify([id, principal]);
      const known = kept.get(account);
      kept.delete(account);
      const server: KeyedServer = { serverId: id, url, ...(principal !== undefined && { principal }) };
      const mine = known?.url === url ? known : { url, credentials: createKeyCredentials(server, settings) };
      kept.set(account, mine);
      for (const oldest of kept.keys()) {
        if (kept.size <= mostKept) break;
        kept.delete(oldest);
      }
      return mine.credentials;
    },
  };
}

function readOptions(options: ApiKeysOptions): KeySettings {
  assertKnownOptions("createApiKeys()", options, optionFields);
  const { keyFor, header = "authorization", refreshMs = 0, clock = systemClock } = options;
  const fail = (rule: string): TypeError => new TypeError(`createApiKeys(): ${rule}`);
  if (typeof keyFor !== "function") throw fail(`keyFor must be a function, not ${kindOf(keyFor)}`);
  if (typeof header !== "function" && !(typeof header === "string" && headerName.test(header)))
    throw fail("header must be the name of a header, or a function that says one");
  if (typeof refreshMs !== "number" || !(refreshMs >= 0))
    throw fail("refreshMs must be a number of milliseconds, 0 or more");
  return { keyFor, headerFor: typeof header === "function" ? header : () => header, refreshMs, clock };
}
