import {
  assignNames,
  emptyNames,
  evvaNaming,
  identityOf,
  isLegalName,
  isPossibleName,
  loadNames,
  localNameOf,
  nexoNaming,
  qualifiedNaming,
  saveNames,
  hostsideNaming,
  verbatimNaming,
  withoutNames,
  withoutServer,
  type NameTable,
  type NamingStrategy,
  type ToolIdentity,
} from "@hostside/naming";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allNames } from "./all-names.ts";

// Whatever UTF-16 can hold, lone surrogates included.
const anyUnits = fc
  .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 12 })
  .map((units) => String.fromCharCode(...units));
// Few characters, so that names meet after sanitising.
const alike = fc.string({ unit: fc.constantFrom("a", "B", "b", "_", "-", ".", ":", "\0", " "), maxLength: 4 });
const nasty = fc.constantFrom(
  "__proto__",
  "constructor",
  "toString",
  "",
  "\ud800",
  "😀",
  "日本語",
  "a\r\nb",
  "x#2",
  "10",
);
const long = fc.tuple(fc.constantFrom("a", "日", "_", "A.b"), fc.integer({ min: 50, max: 10_000 }), alike);
const text = fc.oneof(
  { weight: 6, arbitrary: alike },
  { weight: 2, arbitrary: anyUnits },
  { weight: 2, arbitrary: nasty },
  { weight: 1, arbitrary: long.map(([unit, length, end]) => `${unit.repeat(length).slice(0, length)}${end}`) },
);
const tool: fc.Arbitrary<ToolIdentity> = fc.record({ serverId: text, toolName: text });
const catalog = fc.uniqueArray(tool, {
  maxLength: 40,
  selector: ({ serverId, toolName }) => JSON.stringify([serverId, toolName]),
});

const strategies: readonly (readonly [string, NamingStrategy])[] = [
  ["hostside", hostsideNaming],
  ["evva", evvaNaming],
  ["nexo", nexoNaming],
  ["nexo, seed form", { ...nexoNaming, prefix: "" }],
  ["verbatim", verbatimNaming],
  ["qualified", qualifiedNaming],
  ["hostside with another prefix", { ...hostsideNaming, prefix: "acme_tools" }],
  ["the shortest bound", { ...hostsideNaming, maxLength: 32, hashLength: 6 }],
  ["a long bound", { ...evvaNaming, maxLength: 128, hashLength: 16 }],
  ["a sanitize that changes nothing", { ...hostsideNaming, sanitize: (part) => part }],
  [
    "a target that takes any characters",
    { ...hostsideNaming, sanitize: (part) => part, legal: /^[^]+$/u, maxLength: 40 },
  ],
];

// `pnpm proof properties` looks at more.
const runs = Number(process.env["HOSTSIDE_RUNS"] ?? 12);

