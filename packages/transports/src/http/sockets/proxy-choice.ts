// oxlint-disable-next-line typescript/triple-slash-reference -- who compiles this source as part of another package finds no types otherwise
/// <reference path="./untyped-modules.d.ts" />
import { getProxyForUrl } from "proxy-from-env";

/** A proxy, and how it is asked. */
export interface Proxy {
  /** Without user info; its origin names it in errors. */
  readonly url: URL;
  /** The value of `proxy-authorization`. */
  readonly authorization: string | undefined;
}

/**
 * By which proxy a URL is reached; `undefined` for none, and `"unsupported"` for one that speaks no
 * HTTP.
 */
export type ProxyChoice = (url: URL) => Proxy | "unsupported" | undefined;

/**
 * Reads the setting of a host: `false` for none, a URL for all servers, or `"environment"` for
 * `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`, in small letters or capitals. A proxy is
 * never used for servers on this machine: unencrypted data that may only stay here would leave it.
 */
export function createProxyChoice(setting: string | false): ProxyChoice {
  if (setting === false) return () => undefined;
  const chosen = new Map<string, ReturnType<ProxyChoice>>();
  const choose: ProxyChoice = (url) => {
    if (isLoopback(url.hostname)) return undefined;
    const text = setting === "environment" ? environmentProxy(url) : setting;
    return text === "" ? undefined : readProxy(text);
  };
  return (url) => {
    const { origin } = url;
    if (!chosen.has(origin)) chosen.set(origin, choose(url));
    return chosen.get(origin);
  };
}

function environmentProxy(url: URL): string {
  const text = getProxyForUrl(url.href);
  if (text === "" || isInRanges(url.hostname)) return "";
  // `proxy.corp:3128` means http:, as everywhere; the library takes the protocol of the server.
  const bare = text.replace(/^https:\/\//, "");
  const written = ["https_proxy", "all_proxy"].flatMap((name) => [process.env[name], process.env[name.toUpperCase()]]);
  return bare !== text && written.includes(bare) ? `http://${bare}` : text;
}

// `10.0.0.0/8` in NO_PROXY, which the library does not know. Names are not looked up.
function isInRanges(hostname: string): boolean {
  const { BlockList, isIP } = process.getBuiltinModule("node:net");
  const host = hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) === 0) return false;
  const ranges = new BlockList();
  for (const [, network = "", bits = ""] of noProxy().matchAll(/([\da-f.:]+)\/(\d{1,3})(?=$|[\s,])/gi)) {
    const isV6 = isIP(network) === 6;
    if (isIP(network) !== 0 && Number(bits) <= (isV6 ? 128 : 32)) {
      ranges.addSubnet(network, Number(bits), isV6 ? "ipv6" : "ipv4");
    }
  }
  return ranges.check(host, isIP(host) === 6 ? "ipv6" : "ipv4");
}

function noProxy(): string {
  return process.env["no_proxy"] ?? process.env["NO_PROXY"] ?? "";
}

function readProxy(text: string): Proxy | "unsupported" {
  if (!URL.canParse(text)) return "unsupported";
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") return "unsupported";
  const { username, password } = url;
  url.username = url.password = "";
  if (username === "" && password === "") return { url, authorization: undefined };
  const bytes = new TextEncoder().encode(`${decoded(username)}:${decoded(password)}`);
  return { url, authorization: `Basic ${btoa(String.fromCharCode(...bytes))}` };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // Somebody did not write it encoded.
    return text;
  }
}

// `localhost`, what ends in it, 127.0.0.0/8 and ::1, as the URL parser spells them.
function isLoopback(hostname: string): boolean {
  return /^(?:(?:.*\.)?localhost\.?|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
