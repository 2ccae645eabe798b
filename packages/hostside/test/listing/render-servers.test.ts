import { describe, expect, it } from "vitest";
import { listExitCode, renderServers } from "../../src/cli/listing/list-servers.ts";
import { renderServerTools, renderToolGroups, type ToolBrief } from "../../src/cli/listing/render-tools.ts";
import type { ListedServer, Listing } from "../../src/cli/listing/server-report.ts";
import { widthOf } from "../../src/cli/render/text-width.ts";

const paint = (_: unknown, text: string): string => text;
const view = { columns: 80, paint, cwd: "/srv/shop", home: "/home/me" };
const hostile = "\u001B[2J\u001B]0;owned\u0007\u202Eevil\nsecond line";
const servers: readonly ListedServer[] = [
  {
    id: "files",
    state: "ready",
    era: "modern",
    protocolVersion: "2026-07-28",
    tools: 2,
    connectMs: 310,
    listMs: 30,
    scope: "project",
    file: "/srv/shop/.mcp.json",
    line: 3,
  },
  {
    id: "日本語のとても長いサーバーの名前です、本当に",
    state: "failed",
    tools: 0,
    error: {
      code: "server_exited",
      kind: "execution",
      message: "exited with code 1",
      stderr: ["first", "x".repeat(300)],
    },
    mend: ["doctor", "it's"],
  },
  { id: "brought", state: "disabled", off: "untrusted", tools: 0, mend: ["trust", "brought"], file: "/home/me/x.json" },
  { id: hostile, state: "late", tools: 0 },
];
const tools: readonly ToolBrief[] = [
  {
    name: "mcp_files_read",
    server: "files",
    tool: "read",
    description: "Reads a file. And more.",
    effect: "pure",
    tokens: 70,
  },
  { name: "mcp_files_x", server: "files", tool: hostile, description: hostile, effect: "external", tokens: 1200 },
  {
    name: "results_read",
    server: "",
    tool: "results_read",
    description: "Reads a result.",
    effect: "pure",
    tokens: 30,
  },
];
const listing: Listing = { servers, tools, problems: [] };

describe("servers as lines", () => {
  it("say what is wrong, and what mends it", () => {
    expect(renderServers(listing, { ...view, where: true, common: ["--config", "a b.json"] })).toEqual([
      "✓  files                                ready        2026-07-28  2 tools  340 ms",
      "    project .mcp.json:3",
      "✗  日本語のとても長いサーバーの名前で…  failed",
      "    exited with code 1",
      "    | first",
      `    | ${"x".repeat(73)}…`,
      String.raw`    hostside doctor 'it'\''s' --config 'a b.json'`,
      "!  brought                              not trusted",
      "    ~/x.json",
      "    a project brings it, and nobody has said that it is trusted",
      "    hostside trust brought --config 'a b.json'",
      "!  evil second line                     not ready",
      "1 of 4 servers ready, 2 tools, ~1.3K tokens",
    ]);
  });

  it.each([40, 80, 200])("fit in %i columns, and have nothing that a terminal obeys", (columns) => {
    const narrow = { ...view, columns };
    const lines = [
      ...renderServers({ ...listing, servers: servers.map((server) => ({ ...server, mend: undefined })) }, narrow),
      ...renderToolGroups(listing, narrow),
      ...renderServerTools(tools, narrow),
    ];
    for (const line of lines) expect({ line, fits: widthOf(line) <= columns }).toEqual({ line, fits: true });
    expect(lines.join("\n")).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/u);
  });

  it("name what to do where there are none", () => {
    expect(renderServers({ servers: [], tools: [], problems: [] }, view).join("\n")).toContain("hostside init");
  });
});

describe("tools as lines", () => {
  it("stand below their server, and those of the host apart", () => {
    expect(renderToolGroups(listing, view)).toEqual([
      "",
      "files  2 tools, ~1.3K tokens",
      "  read              Reads a file. And more.",
      "  evil second line  evil second line",
      "",
      "hostside  of this host, not of a server  1 tool, ~30 tokens",
      "  results_read  Reads a result.",
    ]);
  });

  it("of one server have their full name, effect and description", () => {
    expect(renderServerTools(tools.slice(0, 1), view)).toEqual([
      "",
      "mcp_files_read",
      "    pure, ~70 tokens",
      "    Reads a file. And more.",
    ]);
  });
});

describe("the exit code of list", () => {
  const auth = { code: "auth_required", kind: "auth", message: "" };
  it.each([
    [[{ state: "ready" }, { state: "disabled" }], undefined, 0],
    [[{ state: "ready" }, { state: "failed" }], undefined, 1],
    [[{ state: "late" }], undefined, 1],
    [[{ state: "needs-auth" }], undefined, 1],
    [[{ state: "invalid" }], undefined, 1],
    [[{ state: "disabled", off: "untrusted" }], undefined, 0],
    [[{ state: "disabled", off: "untrusted", undecided: true }], undefined, 1],
    [[{ state: "ready" }], "s0", 0],
    [[{ state: "failed" }], "s0", 4],
    [[{ state: "failed", error: auth }], "s0", 5],
    [[{ state: "late" }], "s0", 4],
    [[{ state: "needs-auth" }], "s0", 5],
    [[{ state: "invalid" }], "s0", 2],
    [[{ state: "disabled" }], "s0", 1],
  ] as const)("of %j, asked for %s, is %i", (given, server, code) => {
    const all = given.map((one, at) => ({ id: `s${at}`, tools: 0, ...one }));
    expect(listExitCode({ servers: all, problems: [] }, server)).toBe(code);
  });

  it("is 1 where a file cannot be read, whose servers nobody knows", () => {
    const problem = { path: "", severity: "error", code: "unreadable_file", message: "" } as const;
    expect(listExitCode({ servers: [], problems: [problem] })).toBe(1);
  });
});
