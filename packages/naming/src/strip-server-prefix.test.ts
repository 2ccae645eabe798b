import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { assignNames } from "./assign-names.ts";
import { localNameOf } from "./name-table.ts";
import { conciseNaming, evvaNaming, isLegalName } from "./naming-strategy.ts";
import { stripServerPrefix } from "./candidate-names.ts";

describe("omitEcho()", () => {
  it.each([
    ["firecrawl_search", "firecrawl", "search"],
    ["Firecrawl-Search", "firecrawl", "Search"],
    ["firecrawl__search", "firecrawl", "search"],
    ["firecrawlsearch", "firecrawl", "firecrawlsearch"],
    ["firecrawl", "firecrawl", "firecrawl"],
    ["firecrawl_", "firecrawl", "firecrawl_"],
    ["search_firecrawl", "firecrawl", "search_firecrawl"],
    ["git_git_log", "git", "git_log"],
    ["_x", "", "_x"],
  ])("makes of %j of server %j: %j", (tool, server, left) => {
    expect(stripServerPrefix(tool, server)).toBe(left);
  });
});

describe("conciseNaming", () => {
  const nameAll = (
    tools: readonly (readonly [serverId: string, toolName: string])[],
  ): readonly (string | undefined)[] => {
    const identities = tools.map(([serverId, toolName]) => ({ serverId, toolName }));
    const { names } = assignNames(identities, { strategy: conciseNaming });
    return identities.map((identity) => localNameOf(names, identity));
  };

  it("leaves the server's name out where a tool repeats it", () => {
    expect(
      nameAll([
        ["firecrawl", "firecrawl_search"],
        ["Brave Search", "brave_search_web"],
        ["git", "log"],
      ]),
    ).toEqual(["mcp_firecrawl_search", "mcp_brave_search_web", "mcp_git_log"]);
  });

  it("hashes both tools when one already has the short name", () => {
    const [echo, plain] = nameAll([
      ["firecrawl", "firecrawl_search"],
      ["firecrawl", "search"],
    ]);
    expect(echo).toMatch(/^mcp_firecrawl_search_[0-9a-f]{8}$/);
    expect(plain).toMatch(/^mcp_firecrawl_search_[0-9a-f]{8}$/);
    expect(echo).not.toBe(plain);
  });

  it("is there for any strategy", () => {
    const tool = { serverId: "S", toolName: "s-read" };
    const { names } = assignNames([tool], { strategy: { ...evvaNaming, omitEcho: true } });
    expect(localNameOf(names, tool)).toBe("mcp__S__read");
  });

  const part = fc.constantFrom("a", "b", "a_b", "a_a", "a_a_b", "A", "a-b", "_", "a_", "é", "1");
  it("gives every tool a legal name of its own", () => {
    const tools = fc.uniqueArray(fc.tuple(part, part), { maxLength: 40, selector: (tool) => tool.join("\0") });
    fc.assert(
      fc.property(tools, (given) => {
        const names = nameAll(given);
        expect(new Set(names.map((name) => name?.toLowerCase())).size).toBe(given.length);
        for (const name of names) expect(isLegalName(name ?? "", conciseNaming)).toBe(true);
      }),
    );
  });
});
