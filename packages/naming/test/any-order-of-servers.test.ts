import {
  assignNames,
  emptyNames,
  evvaNaming,
  localNameOf,
  nexoNaming,
  normalizeServerId,
  qualifiedNaming,
  saveNames,
  hostsideNaming,
  verbatimNaming,
  type NameTable,
  type NamingStrategy,
  type SavedNames,
  type ToolIdentity,
} from "@hostside/naming";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashIdentity } from "../src/candidate-names.ts";

// `pnpm proof properties` looks at more.
const runs = Number(process.env["HOSTSIDE_RUNS"] ?? 12);

interface Server {
  readonly id: string;
  readonly tools: readonly string[];
}

const strategies: readonly (readonly [string, NamingStrategy])[] = [
  ["hostside", hostsideNaming],
  ["evva", evvaNaming],
  ["nexo", nexoNaming],
  ["nexo, seed form", { ...nexoNaming, prefix: "" }],
  ["qualified", qualifiedNaming],
  ["the shortest bound", { ...hostsideNaming, maxLength: 32, hashLength: 6 }],
  ["no separator", { ...evvaNaming, separator: "" }],
  ["hashes behind a dash", { ...evvaNaming, separator: "-", hashSeparator: "-" }],
];

// Ids of few words, so that one is often the beginning of another, some of them too long for a
// name.
const word = fc.constantFrom("a", "b", "prod", "A", "x".repeat(40));
const id = fc
  .array(fc.tuple(word, fc.constantFrom("_", "-", "__", ".", "")), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.flat().join(""));
const toolName = fc.oneof(
  id,
  fc.tuple(id, fc.constantFrom("list", "get it", "0123abcd")).map((parts) => parts.join("_")),
);

/**
 * Servers that may be registered together, each with tools that now and then are called like
 * another one's names.
 */
function servers(strategy: NamingStrategy): fc.Arbitrary<readonly Server[]> {
  const set = fc.uniqueArray(fc.record({ id, tools: fc.uniqueArray(toolName, { maxLength: 6 }) }), {
    minLength: 2,
    maxLength: 5,
    selector: (server) => normalizeServerId(server.id, strategy),
  });
  return set.chain((all) =>
    fc
      .array(fc.tuple(fc.nat(all.length - 1), fc.nat(all.length - 1), fc.nat(5), fc.constantFrom(1, 2)), {
        maxLength: 4,
      })
      .map((thefts) => thefts.reduce<readonly Server[]>((now, theft) => withStolenName(now, theft, strategy), all)),
  );
}

// A tool of one server that is called so that its plain name is, or nearly is, the hashed name of
// another server's tool.
function withStolenName(
  all: readonly Server[],
  [thief, victim, index, attempt]: readonly [number, number, number, number],
  strategy: NamingStrategy,
): readonly Server[] {
  const owner = all[victim];
  const name = owner?.tools[index];
  if (owner === undefined || name === undefined) return all;
  const hash = hashIdentity({ serverId: owner.id, toolName: name }, attempt, strategy.hashLength);
  const parts = `${owner.id}_${name}_${hash}`.split(/[^A-Za-z0-9]+/);
  const stolen = parts.map((_, from) => parts.slice(from).join("_"));
  return all.map((server, at) =>
    at === thief ? { ...server, tools: Array.from(new Set([...server.tools, ...stolen])) } : server,
  );
}

describe.each(strategies)("assignNames() with %s and all server ids", (_, strategy) => {
  it("gives the same names whichever server is listed first, without saved names", () => {
    const cases = servers(strategy).chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all as Server[], { minLength: all.length })),
    );
    fc.assert(
      fc.property(cases, ([all, order]) => {
        const serverIds = all.map((server) => server.id);
        const together = assignNames(all.flatMap(toolsOf), { strategy, serverIds });
        expect(namedOneByOne(order, serverIds, strategy)).toEqual(saveNames(together.names));
      }),
      { numRuns: runs },
    );
  });

  it("gives the tools of one server the same names whatever the others list", () => {
    const cases = fc.tuple(servers(strategy), servers(strategy));
    fc.assert(
      fc.property(cases, ([all, otherTools]) => {
        const serverIds = all.map((server) => server.id);
        const [first] = all;
        const others = all.slice(1).map((server, at) => ({ ...server, tools: otherTools[at]?.tools ?? [] }));
        const before = assignNames(all.flatMap(toolsOf), { strategy, serverIds });
        const after = assignNames([...others, ...(first ? [first] : [])].flatMap(toolsOf), { strategy, serverIds });
        for (const tool of first ? toolsOf(first) : []) {
          expect(localNameOf(after.names, tool)).toBe(localNameOf(before.names, tool));
        }
      }),
      { numRuns: runs },
    );
  });

  it("renames nothing that was given when a server comes later", () => {
    fc.assert(
      fc.property(servers(strategy), (all) => {
        let names: NameTable = emptyNames;
        const given = new Map<string, string | undefined>();
        for (const [index, server] of all.entries()) {
          const serverIds = all.slice(0, index + 1).map((known) => known.id);
          names = assignNames(toolsOf(server), { strategy, serverIds, previous: names }).names;
          for (const tool of toolsOf(server)) given.set(JSON.stringify(tool), localNameOf(names, tool));
        }
        for (const tool of all.flatMap(toolsOf)) expect(localNameOf(names, tool)).toBe(given.get(JSON.stringify(tool)));
        expect(new Set(given.values()).size).toBe(given.size);
      }),
      { numRuns: runs },
    );
  });
});

describe("assignNames() with a strategy that does not show the server", () => {
  it("reserves nothing, because ids do not stand in names", () => {
    const tools = [{ serverId: "a", toolName: "deploy_20260101" }];
    const { names } = assignNames(tools, { strategy: verbatimNaming, serverIds: ["a", "b"] });
    expect(tools.map((tool) => localNameOf(names, tool))).toEqual(["deploy_20260101"]);
  });
});

function namedOneByOne(order: readonly Server[], serverIds: readonly string[], strategy: NamingStrategy): SavedNames {
  let names: NameTable = emptyNames;
  for (const server of order) {
    names = assignNames(toolsOf(server), { strategy, serverIds, previous: names }).names;
  }
  return saveNames(names);
}

function toolsOf(server: Server): readonly ToolIdentity[] {
  return server.tools.map((tool) => ({ serverId: server.id, toolName: tool }));
}