describe.each(strategies)("assignNames() with %s", (_, strategy) => {
  it("gives legal names within the bound", () => {
    check(catalog, (tools) => {
      const { names } = assignNames(tools, { strategy });
      for (const name of namesOf(names, tools)) {
        expect(name.length).toBeLessThanOrEqual(strategy.maxLength);
        expect(isLegalName(name, strategy)).toBe(true);
      }
    });
  });

  it("gives no name that was not possible for its server", () => {
    check(catalog, (tools) => {
      const { names } = assignNames(tools, { strategy });
      for (const tool of tools) {
        expect(isPossibleName(localNameOf(names, tool) ?? "", tool.serverId, strategy)).toBe(true);
      }
    });
  });

  it("gives every tool a name of its own, also regardless of ASCII case", () => {
    check(catalog, (tools) => {
      const { names } = assignNames(tools, { strategy });
      expect(new Set(namesOf(names, tools).map(lowerCase)).size).toBe(tools.length);
      expect(allNames(names).length).toBe(tools.length);
    });
  });

  it("leads every name back to the exact remote name", () => {
    check(catalog, (tools) => {
      const { names } = assignNames(tools, { strategy });
      for (const tool of tools) expect(identityOf(names, localNameOf(names, tool) ?? "")).toEqual(tool);
    });
  });

  it("does not depend on the order of listing", () => {
    const shuffled = catalog.chain((tools) =>
      fc.tuple(fc.constant(tools), fc.shuffledSubarray(tools, { minLength: tools.length })),
    );
    check(shuffled, ([tools, otherOrder]) => {
      const first = assignNames(tools, { strategy });
      const second = assignNames([...otherOrder, ...otherOrder.slice(0, 3)], { strategy });
      expect(second.collisions).toEqual(first.collisions);
      expect(saveNames(second.names)).toEqual(saveNames(first.names));
    });
  });

  it("never renames a tool, whatever comes and goes", () => {
    check(fc.array(catalog, { minLength: 2, maxLength: 5 }), (listings) => {
      let names: NameTable = emptyNames;
      const given = new Map<string, string>();
      for (const tools of listings) {
        names = assignNames(tools, { strategy, previous: names }).names;
        for (const tool of tools) {
          const key = JSON.stringify([tool.serverId, tool.toolName]);
          const name = localNameOf(names, tool) ?? "";
          expect(given.get(key) ?? name).toBe(name);
          given.set(key, name);
        }
      }
      expect(new Set(given.values()).size).toBe(given.size);
    });
  });

  it("adding a tool without the names given before renames only who collides with it", () => {
    check(fc.tuple(catalog, tool), ([tools, added]) => {
      const before = assignNames(tools, { strategy });
      const after = assignNames([...tools, added], { strategy });
      const colliding = after.collisions.flatMap(({ members }) => members);
      for (const tool of tools) {
        if (colliding.some((member) => member.serverId === tool.serverId && member.toolName === tool.toolName))
          continue;
        expect(localNameOf(after.names, tool)).toBe(localNameOf(before.names, tool));
      }
    });
  });

  it("gives a reserved name to nobody, also not back by names that were kept", () => {
    check(fc.tuple(catalog, fc.array(fc.nat(40))), ([tools, chosen]) => {
      const free = assignNames(tools, { strategy });
      const wanted = namesOf(free.names, tools);
      const reservedNames = chosen.flatMap((index) => wanted[index]?.replaceAll("a", "A") ?? []);
      const { names } = assignNames(tools, { strategy, reservedNames });
      const reserved = new Set(reservedNames.map(lowerCase));
      const given = namesOf(names, tools);
      expect(given.filter((name) => reserved.has(lowerCase(name)))).toEqual([]);
      expect(new Set(given.map(lowerCase)).size).toBe(tools.length);
      const freed = withoutNames(free.names, reservedNames);
      for (const name of reservedNames) expect(identityOf(freed, name)).toBeUndefined();
      // Whoever had another name keeps it.
      const kept = namesOf(assignNames(tools, { strategy, reservedNames, previous: freed }).names, tools);
      expect(kept.filter((name) => reserved.has(lowerCase(name)))).toEqual([]);
      const isFree = (_: string, index: number): boolean => !reserved.has(lowerCase(wanted[index] ?? ""));
      expect(kept.filter(isFree)).toEqual(wanted.filter(isFree));
    });
  });

  it("is idempotent: with nothing new, the table is the very same", () => {
    check(catalog, (tools) => {
      const { names } = assignNames(tools, { strategy });
      expect(assignNames(tools.toReversed(), { strategy, previous: names })).toEqual({ names, collisions: [] });
      expect(assignNames(tools, { strategy, previous: names }).names).toBe(names);
    });
  });

  it("survives a restart: saved names come back through JSON text", () => {
    check(catalog, (tools) => {
      const { names } = assignNames(tools, { strategy });
      expect(loadNames(JSON.parse(JSON.stringify(saveNames(names))), strategy)).toEqual(names);
    });
  });

  it("forgets a removed server whole and nothing else", () => {
    check(catalog, (tools) => {
      const { names } = assignNames(tools, { strategy });
      const serverId = tools[0]?.serverId ?? "none";
      const without = withoutServer(names, serverId);
      for (const tool of tools) {
        const kept = tool.serverId === serverId ? undefined : localNameOf(names, tool);
        expect(localNameOf(without, tool)).toBe(kept);
      }
      expect(allNames(without).length).toBe(tools.filter((tool) => tool.serverId !== serverId).length);
    });
  });
});

function check<T>(arbitrary: fc.Arbitrary<T>, property: (value: T) => void): void {
  fc.assert(fc.property(arbitrary, property), { numRuns: runs });
}

function namesOf(names: NameTable, tools: readonly ToolIdentity[]): readonly string[] {
  return tools.map((tool) => localNameOf(names, tool) ?? "");
}

function lowerCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 32));
}
