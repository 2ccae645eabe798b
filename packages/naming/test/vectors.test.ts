import { readFileSync } from "node:fs";
import {
  assignNames,
  evvaNaming,
  identityOf,
  isLegalFunctionName,
  isLegalName,
  loadNames,
  localNameOf,
  nexoNaming,
  normalizeServerId,
  parseToolName,
  qualifiedName,
  qualifiedNaming,
  toolNamePrefix,
  hostsideNaming,
  verbatimNaming,
  type NameAssignment,
  type NameTable,
  type NamingStrategy,
  type ToolIdentity,
} from "@hostside/naming";
import { describe, expect, it } from "vitest";
import { hashIdentity } from "../src/candidate-names.ts";
import { toPathSegment, toSnakeSegment, toWordSegment } from "../src/naming-strategy.ts";

type Piece = string | readonly [text: string, times: number];
type Text = string | readonly Piece[];
type Preset = "hostside" | "evva" | "nexo" | "verbatim" | "qualified";
type Rule = "snake" | "word" | "path";

interface Assignment {
  readonly id: string;
  readonly about: string;
  readonly preset: Preset;
  readonly prefix?: string;
  readonly maxLength?: number;
  readonly servers?: readonly Text[];
  readonly reserved?: readonly Text[];
  readonly previous?: readonly (readonly [Text, Text, Text])[];
  readonly tools: readonly (readonly [Text, Text])[];
  readonly names: readonly Text[];
  readonly collisions?: readonly Collision[];
}

interface Collision {
  readonly name: Text;
  readonly members: readonly (readonly [Text, Text])[];
  readonly reservedFor?: Text;
  readonly reserved?: true;
}

interface Vectors {
  readonly version: number;
  readonly presets: Readonly<Record<Preset, object>>;
  readonly segments: readonly (readonly [Rule, Text, Text])[];
  readonly hashes: readonly (readonly [string, string, number, string])[];
  readonly assignments: readonly Assignment[];
  readonly qualifiedNames: readonly (readonly [string, string, string])[];
  readonly functionNames: readonly (readonly [Text, boolean])[];
  readonly prefixes: readonly (readonly [Preset, string, string])[];
  readonly normalizedServerIds: readonly (readonly [Preset, string, string])[];
  readonly parsed: readonly (readonly [string, readonly [string, string] | null])[];
}

// JSON.parse knows no types; every member is compared with something below.
const vectors = JSON.parse(readFileSync(new URL("../vectors.json", import.meta.url), "utf8")) as Vectors;

const presets: Readonly<Record<Preset, NamingStrategy>> = {
  hostside: hostsideNaming,
  evva: evvaNaming,
  nexo: nexoNaming,
  verbatim: verbatimNaming,
  qualified: qualifiedNaming,
};
const rules: Readonly<Record<Rule, (part: string) => string>> = {
  snake: toSnakeSegment,
  word: toWordSegment,
  path: toPathSegment,
};

describe("vectors.json", () => {
  it("is of version 1 and has every preset", () => {
    expect(vectors.version).toBe(1);
    expect(Object.keys(vectors.presets)).toEqual(Object.keys(presets));
  });

  it.each(Object.entries(presets))("describes the preset %s as it is", (name, { sanitize, legal, ...data }) => {
    const segment = Object.keys(rules).find((rule) => rules[rule as Rule] === sanitize);
    expect(vectors.presets[name as Preset]).toEqual({ ...data, segment, legal: legal.source.replaceAll("\\/", "/") });
  });

  it.each(vectors.segments)("segment: %s of %j", (rule, part, segment) => {
    expect(rules[rule](textOf(part))).toBe(textOf(segment));
  });

  it.each(vectors.hashes)("hash of %j, %j, attempt %d", (...[serverId, toolName, attempt, hash]) => {
    expect(hashIdentity({ serverId, toolName }, attempt, 64)).toBe(hash);
  });

  it.each(vectors.qualifiedNames)("qualified name of %j, %j", (serverId, toolName, name) => {
    expect(qualifiedName({ serverId, toolName })).toBe(name);
  });

  it.each(vectors.functionNames)("function name %j is legal: %s", (name, legal) => {
    expect(isLegalFunctionName(textOf(name))).toBe(legal);
  });

  it.each(vectors.prefixes)("with %s, names of %j start with %j", (preset, serverId, prefix) => {
    expect(toolNamePrefix(serverId, presets[preset])).toBe(prefix);
  });

  it.each(vectors.normalizedServerIds)("with %s, %j has the form %j", (preset, serverId, form) => {
    expect(normalizeServerId(serverId, presets[preset])).toBe(form);
  });

  it.each(vectors.parsed)("%j parses to %j", (name, parts) => {
    expect(parseToolName(name)).toEqual(parts && { server: parts[0], tool: parts[1] });
  });
});

