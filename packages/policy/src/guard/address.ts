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

/** Tells whether an address is in a network. */
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

/** The purpose of an address. */
export type AddressKind =
  | "public"
  | "private"
  | "loopback"
  | "shared"
  | "link-local"
  | "metadata"
  | "multicast"
  | "tunnel"
  | "reserved";

// What a machine is told about itself by its cloud, credentials included: AWS (also of containers
// and pods), Azure, Google, Oracle, Alibaba and others. Some are private or even public otherwise,
// so they stand first.
const metadata = [
  "169.254.169.254",
  "169.254.169.253",
  "169.254.169.123",
  "169.254.170.2",
  "169.254.170.23",
  "168.63.129.16",
  "100.100.100.200",
  "192.0.0.192",
  "fd00:ec2::/32",
  "fd20:ce::254",
];

// https://www.iana.org/assignments/iana-ipv4-special-registry and -ipv6-special-registry. Of IPv6,
// what is not named here is public only where IANA hands addresses out at all: 2000::/3.
const special: Readonly<Record<Exclude<AddressKind, "public">, readonly string[]>> = {
  metadata,
  loopback: ["127.0.0.0/8", "::1"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"],
  shared: ["100.64.0.0/10"],
  "link-local": ["169.254.0.0/16", "fe80::/10"],
  multicast: ["224.0.0.0/4", "ff00::/8"],
  // Teredo and 6to4 carry another address inside, and a gateway that unwraps them may have an own
  // idea of it.
  tunnel: ["2001::/32", "2002::/16", "192.88.99.0/24"],
  reserved: [
    "0.0.0.0/8",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "240.0.0.0/4",
    "2001::/23",
    "2001:db8::/32",
    "3fff::/20",
  ],
};

let table: readonly (readonly [AddressKind, Network])[] | undefined;

/**
 * Finds the purpose of an address; `"public"` is one that can be anybody's on the internet. The
 * first that fits, in the order of the table.
 */
export function addressKindOf(address: Address): AddressKind {
  table ??= [...Object.entries(special), ["public", ["2000::/3"]] as const].flatMap(([kind, texts]) =>
    texts.map((text) => [kind as AddressKind, readNetwork(text, kind)] as const),
  );
  const found = table.find(([, network]) => contains(network, address));
  return found?.[0] ?? (address.length === 4 ? "public" : "reserved");
}
