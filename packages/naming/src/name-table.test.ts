import { describe, expect, it } from "vitest";
import { assignNames } from "./assign-names.ts";
import { emptyNames, NameDraft, identityOf, localNameOf, withoutServer } from "./name-table.ts";
import { evvaNaming } from "./naming-strategy.ts";

const tools = [
  { serverId: "files", toolName: "Read" },
  { serverId: "files", toolName: "write" },
  { serverId: "memory", toolName: "Read" },
  { serverId: "__proto__", toolName: "constructor" },
];
const { names } = assignNames(tools, { strategy: evvaNaming });

describe("localNameOf()", () => {
  it("finds the name of a pair, byte for byte", () => {
    expect(localNameOf(names, { serverId: "files", toolName: "Read" })).toBe("mcp__files__Read");
    expect(localNameOf(names, { serverId: "files", toolName: "read" })).toBeUndefined();
    expect(localNameOf(names, { serverId: "__proto__", toolName: "constructor" })).toBe("mcp____proto____constructor");
    expect(localNameOf(names, { serverId: "__proto__", toolName: "toString" })).toBeUndefined();
  });
});

describe("identityOf()", () => {
  it("finds the pair of a name regardless of ASCII case", () => {
    expect(identityOf(names, "MCP__Files__READ")).toEqual({ serverId: "files", toolName: "Read" });
    expect(identityOf(names, "mcp__files__nothing")).toBeUndefined();
    expect(identityOf(names, "__proto__")).toBeUndefined();
  });

  it("ignores no other case: the Kelvin sign is no k", () => {
    const { names } = assignNames([{ serverId: "s", toolName: "k" }]);
    expect(identityOf(names, "mcp_s_K")).toBeDefined();
    expect(identityOf(names, "mcp_s_\u212A")).toBeUndefined();
  });
});

describe("withoutServer()", () => {
  it("frees the names of one server and leaves the others, and the given table, as they are", () => {
    const without = withoutServer(names, "files");
    expect(localNameOf(without, { serverId: "files", toolName: "Read" })).toBeUndefined();
    expect(identityOf(without, "mcp__files__Read")).toBeUndefined();
    expect(without.servers.has("files")).toBe(false);
    expect(localNameOf(without, { serverId: "memory", toolName: "Read" })).toBe("mcp__memory__Read");
    expect(identityOf(names, "mcp__files__Read")).toBeDefined();
  });

  it("returns the same table for a server that has no names", () => {
    expect(withoutServer(names, "other")).toBe(names);
  });
});

describe("new NameDraft()", () => {
  it("copies only the server that it changes", () => {
    const draft = new NameDraft(names);
    draft.give({ serverId: "files", toolName: "list" }, "mcp__files__list");
    const extended = draft.finish();
    expect(extended.servers.get("memory")).toBe(names.servers.get("memory"));
    expect(names.servers.get("files")?.has("list")).toBe(false);
    expect(emptyNames.servers.size).toBe(0);
  });
});
