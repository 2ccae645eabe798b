import { describe, expect, it } from "vitest";
import { formatProblem, readConfig, type ConfigLayer } from "@hostside/config";
import type { ConfigScope } from "../drafts/configured-server.ts";
import { mergeLayers } from "./merge-layers.ts";

const folder = "/srv/app";

describe("mergeLayers()", () => {
  it("uses the whole of the stronger entry, and nothing of the other one", () => {
    const { servers } = mergeLayers(
      [
        layer("project", { a: { command: "of-project" } }),
        layer("user", { a: { command: "of-user", env: { KEY: "x" }, timeout: 5000 }, b: { command: "b" } }),
      ],
      { isTrusted: () => true },
    );
    expect(servers.map(({ id, scope, draft }) => [id, scope, draft.command])).toEqual([
      ["a", "project", "of-project"],
      ["b", "user", "b"],
    ]);
    expect(servers[0]?.over?.map(({ file }) => file)).toEqual(["/user.json"]);
  });

  it.each([
    ["extension", "user"],
    ["user", "project"],
    ["project", "local"],
    ["local", "command-line"],
  ] as const)("has %s lose to %s, in whatever order they come", (weak, strong) => {
    const layers = [layer(weak, { a: { command: weak } }), layer(strong, { a: { command: strong } })];
    for (const order of [layers, layers.toReversed()]) {
      expect(mergeLayers(order, { isTrusted: () => true }).servers.map(({ scope }) => scope)).toEqual([strong]);
    }
  });

  it("has the later of two files of one scope win", () => {
    const layers = [layer("user", { a: { command: "one" } }), layer("user", { a: { command: "two" } })];
    expect(mergeLayers(layers).servers[0]?.draft).toEqual({ id: "a", type: "stdio", command: "two" });
  });

  it("sorts by name, and has names such as __proto__ and 10", () => {
    const text =
      '{ "mcpServers": { "10": { "command": "a" }, "b": { "command": "b" }, "__proto__": { "command": "c" } } }';
    const result = readConfig(text, { file: "/user.json", dialect: "mcp-json" });
    const { servers } = mergeLayers([{ scope: "user", result }]);
    expect(servers.map(({ id }) => id)).toEqual(["10", "__proto__", "b"]);
  });

  it("never uses an entry of a project that is not trusted in place of a user's", () => {
    const layers = [layer("user", { a: { command: "mine" } }), layer("project", { a: { command: "evil" } })];
    const { servers, problems } = mergeLayers(layers);
    expect(servers.map(({ draft, off }) => [draft.command, off])).toEqual([["mine", undefined]]);
    expect(problems.map(formatProblem)).toEqual([
      "/project.json:1:16: mcpServers.a: is not trusted, and not used in place of /user.json:1:16; trust it, or give it another name",
    ]);
  });

  it("keeps what nobody trusts in its place, turned off", () => {
    const { servers } = mergeLayers([layer("project", { a: { command: "evil" } })]);
    expect(servers.map(({ id, off, projectFolder }) => [id, off, projectFolder])).toEqual([["a", "untrusted", folder]]);
  });

  it("does not let an entry of a project that is not trusted turn a user's server off", () => {
    const layers = [
      layer("user", { a: { command: "mine" } }),
      layer("project", { a: { command: "x", disabled: true } }),
    ];
    expect(mergeLayers(layers).servers.map(({ off }) => off)).toEqual([undefined]);
    expect(mergeLayers(layers, { isTrusted: () => true }).servers.map(({ off }) => off)).toEqual(["disabled"]);
  });

  it("does not let a file of a project say that its servers are the user's", () => {
    const result = readConfig({ mcpServers: { a: { command: "evil" } } }, { file: "/srv/app/.claude.json" });
    expect(result.servers[0]?.scope).toBe("user");
    const { servers } = mergeLayers([{ scope: "project", result, projectFolder: folder }]);
    expect(servers.map(({ scope, off }) => [scope, off])).toEqual([["project", "untrusted"]]);
  });

  it("keeps disabled entries in their place", () => {
    const { servers } = mergeLayers([layer("user", { a: { command: "x", disabled: true }, b: { command: "y" } })]);
    expect(servers.map(({ id, off }) => [id, off])).toEqual([
      ["a", "disabled"],
      ["b", undefined],
    ]);
  });

  it("reports names that are the same after normalisation, with both places", () => {
    const layers = [
      layer("user", { "GitHub.com": { command: "a" } }),
      layer("local", { github_com: { command: "b" } }),
    ];
    const { servers, problems } = mergeLayers(layers);
    expect(servers).toHaveLength(2);
    expect(problems.map(({ code }) => code)).toEqual(["ids_alike"]);
    expect(problems.map(formatProblem)).toEqual([
      '/local.json:1:16: mcpServers.github_com: "github_com" and "GitHub.com" in /user.json:1:16 are the same after normalisation; give one of them another name',
    ]);
  });

  it("has a user's file win over an extension's of the same full name", () => {
    const text = "mcp: { servers: { files: { transport: { type: stdio, command: ./server } } } }";
    const result = readConfig(text, { dialect: "nexo", file: "/ext/notes/mcp.yaml", extensionId: "notes" });
    const own = layer("user", { "notes.files": { command: "mine" } });
    const { servers } = mergeLayers([own, { scope: "extension", result }]);
    expect(servers.map(({ id, scope }) => [id, scope])).toEqual([["notes.files", "user"]]);
  });

  it("turns off what a list of names does not allow, and lets lists only narrow", () => {
    const servers = { a: program("a"), b: program("b"), c: program("c") };
    const own = { scope: "user", result: readConfig({ servers, settings: { allowServers: ["a", "b"] } }) } as const;
    const settings = {
      allowServers: ["a", "b", "c"],
      denyServers: ["b"],
      passContext: true,
      strictRootPaths: true,
    };
    const result = readConfig({ servers: { d: program("d") }, settings }, { file: "/p.json" });
    const layers = [own, { scope: "project", result, file: "/p.json", projectFolder: folder }] as const;
    const untrusted = mergeLayers(layers);
    expect(untrusted.servers.map(({ id, off }) => [id, off])).toEqual([
      ["a", undefined],
      ["b", undefined],
      ["c", "not allowed"],
      ["d", "not allowed"],
    ]);
    expect(untrusted.settings).toEqual({ allowServers: ["a", "b"] });
    expect(untrusted.problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      "untrusted_setting settings of a project's file wait for somebody to trust them: allowServers, denyServers, strictRootPaths",
    ]);
    expect(mergeLayers(layers, { settingsAnswer: () => "refuse" }).problems).toMatchObject([
      {
        message: "settings of a project's file were refused: allowServers, denyServers, strictRootPaths",
        fix: expect.stringContaining('hostside trust "(settings)"'),
      },
    ]);
    const merged = mergeLayers(layers, { settingsAnswer: () => "trust" });
    expect(merged.servers.map(({ id, off }) => [id, off])).toEqual([
      ["a", undefined],
      ["b", "not allowed"],
      ["c", "not allowed"],
      ["d", "not allowed"],
    ]);
    expect(merged.settings).toEqual({ allowServers: ["a", "b"], denyServers: ["b"], strictRootPaths: true });
    expect(merged.problems.map(({ code, message }) => `${code} ${message}`)).toEqual([
      "untrusted_setting settings of a project's file are not used: passContext",
    ]);
  });

  it("keeps what a project says about serving apart from what its user says", () => {
    const own = {
      scope: "user",
      result: readConfig({ serve: { expose: "all", tools: ["a"] } }, { dialect: "hostside" }),
    } as const;
    const result = readConfig({ serve: { tools: ["b"] } }, { dialect: "hostside", file: "/p.json" });
    const layers = [own, { scope: "project", result, file: "/p.json", projectFolder: folder }] as const;
    expect(mergeLayers(layers).settings).toEqual({ serve: { expose: "all", tools: ["a"] } });
    const merged = mergeLayers(layers, { settingsAnswer: (one) => (one === folder ? "trust" : undefined) });
    expect(merged.settings).toEqual({ serve: { expose: "all", tools: ["a"] }, projectServe: { tools: ["b"] } });
    expect(merged.problems).toEqual([]);
  });

  it("offers nothing by a block about serving that cannot be read", () => {
    const wrong = [{ expose: "some" }, { tools: "files" }, { tools: ["files", 1] }, "all", { tool: ["files"] }];
    expect(wrong.map((serve) => readConfig({ serve }, { dialect: "hostside" }).settings.serve)).toEqual(
      wrong.map(() => ({ tools: [] })),
    );
  });
});

function layer(scope: ConfigScope, mcpServers: object): ConfigLayer {
  const file = `/${scope}.json`;
  const result = readConfig(JSON.stringify({ mcpServers }), { file, dialect: "mcp-json" });
  return { scope, result, file, ...(scope === "project" ? { projectFolder: folder } : {}) };
}

function program(command: string): object {
  return { command };
}
