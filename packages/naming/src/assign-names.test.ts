import { describe, expect, it } from "vitest";
import { allNames } from "../test/all-names.ts";
import { assignNames } from "./assign-names.ts";
import { hashIdentity } from "./candidate-names.ts";
import { localNameOf, type ToolIdentity } from "./name-table.ts";
import { evvaNaming, nexoNaming, hostsideNaming, verbatimNaming } from "./naming-strategy.ts";

const slash = { serverId: "repo", toolName: "issues/get" };
const dot = { serverId: "repo", toolName: "issues.get" };

describe("assignNames()", () => {
  it.each<[string, unknown, unknown]>([
    ['has no option "reserved"; known are strategy, ', [], { reserved: ["pay"] }],
    ["takes its options as an object, not a Map", [], new Map()],
  ])("throws a TypeError: %s", (message, tools, options) => {
    // What a caller without types hands over.
    const assign = (): unknown => assignNames(tools as never, options as never);
    expect(assign).toThrow(TypeError);
    expect(assign).toThrow(message);
  });

  it("gives mcp_<server>_<tool> by default", () => {
    expect(localNameOf(assignNames([slash]).names, slash)).toBe("mcp_repo_issues_get");
  });

  it("accepts any iterable, once, and a pair given twice counts once", () => {
    function* tools(): Generator<ToolIdentity> {
      yield slash;
      yield { ...slash };
    }
    const { names, collisions } = assignNames(tools());
    expect(allNames(names)).toEqual(["mcp_repo_issues_get"]);
    expect(collisions).toEqual([]);
  });

  it("hashes all members of a colliding set and tells the collision", () => {
    const { names, collisions } = assignNames([slash, dot]);
    expect(localNameOf(names, slash)).toBe("mcp_repo_issues_get_88be3b83");
    expect(localNameOf(names, dot)).toBe("mcp_repo_issues_get_4eca0f6b");
    expect(collisions).toEqual([{ name: "mcp_repo_issues_get", members: [dot, slash] }]);
  });

  it("keeps a name that was given; only the newcomer is hashed, and the owner is told", () => {
    const { names: previous } = assignNames([slash]);
    const { names, collisions } = assignNames([dot, slash], { previous });
    expect(localNameOf(names, slash)).toBe("mcp_repo_issues_get");
    expect(localNameOf(names, dot)).toBe("mcp_repo_issues_get_4eca0f6b");
    expect(collisions).toEqual([{ name: "mcp_repo_issues_get", members: [dot, slash] }]);
  });

  it("leaves names that start like those of another known server to that one, and tells so", () => {
    const short = { serverId: "github", toolName: "prod_list" };
    const long = { serverId: "github_prod", toolName: "list" };
    const serverIds = new Set(["github", "github_prod"]);
    const first = assignNames([short], { serverIds });
    expect(localNameOf(first.names, short)).toMatch(/^mcp_github_prod_list_[0-9a-f]{8}$/);
    expect(first.collisions).toEqual([{ name: "mcp_github_prod_list", members: [short], reservedFor: "github_prod" }]);
    const second = assignNames([long], { serverIds, previous: first.names });
    expect(localNameOf(second.names, long)).toBe("mcp_github_prod_list");
    expect(second.collisions).toEqual([]);
  });

  it("keeps the name of a tool that is gone for its return", () => {
    const { names: before } = assignNames([slash]);
    const { names: meanwhile } = assignNames([dot], { previous: before });
    const { names: after } = assignNames([slash, dot], { previous: meanwhile });
    expect(localNameOf(after, slash)).toBe("mcp_repo_issues_get");
    expect(after).toBe(meanwhile);
  });

  it("never changes the table it was given", () => {
    const { names: previous } = assignNames([slash]);
    assignNames([dot, { serverId: "other", toolName: "x" }], { previous });
    expect(previous).toEqual(assignNames([slash]).names);
  });

  it("ignores what else an identity carries", () => {
    const origin = { ...slash, qualifiedName: "mcp::repo::issues/get" };
    expect(assignNames([origin]).names).toEqual(assignNames([slash]).names);
  });

  it("treats names that differ in ASCII case only as one name", () => {
    const tools = ["Read", "read"].map((toolName) => ({ serverId: "s", toolName }));
    const { names, collisions } = assignNames(tools, { strategy: evvaNaming });
    expect(allNames(names).every((name) => /^mcp__s__read_[0-9a-f]{8}$/.test(name))).toBe(true);
    expect(collisions).toEqual([{ name: "mcp__s__read", members: tools }]);
  });

  it("ends although a server lists the hashed names of its victim in advance", () => {
    const victim = { serverId: "good", toolName: "search" };
    const hashes = Array.from({ length: 50 }, (_, index) => `search_${hashIdentity(victim, index + 1, 8)}`);
    const hostile = ["search", ...hashes].map((toolName) => ({ serverId: "evil", toolName }));
    const { names } = assignNames([victim, ...hostile], { strategy: verbatimNaming });
    expect(localNameOf(names, victim)).toBe(`search_${hashIdentity(victim, 51, 8)}`);
  });

  it("parts tools whose short hashes meet", () => {
    const tools = Array.from({ length: 20_000 }, (_, index) => ({
      serverId: "s",
      toolName: `${"x".repeat(80)}${index}`,
    }));
    const { names, collisions } = assignNames(tools, { strategy: nexoNaming });
    expect(collisions.length).toBeGreaterThan(0);
    expect(allNames(names).length).toBe(tools.length);
  });

  it("uses a hash alone where the strategy's sanitize gives nothing legal", () => {
    const strategy = { ...hostsideNaming, sanitize: (part: string) => part };
    const { names } = assignNames([{ serverId: "S", toolName: "!" }], { strategy });
    expect(allNames(names)).toEqual([`mcp_${hashIdentity({ serverId: "S", toolName: "!" }, 1, 8)}`]);
  });

  it("cuts between characters, never inside a surrogate pair", () => {
    const strategy = { ...hostsideNaming, sanitize: (part: string) => part, legal: /^[^]+$/ };
    const tools = ["a", "ab"].map((start) => ({ serverId: "s", toolName: `${start}${"😀".repeat(40)}` }));
    for (const localName of allNames(assignNames(tools, { strategy }).names)) {
      expect(localName.isWellFormed()).toBe(true);
      expect(localName.length).toBeGreaterThan(62);
    }
  });

  it("drops the names of tools that are gone when a server passes maxNamesPerServer", () => {
    const listing = (from: number, serverId = "noisy"): readonly ToolIdentity[] =>
      Array.from({ length: 3 }, (_, index) => ({ serverId, toolName: `tool-${from + index}` }));
    let { names } = assignNames([...listing(0), ...listing(0, "quiet")], { maxNamesPerServer: 6 });
    ({ names } = assignNames([...listing(3), ...listing(1, "quiet")], { previous: names, maxNamesPerServer: 6 }));
    expect(names.servers.get("noisy")?.size).toBe(6);
    ({ names } = assignNames([...listing(6), ...listing(0, "quiet")], { previous: names, maxNamesPerServer: 6 }));
    expect([...(names.servers.get("noisy")?.keys() ?? [])]).toEqual(["tool-6", "tool-7", "tool-8"]);
    expect(names.servers.get("quiet")?.size).toBe(4);
    expect(allNames(names).length).toBe(7);
  });

  it("keeps what a server offers now, also beyond maxNamesPerServer", () => {
    const tools = [slash, dot, { serverId: "repo", toolName: "x" }];
    expect(allNames(assignNames(tools, { maxNamesPerServer: 1 }).names).length).toBe(3);
  });

  it("throws a TypeError for a strategy that breaks a rule", () => {
    expect(() => assignNames([], { strategy: { ...hostsideNaming, maxLength: 8 } })).toThrow(TypeError);
  });

  it("does the same work for each of many tools, also when all collide or all are too long", () => {
    const namings = [
      (index: number) => `tool_${index}`,
      (index: number) => `tool_${index >> 1}${index % 2 === 0 ? "." : "-"}get`,
      (index: number) => `${"long".repeat(30)}${index}`,
    ];
    for (const nameOf of namings) {
      let sanitized = 0;
      const sanitize = (part: string): string => {
        sanitized += 1;
        return hostsideNaming.sanitize(part);
      };
      const tools = Array.from({ length: 4096 }, (_, at) => ({ serverId: `server-${at >> 8}`, toolName: nameOf(at) }));
      const { names } = assignNames(tools, { strategy: { ...hostsideNaming, sanitize } });
      expect(allNames(names).length).toBe(tools.length);
      expect(sanitized).toBeLessThan(tools.length * 1.1);
    }
  });

  it("does no work per letter when nothing is new", () => {
    let sanitized = 0;
    const strategy = {
      ...hostsideNaming,
      sanitize: (part: string) => {
        sanitized += 1;
        return hostsideNaming.sanitize(part);
      },
    };
    const tools = Array.from({ length: 1000 }, (_, index) => ({ serverId: "s", toolName: `tool-${index}` }));
    const { names } = assignNames(tools, { strategy });
    expect(sanitized).toBeLessThan(1010);
    sanitized = 0;
    assignNames(tools, { strategy, previous: names });
    expect(sanitized).toBe(0);
    assignNames([...tools, slash], { strategy, previous: names });
    expect(sanitized).toBeLessThan(10);
  });
});
