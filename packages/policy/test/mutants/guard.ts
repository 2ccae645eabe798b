import type { PolicyMutant } from "./policy-mutant.ts";

const test = "packages/policy/src/guard/connection-guard.test.ts";

/** Mistakes in the guard of connections. */
export const guardMutants: readonly PolicyMutant[] = [
  {
    bug: "takes an IPv6 address that no registry names for a public one",
    patches: [
      {
        file: "guard/address.ts",
        find: 'address.length === 4 ? "public" : "reserved"',
        replace: '"public"',
      },
    ],
    test,
  },
  {
    bug: "does not look at the IPv4 address inside of an IPv6 one",
    patches: [{ file: "guard/address.ts", find: "bytes?.length !== 16", replace: "bytes !== undefined" }],
    test,
  },
  {
    bug: "opens the metadata service together with the private networks",
    patches: [{ file: "guard/connection-guard.ts", find: "!neverAllowed.has(kind)", replace: "true" }],
    test,
  },
  {
    bug: "takes a name that only ends like a host for one below it",
    patches: [
      {
        file: "guard/connection-guard.ts",
        find: "const suffix = `.${hostname}`;",
        replace: "const suffix = hostname;",
      },
    ],
    test,
  },
  {
    bug: "compares a hostname with the dot at its end",
    patches: [
      { file: "guard/connection-guard.ts", find: "return hostname.slice(0, end);", replace: "return hostname;" },
    ],
    test,
  },
  {
    bug: "allows a connection whose address nobody tells",
    patches: [
      {
        file: "guard/connection-guard.ts",
        find: 'placeOf("unknownAddresses")) === "allow"',
        replace: 'placeOf("unknownAddresses")) !== "refuse"',
      },
    ],
    test,
  },
  {
    bug: "lets a spec set any variable of a program that is allowed",
    patches: [
      { file: "guard/connection-guard.ts", find: "if (variable !== undefined)", replace: 'if (variable === "")' },
    ],
    test,
  },
  {
    bug: "forgets the addresses that stand in a URL",
    patches: [
      { file: "guard/connection-guard.ts", find: "if (literal !== undefined)", replace: "if (literal === null)" },
    ],
    test,
  },
];
