/** An IP address as its bytes: 4 of them or 16. */
export type Address = readonly number[];

const ipv4Characters = /^[\da-fx.]+$/i;
const ipv6Characters = /^[\da-f:.]+$/i;
const mapped = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff];
// RFC 6052: behind a gateway, an IPv4 address is reached by this prefix.
const nat64 = [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0];

/**
 * Reads an address in any spelling that the platform's own URL parser has for it, so that nobody
 * judges a text in another way than it is connected to: `2130706433`, `0x7f.1` and `127.0.0.1` are
 * one. An IPv6 address that stands for an IPv4 address (`::ffff:10.0.0.1`, `64:ff9b::a00:1`) is
 * that one. `undefined` for what is no address, one with a zone included.
 */
export function parseAddress(text: string): Address | undefined {
  const bytes = ipv4Characters.test(text) ? parseIpv4(text) : parseIpv6(text);
  if (bytes?.length !== 16) return bytes;
  return startsWith(bytes, mapped) || startsWith(bytes, nat64) ? bytes.slice(12) : bytes;
}

function parseIpv4(text: string): Address | undefined {
  const hostname = hostnameOf(text);
  if (hostname === undefined || !/^\d+\.\d+\.\d+\.\d+$/.test(hostname)) return undefined;
  return hostname.split(".").map(Number);
}

function parseIpv6(text: string): Address | undefined {
  const hostname = ipv6Characters.test(text) ? hostnameOf(`[${text}]`) : undefined;
  if (hostname === undefined) return undefined;
  // Eight groups by now, of which the longest row of zeros is written `::`.
  const [before = [], after] = hostname.slice(1, -1).split("::").map(groupsOf);
  const groups = after === undefined ? before : [...before, ...zeros(8 - before.length - after.length), ...after];
  return groups.flatMap((group) => [group >> 8, group & 0xff]);
}

function hostnameOf(host: string): string | undefined {
  const url = `http://${host}/`;
  return URL.canParse(url) ? new URL(url).hostname : undefined;
}

function groupsOf(part: string): readonly number[] {
  return part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
}

function zeros(count: number): readonly number[] {
  return Array.from({ length: count }, () => 0);
}

function startsWith(bytes: Address, prefix: Address): boolean {
  return prefix.every((byte, index) => bytes[index] === byte);
}
