import type { AdmissionServer, ToolDefinition } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { readOffer, type ServeOffer } from "../../src/cli/serving/serve-offer.ts";

const ids = ["files", "github", "team"];
const server = (id: string, scope = "user"): AdmissionServer => ({ id, labels: { scope } });
const tool = (serverId: string, toolName: string, effect?: ToolDefinition["effect"]): ToolDefinition => ({
  name: `mcp_${serverId}_${toolName}`,
  description: "",
  inputSchema: { type: "object" },
  origin: { serverId, toolName, qualifiedName: `mcp::${serverId}::${toolName}` },
  ...(effect !== undefined && { effect }),
});
/** What of these is offered; `team` is the project's. */
const offered = ({ admit }: ServeOffer): readonly string[] =>
  [tool("files", "read", "pure"), tool("files", "write"), tool("github", "list", "pure"), tool("team", "act")]
    .filter(
      (one) =>
        admit(one, server(one.origin?.serverId ?? "", one.origin?.serverId === "team" ? "project" : "user")) ===
        "offer",
    )
    .map(({ origin }) => `${origin?.serverId}/${origin?.toolName}`);
const read = (flags: Parameters<typeof readOffer>[0], settings: Parameters<typeof readOffer>[1] = {}) =>
  readOffer(flags, settings, ids);

describe("what is offered", () => {
  it("is nothing where nobody has said what: serve does not start", () => {
    expect(() => read({})).toThrow("nothing is offered");
    expect(() => read({}, { serve: { readOnly: true } })).toThrow("nothing is offered");
  });

  it("is all of it where the command line says how, and no file says more", () => {
    const offer = read({ expose: "search" });
    expect(offer).toMatchObject({ expose: "search", readOnly: false, unknown: [] });
    expect(offered(offer)).toEqual(["files/read", "files/write", "github/list", "team/act"]);
  });

  it("is what the user's list names, whatever the command line says", () => {
    const serve = { tools: ["files/re*", "github"] };
    expect(offered(read({}, { serve }))).toEqual(["files/read", "github/list"]);
    expect(read({}, { serve }).expose).toBe("all");
    expect(offered(read({ expose: "all" }, { serve }))).toEqual(["files/read", "github/list"]);
  });

  it("is none of an empty list", () => {
    const offer = read({ expose: "all" }, { serve: { tools: [] } });
    expect([offered(offer), ids.filter((id) => offer.hasServer(id, "user"))]).toEqual([[], []]);
  });

  it("is what the project's block says in place of the user's, and no more of the user's own servers", () => {
    const serve = { expose: "all", tools: ["files/read"] } as const;
    const projectServe = { expose: "search", tools: ["files/*", "github", "team"] } as const;
    const offer = read({}, { serve, projectServe });
    expect(offer.expose).toBe("search");
    expect(offered(offer)).toEqual(["files/read", "team/act"]);
    expect(offered(read({}, { serve, projectServe: { tools: ["github"] } }))).toEqual([]);
    // Who has said nothing has offered nothing; who said so when it was started, all.
    expect(offered(read({}, { projectServe }))).toEqual(["team/act"]);
    expect(offered(read({ expose: "all" }, { projectServe }))).toHaveLength(4);
  });

  it("is what changes nothing, wherever that was said", () => {
    const all = { expose: "all" } as const;
    const readOnly = [
      read({ ...all, readOnly: true }),
      read(all, { serve: { readOnly: true } }),
      read(all, { serve: { expose: "all", readOnly: true }, projectServe: { ...all, readOnly: false } }),
      read(all, { projectServe: { readOnly: true } }),
    ];
    expect(readOnly.map(offered)).toEqual(readOnly.map(() => ["files/read", "github/list"]));
    expect(readOnly.map(({ admit }) => admit(tool("", "sign_in", "external"), undefined))).toEqual(
      readOnly.map(() => "hide"),
    );
  });

  it("names entries that mean no server, and refuses those that make no sense", () => {
    expect(read({}, { serve: { tools: ["files", "gihub/list", "*/read", "git*"] } }).unknown).toEqual(["gihub/list"]);
    expect(() => read({}, { serve: { tools: ["files/"] } })).toThrow("makes no sense");
  });

  it("is what is no tool, of servers that are offered whole", () => {
    const { hasServer } = read({}, { serve: { tools: ["files/read", "github/*", "te*"] } });
    expect(ids.map((id) => hasServer(id, "user"))).toEqual([false, true, true]);
  });

  it("needs the servers of which anything is offered, and no others", () => {
    const used = ({ usesServer }: ServeOffer) => ids.filter((id) => usesServer(id, id === "team" ? "project" : "user"));
    expect(used(read({ expose: "all" }))).toEqual(ids);
    expect(used(read({}, { serve: { tools: ["files/read", "te*"] } }))).toEqual(["files", "team"]);
    expect(used(read({}, { projectServe: { tools: ["files", "team/act"] } }))).toEqual(["team"]);
    expect(used(read({ expose: "all" }, { serve: { tools: [] } }))).toEqual([]);
  });

  it("asks and masks wherever that was said", () => {
    const all = { expose: "all" } as const;
    expect(read(all)).toMatchObject({ requireApproval: false, redact: false });
    expect(read({ ...all, requireApproval: true }, { serve: { redact: true } })).toMatchObject({
      requireApproval: true,
      redact: true,
    });
    expect(
      read(all, { serve: { requireApproval: true }, projectServe: { ...all, requireApproval: false } }),
    ).toMatchObject({ requireApproval: true });
  });
});
