import fc from "fast-check";
import { BlockList, isIPv6 } from "node:net";

/**
 * Where a service has no business, written down from the registries of IANA and what clouds say of
 * themselves, not from the guard. Of IPv6 all that is handed out is in 2000::/3; the others are the
 * five networks that are left.
 */
export const forbiddenNetworks = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
  ["::", 3],
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["4000::", 2],
  ["8000::", 1],
] as const;

/** Whether an address is in one of them, by Node's own judgement. */
export function isForbidden(address: string): boolean {
  return isIPv6(address) ? forbidden6.check(address, "ipv6") : forbidden4.check(address, "ipv4");
}

// Two, because to Node an IPv4 address is one of `::/3` as well.
const forbidden4 = new BlockList();
const forbidden6 = new BlockList();
for (const [address, bits] of forbiddenNetworks) {
  if (isIPv6(address)) forbidden6.addSubnet(address, bits, "ipv6");
  else forbidden4.addSubnet(address, bits, "ipv4");
}

/** Addresses as their bytes. */
export const ipv4Bytes: fc.Arbitrary<readonly number[]> = fc.array(fc.nat(255), { minLength: 4, maxLength: 4 });
export const ipv6Bytes: fc.Arbitrary<readonly number[]> = fc.array(fc.nat(255), { minLength: 16, maxLength: 16 });

/** Bytes of an address in one of the forbidden networks. */
export const forbiddenBytes: fc.Arbitrary<readonly number[]> = fc
  .constantFrom(...forbiddenNetworks)
  .chain(([start, bits]) => {
    const prefix = bytesOf(start);
    return (prefix.length === 4 ? ipv4Bytes : ipv6Bytes).map((bytes) =>
      prefix.map((byte, index) => {
        const own = Math.min(8, Math.max(0, bits - index * 8));
        const mask = (0xff << (8 - own)) & 0xff;
        return (byte & mask) | ((bytes[index] ?? 0) & ~mask & 0xff);
      }),
    );
  });

/** The bytes of an address in its usual form. */
export function bytesOf(address: string): readonly number[] {
  if (!isIPv6(address)) return address.split(".").map(Number);
  const [head = "", tail = ""] = address.split("::");
  const groups = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const [before, after] = [groups(head), groups(tail)];
  const all = [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
  return all.flatMap((group) => [group >> 8, group & 255]);
}

/** All groups, none left out. */
export function plainText(bytes: readonly number[]): string {
  return bytes.length === 4 ? bytes.join(".") : groupsOf(bytes).join(":");
}

function groupsOf(bytes: readonly number[]): readonly string[] {
  return Array.from({ length: bytes.length / 2 }, (_, index) =>
    ((bytes[index * 2] ?? 0) * 256 + (bytes[index * 2 + 1] ?? 0)).toString(16),
  );
}

const numberSpellings: readonly ((value: number) => string)[] = [
  (value) => String(value),
  (value) => `0x${value.toString(16)}`,
  (value) => `0X${value.toString(16).toUpperCase()}`,
  (value) => `0${value.toString(8)}`,
  (value) => `0x000${value.toString(16)}`,
];

/** Every way that a URL has to write an address as its host. */
export function spellings(bytes: readonly number[]): fc.Arbitrary<string> {
  const [a = 0, b = 0, c = 0, d = 0] = bytes;
  if (bytes.length === 4) {
    const parts = fc.constantFrom(
      [a, b, c, d],
      [a, b, c * 256 + d],
      [a, (b * 256 + c) * 256 + d],
      [((a * 256 + b) * 256 + c) * 256 + d],
    );
    const numbers = fc.tuple(parts, fc.array(fc.constantFrom(...numberSpellings), { minLength: 4, maxLength: 4 }));
    const plain = numbers.map(([values, how]) => values.map((value, index) => (how[index] ?? String)(value)).join("."));
    const dotted = fc.tuple(plain, fc.constantFrom("", ".")).map(([text, end]) => text + end);
    const wide = plain.map((text) =>
      text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))).replaceAll(".", "。"),
    );
    const percent = plain.map((text) => text.replaceAll(/\d/g, (digit) => `%3${digit}`));
    const inIpv6 = fc.constantFrom(
      `[::ffff:${bytes.join(".")}]`,
      `[::FFFF:${groupsOf(bytes).join(":")}]`,
      `[0:0:0:0:0:ffff:${groupsOf(bytes).join(":")}]`,
      `[64:ff9b::${bytes.join(".")}]`,
      `[64:ff9b::${groupsOf(bytes).join(":")}]`,
    );
    return fc.oneof(dotted, wide, percent, inIpv6);
  }
  const groups = groupsOf(bytes);
  const padded = groups.map((group) => group.padStart(4, "0"));
  const shortened = groups.join(":").replace(/(?:^|:)0(?::0)+(?:$|:)/, "::");
  return fc.constantFrom(
    `[${groups.join(":")}]`,
    `[${padded.join(":").toUpperCase()}]`,
    `[${shortened}]`,
    `[${groups.slice(0, 6).join(":")}:${bytes.slice(12).join(".")}]`,
  );
}
