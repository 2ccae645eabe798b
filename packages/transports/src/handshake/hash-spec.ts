import type { ServerSpec } from "@toolport/core";

/**
 * A name for everything about a spec that can make a server behave differently: how it is reached and with which credentials. A
 * hash, so that it may be stored. `undefined` for kinds that are functions, and in a runtime without Web Crypto.
 */
export async function hashSpec({ transport }: ServerSpec): Promise<string | undefined> {
  if (transport.kind === "memory" || transport.kind === "custom") return undefined;
  const { subtle } = globalThis.crypto;
  // Browsers leave it out of pages that did not come over https.
  if (subtle === undefined) return undefined;
  const canonical = JSON.stringify(Object.entries(transport).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const digest = await subtle.digest("SHA-256", new TextEncoder().encode(canonical));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
