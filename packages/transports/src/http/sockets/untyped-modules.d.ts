// The package as a whole takes three times as long to load as this file of it, which it names no
// types for.
declare module "undici/lib/dispatcher/client.js" {
  import type { Client } from "undici";
  const UndiciClient: typeof Client;
  export default UndiciClient;
}

declare module "proxy-from-env" {
  export function getProxyForUrl(url: string): string;
}
