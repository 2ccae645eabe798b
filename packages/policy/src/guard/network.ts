import { parseAddress, type Address } from "./parse-address.ts";

/** All addresses that begin alike. */
export interface Network {
  readonly address: Address;
  /** How many bits are the same. */
  readonly bits: number;
}

/**
 * Reads a network such as `10.0.0.0/8`, `fd00::/8`, or one address. Throws a `TypeError` that names
 * `place` for what is none, and for one whose address has bits behind its prefix: its author meant
 * something else.
 */
export function readNetwork(text: string, place: string): Network {
  const [start = "", length, ...more] = text.split("/");
  const address = parseAddress(start);
  const fail = (what: string): TypeError => new TypeError(`${place}: ${JSON.stringify(text)} ${what}`);
  if (address === undefined || more.length > 0) throw fail("is no network, such as 10.0.0.0/8");
  // What was read as IPv4 from a longer spelling has a shorter prefix than it says.
  if (start.includes(":") && address.length === 4 && length !== undefined) throw fail("is to be written as IPv4");
  const bits = length === undefined ? address.length * 8 : /^\d{1,3}$/.test(length) ? Number(length) : Number.NaN;
  if (!(bits <= address.length * 8)) throw fail(`has no length from 0 to ${address.length * 8}`);
  const network = { address, bits };
  if (address.some((byte, index) => (byte & ~maskOf(network, index) & 0xff) !== 0))
    throw fail(`has bits behind the first ${bits}`);
  return network;
}

/** Whether an address is in a network. */
export function contains(network: Network, address: Address): boolean {
  const { address: start } = network;
  return (
    start.length === address.length &&
    start.every((byte, index) => ((byte ^ (address[index] ?? 0)) & maskOf(network, index)) === 0)
  );
}

function maskOf({ bits }: Network, index: number): number {
  const own = Math.min(8, Math.max(0, bits - index * 8));
  return (0xff << (8 - own)) & 0xff;
}
