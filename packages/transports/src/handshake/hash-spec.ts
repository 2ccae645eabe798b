import type * as sha2Module from "@noble/hashes/sha2.js";
import type { ServerSpec } from "@hostside/core";
import { reachOf } from "@hostside/core/implement";

let loading: Promise<typeof sha2Module | undefined> | undefined;

/**
 * A name for everything about a spec that can make a server behave differently: how it is reached
 * and with which credentials. A hash, so that it may be stored. `undefined` for kinds that are
 * functions, and where the code for it cannot be loaded: nothing is remembered of the server then.
 */
export async function hashSpec(spec: ServerSpec): Promise<string | undefined> {
  if (spec.command === undefined && spec.url === undefined) return undefined;
  // Not Web Crypto: Node loads the whole of it for the first digest, and browsers leave it out of
  // pages that did not come over https.
  loading ??= import("@noble/hashes/sha2.js").catch(() => undefined);
  const sha2 = await loading;
  const canonical = JSON.stringify(Object.entries(reachOf(spec)).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const digest = sha2?.sha256(new TextEncoder().encode(canonical));
  return digest && Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
