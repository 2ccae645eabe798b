import type { HttpOptions } from "../http/http-options.ts";

/**
 * Throws a `TypeError` for a proxy or authorities that are none. A proxy's URL may have a password
 * in it, so that its text is quoted nowhere.
 */
export function assertHttpOptions(
  owner: string,
  { proxy, ca, fetch }: Pick<HttpOptions, "ca" | "fetch" | "proxy">,
): void {
  const fail = (rule: string): TypeError => new TypeError(`${owner}: ${rule}`);
  if (proxy !== undefined && proxy !== false && proxy !== "environment" && !isHttpUrl(proxy))
    throw fail('proxy must be false, "environment" or the http: or https: URL of a proxy');
  const certificates = ca === undefined ? [] : [ca].flat();
  if (!certificates.every((it) => typeof it === "string" && it.includes("-----BEGIN CERTIFICATE-----")))
    throw fail("ca must be a certificate in PEM, or a list of them");
  if (fetch !== undefined && (ca !== undefined || (proxy !== undefined && proxy !== false)))
    throw fail("proxy and ca are for requests that Node makes, and cannot be used together with fetch");
}

function isHttpUrl(value: unknown): boolean {
  return typeof value === "string" && URL.canParse(value) && /^https?:$/.test(new URL(value).protocol);
}
