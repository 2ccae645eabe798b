import { contains, readNetwork, type Network } from "./network.ts";
import type { Address } from "./parse-address.ts";

/** What an address is for. */
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

// https://www.iana.org/assignments/iana-ipv4-special-registry and -ipv6-special-registry. Of IPv6, what is not named here is public only
// where IANA hands addresses out at all: 2000::/3.
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

/** A network with what it is for. */
type Row = readonly [AddressKind, Network];

let table: readonly Row[] | undefined;

/**
 * What an address is for; `"public"` is one that can be anybody's on the internet. The first that
 * fits, in the order of the table.
 */
export function addressKindOf(address: Address): AddressKind {
  table ??= readTable();
  const found = table.find(([, network]) => contains(network, address));
  return found?.[0] ?? (address.length === 4 ? "public" : "reserved");
}

function readTable(): readonly Row[] {
  const rows = Object.entries(special).flatMap(([kind, texts]) =>
    texts.map((text): Row => [kind as AddressKind, readNetwork(text, kind)]),
  );
  return [...rows, ["public", readNetwork("2000::/3", "public")]];
}
