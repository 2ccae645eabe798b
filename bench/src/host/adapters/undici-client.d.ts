// This one file of the package, as Hostside loads it: the package as a whole takes three times as
// long.
declare module "undici/lib/dispatcher/client.js" {
  import type { Client } from "undici";
  const UndiciClient: typeof Client;
  export default UndiciClient;
}
