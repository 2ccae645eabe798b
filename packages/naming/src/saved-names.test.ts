import { isHostsideError } from "@hostside/core";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allNames } from "../test/all-names.ts";
import { assignNames } from "./assign-names.ts";
import { emptyNames, localNameOf, type NameTable } from "./name-table.ts";
import { evvaNaming, hostsideNaming, isLegalName } from "./naming-strategy.ts";
import { loadNames, saveNames } from "./saved-names.ts";

describe("saveNames()", () => {
  it("writes arrays of pairs, sorted, whatever the order of giving", () => {
    const tools = [
      { serverId: "b", toolName: "y" },
      { serverId: "__proto__", toolName: "z" },
      { serverId: "b", toolName: "x" },
    ];
    const expected = {
      version: 1,
      servers: [
        ["__proto__", [["z", "mcp_proto_z"]]],
        [
          "b",
          [
            ["x", "mcp_b_x"],
            ["y", "mcp_b_y"],
          ],
        ],
      ],
    };
    expect(saveNames(assignNames(tools).names)).toEqual(expected);
    expect(saveNames(assignNames(tools.toReversed()).names)).toEqual(expected);
  });

  it("writes no names as no servers", () => {
    expect(saveNames(emptyNames)).toEqual({ version: 1, servers: [] });
  });
});

describe("loadNames()", () => {
  it("brings names back over a restart, so that a tool keeps the name that it was given first", () => {
    const slash = { serverId: "repo", toolName: "issues/get" };
    const dot = { serverId: "repo", toolName: "issues.get" };
    const text = JSON.stringify(saveNames(assignNames([slash]).names));
    const { names } = assignNames([dot, slash], { previous: loadNames(JSON.parse(text)) });
    expect(localNameOf(names, slash)).toBe("mcp_repo_issues_get");
  });

  it("keeps lone surrogates apart through JSON text", () => {
    const tools = ["\ud800", "\udc00", "\ufffd"].map((toolName) => ({ serverId: "s", toolName }));
    const { names } = assignNames(tools);
    expect(loadNames(JSON.parse(JSON.stringify(saveNames(names))))).toEqual(names);
  });

  const bad: readonly (readonly [string, unknown])[] = [
    ["null", null],
    ["a string", "{}"],
    ["an array", []],
    ["no version", { servers: [] }],
    ["another version", { version: 2, servers: [] }],
    ["no servers", { version: 1 }],
    ["servers as an object", { version: 1, servers: { a: [] } }],
    ["a server that is no pair", { version: 1, servers: [["a"]] }],
    ["a server id that is no string", { version: 1, servers: [[1, []]] }],
    ["tools as an object", { version: 1, servers: [["a", { x: "mcp_a_x" }]] }],
    ["a tool that is no pair", { version: 1, servers: [["a", ["x"]]] }],
    ["a tool with more than two members", { version: 1, servers: [["a", [["x", "mcp_a_x", "y"]]]] }],
    ["a remote name that is no string", { version: 1, servers: [["a", [[null, "mcp_a_x"]]]] }],
    ["a local name that is no string", { version: 1, servers: [["a", [["x", { toString: "mcp_a_x" }]]]] }],
    ["an empty local name", { version: 1, servers: [["a", [["x", ""]]]] }],
    ["a local name beyond the bound", { version: 1, servers: [["a", [["x", "a".repeat(65)]]]] }],
    ["a local name that is not legal", { version: 1, servers: [["a", [["x", "__proto__"]]]] }],
    [
      "a name given to two tools",
      {
        version: 1,
        servers: [
          ["a", [["x", "mcp_x"]]],
          ["b", [["x", "mcp_x"]]],
        ],
      },
    ],
    [
      "two names of one tool",
      {
        version: 1,
        servers: [
          ["a", [["x", "mcp_x"]]],
          ["a", [["x", "mcp_y"]]],
        ],
      },
    ],
  ];
  it.each(bad)("throws invalid_names for %s", (_, saved) => {
    expect(() => loadNames(saved)).toThrow(
      expect.objectContaining({
        code: "invalid_names",
        kind: "contract",
        message: expect.stringContaining("saved tool names: "),
      }),
    );
  });

  it.each([
    ["Read", "read"],
    ["read", "Read"],
  ])("throws invalid_names for names that differ in ASCII case only: %s, %s", (first, second) => {
    const tools = [
      ["x", first],
      ["y", second],
    ];
    expect(() => loadNames({ version: 1, servers: [["a", tools]] }, evvaNaming)).toThrow(
      `[invalid_names] saved tool names: "${second}" is given twice`,
    );
  });

  it("throws a TypeError for a strategy that breaks a rule", () => {
    expect(() => loadNames({ version: 1, servers: [] }, { ...evvaNaming, legal: /^\w+$/g })).toThrow(TypeError);
  });

  it("quotes a bounded and clean piece of what it refuses", () => {
    const hostile = `\u001B[31m${"x".repeat(1_000_000)}`;
    expect(() => loadNames({ version: 1, servers: [["a", [["x", hostile]]]] })).toThrow(
      `[invalid_names] saved tool names: "${"x".repeat(79)}…" is not a legal name`,
    );
  });

  it("for any JSON value: throws invalid_names or gives a table of legal names of their own", () => {
    const text = fc.constantFrom("a", "b", "mcp_a", "mcp_b", "MCP_a", "__proto__", "");
    const pairs = (value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
      fc.array(fc.oneof({ weight: 9, arbitrary: fc.tuple(text, value) }, fc.jsonValue()), { maxLength: 4 });
    const saved = fc.oneof(
      fc.jsonValue(),
      fc.record({ version: fc.constant(1), servers: fc.oneof(pairs(pairs(text)), fc.jsonValue()) }),
    );
    fc.assert(
      fc.property(saved, (value) => {
        const loaded = loadOrRefuse(value);
        const names = [...loaded.servers.values()].flatMap((tools) => [...tools.values()]);
        expect(allNames(loaded).length).toBe(names.length);
        expect(names.filter((name) => !isLegalName(name, hostsideNaming))).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});

function loadOrRefuse(saved: unknown): NameTable {
  try {
    return loadNames(saved);
  } catch (error) {
    if (isHostsideError(error, "invalid_names")) return emptyNames;
    throw error;
  }
}
