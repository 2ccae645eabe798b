import { usageError } from "../usage-error.ts";

/** Where `serve` listens. */
export interface ServeAddress {
  /** A name or an address, that of IPv6 without brackets. */
  readonly host: string;
  /** 0: any that is free. */
  readonly port: number;
}

/** The path that clients ask. */
export const servePath = "/mcp";
const defaultAddress: ServeAddress = { host: "127.0.0.1", port: 7077 };

/**
 * Reads `--http`. Throws a usage error for what is no address, and for one that other machines
 * reach unless that was asked for. Pure.
 */
export function readAddress(
  text: string | true,
  { anyAddress = false }: { readonly anyAddress?: boolean | undefined },
): ServeAddress {
  const address = text === true ? defaultAddress : parse(text);
  if (!anyAddress && !isLoopback(address.host)) {
    throw usageError(
      `other machines may reach ${address.host}`,
      "--any-address allows that: whoever has the token may then call your tools from there",
    );
  }
  return address;
}

/** Its URL, as a client on this machine has it. */
export function urlOf({ host, port }: ServeAddress): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}${servePath}`;
}

function parse(text: string): ServeAddress {
  const [, bracketed, plain, digits = ""] = /^(?:(?:\[([^\]]+)\]|([^:[\]]+)):)?(\d{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === "" || port > 65_535) {
    throw usageError(`${JSON.stringify(text)} is no address to listen at`, "--http 7077   or   --http 127.0.0.1:7077");
  }
  return { host: bracketed ?? plain ?? defaultAddress.host, port };
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(?:\.\d{1,3}){3}$/.test(host);
}
