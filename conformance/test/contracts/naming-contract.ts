import {
  assertNamingStrategy,
  assignNames,
  identityOf,
  isLegalName,
  loadNames,
  localNameOf,
  saveNames,
  type NamingStrategy,
  type NameTable,
  type ToolIdentity,
} from "@hostside/naming";
import { describe, expect, it } from "vitest";
import { seededRandom } from "../../src/engine/run-checks.ts";

const toolsPerRun = 60;

/**
 * Defines a suite that holds a naming strategy to the rules that every one must keep, over seeded
 * sets of hostile names.
 */
export function describeNamingContract(name: string, make: () => NamingStrategy): void {
  describe(`${name} keeps the contract of a naming strategy`, () => {
    const strategy = make();
    const nameAll = (tools: readonly ToolIdentity[], previous?: NameTable): NameTable =>
      assignNames(tools, { strategy, previous }).names;
    const namesOf = (tools: readonly ToolIdentity[], table: NameTable): readonly (string | undefined)[] =>
      tools.map((tool) => localNameOf(table, tool));

    it("is a strategy", () => {
      expect(() => assertNamingStrategy(strategy)).not.toThrow();
    });

    it("sanitises alike whenever it is asked, and any text", () => {
      for (const part of oddParts) expect(strategy.sanitize(part)).toBe(strategy.sanitize(part));
    });

    it.each(seeds)("gives every tool a legal name of its own, and finds the tool by it (seed %i)", (seed) => {
      const tools = someTools(seed);
      const table = nameAll(tools);
      const names = namesOf(tools, table);
      expect(names.filter((each) => each === undefined || !isLegalName(each, strategy))).toEqual([]);
      expect(new Set(names.map((each) => each?.toLowerCase())).size).toBe(tools.length);
      expect(names.map((each) => identityOf(table, each ?? ""))).toEqual(tools);
    });

    it.each(seeds)("gives the same names in any order (seed %i)", (seed) => {
      const tools = someTools(seed);
      expect(namesOf(tools, nameAll(tools.toReversed()))).toEqual(namesOf(tools, nameAll(tools)));
    });

    it.each(seeds)("renames nobody when tools come later, nor after a restart (seed %i)", (seed) => {
      const tools = someTools(seed);
      const some = tools.filter((_, i) => i % 2 === 0);
      const before = nameAll(some);
      const after = nameAll(tools, before);
      expect(namesOf(some, after)).toEqual(namesOf(some, before));
      const restored = loadNames(JSON.parse(JSON.stringify(saveNames(after))), strategy);
      expect(namesOf(tools, nameAll(tools.toReversed(), restored))).toEqual(namesOf(tools, after));
    });
  });
}

const seeds: readonly number[] = Array.from({ length: 3 }, (_, i) => i + 1);
const oddParts = [
  "",
  " ",
  "a",
  "A",
  "a.b",
  "a_b",
  "a b",
  "a-b",
  "__proto__",
  "größe",
  "\u001B[2J",
  "🐙",
  "x".repeat(300),
];

/** Servers and tools whose names collide in every way that is known. */
function someTools(seed: number): readonly ToolIdentity[] {
  const random = seededRandom(seed, "naming contract");
  const pick = (): string => oddParts[Math.floor(random() * oddParts.length)] ?? "";
  const found = new Map<string, ToolIdentity>();
  for (let i = 0; i < toolsPerRun; i += 1) {
    const tool = { serverId: `${pick()}s`, toolName: `${pick()}${random() < 0.3 ? pick() : ""}` };
    found.set(JSON.stringify(tool), tool);
  }
  return Array.from(found.values());
}
