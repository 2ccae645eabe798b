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
 * `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`, in small letters or capitals. What is on
 * this machine is never asked for by a proxy: what may travel unencrypted because it stays here
 * would leave it.
 */
export function createProxyChoice(setting: string | false): ProxyChoice {
  if (setting === false) return () => undefined;
  const chosen = new Map<string, ReturnType<ProxyChoice>>();
  const choose: ProxyChoice = (url) => {
    if (isLoopback(url.hostname)) return undefined;
    const text = setting === "environment" ? getProxyForUrl(url.href) : setting;
    return text === "" ? undefined : readProxy(text);
  };
  return (url) => {
    const { origin } = url;
    if (!chosen.has(origin)) chosen.set(origin, choose(url));
    return chosen.get(origin);
  };
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