describe("vectors.json: assignments", () => {
  it("have ids of their own", () => {
    expect(new Set(vectors.assignments.map(({ id }) => id)).size).toBe(vectors.assignments.length);
  });

  describe.each(vectors.assignments)("$id: $about", (vector) => {
    const tools = vector.tools.map(identityFrom);
    const strategy = strategyOf(vector);

    it("gives these names in any order of the tools", () => {
      const expected = vector.names.map(textOf);
      for (const order of ordersOf(tools)) {
        const { names } = assign(order, vector);
        expect(tools.map((tool) => localNameOf(names, tool))).toEqual(expected);
      }
    });

    it("tells these collisions in any order of the tools", () => {
      const expected = (vector.collisions ?? []).map(({ name, members, reservedFor, reserved }) => ({
        name: textOf(name),
        members: members.map(identityFrom),
        ...(reservedFor !== undefined && { reservedFor: textOf(reservedFor) }),
        ...(reserved !== undefined && { reserved }),
      }));
      for (const order of ordersOf(tools)) expect(assign(order, vector).collisions).toEqual(expected);
    });

    it("gives legal names that lead back to their tools", () => {
      const { names } = assign(tools, vector);
      for (const [index, tool] of tools.entries()) {
        const name = textOf(vector.names[index] ?? "");
        expect(isLegalName(name, strategy)).toBe(true);
        expect(identityOf(names, name)).toEqual(tool);
      }
    });
  });
});

function assign(tools: readonly ToolIdentity[], vector: Assignment): NameAssignment {
  const strategy = strategyOf(vector);
  const serverIds = vector.servers?.map(textOf);
  const reservedNames = vector.reserved?.map(textOf);
  return assignNames(tools, { strategy, previous: previousOf(vector, strategy), serverIds, reservedNames });
}

function previousOf({ previous = [] }: Assignment, strategy: NamingStrategy): NameTable {
  const servers = previous.map(([serverId, toolName, name]) => [textOf(serverId), [[textOf(toolName), textOf(name)]]]);
  return loadNames({ version: 1, servers }, strategy);
}

function strategyOf({ preset, prefix, maxLength }: Assignment): NamingStrategy {
  const strategy =
    prefix === undefined
      ? presets[preset]
      : { ...presets[preset], prefix: prefix === "" ? "" : presets[preset].sanitize(prefix) };
  return maxLength === undefined ? strategy : { ...strategy, maxLength };
}

function ordersOf<T>(items: readonly T[]): readonly (readonly T[])[] {
  return [items, items.toReversed(), [...items.slice(1), ...items.slice(0, 1)]];
}

function identityFrom([serverId, toolName]: readonly [Text, Text]): ToolIdentity {
  return { serverId: textOf(serverId), toolName: textOf(toolName) };
}

function textOf(text: Text): string {
  if (typeof text === "string") return text;
  return text.map((piece) => (typeof piece === "string" ? piece : piece[0].repeat(piece[1]))).join("");
}
