import { readConfig, type DialectName } from "@hostside/config";
import { describe, expect, it } from "vitest";

describe("readConfig() loses nothing in silence", () => {
  it.each([
    ["/p/.cursor/mcp.json", '{"github": {"command": "x"}}', "github", 'put it under "mcpServers"'],
    ["/p/.mcp.json", '{"mcpservers": {"a": {"command": "x"}}}', "mcpservers", 'write "mcpServers"'],
    ["/p/.cursor/mcp.json", '{"mcp": {"mcpServers": {"a": {"command": "x"}}}}', "mcp.mcpServers", 'write "mcpServers"'],
    ["/h/.codex/config.toml", '[mcp-servers.a]\ncommand = "x"', "mcp-servers", 'write "mcp_servers"'],
  ])("says of servers in %s that they are in the wrong place: %s", (...[file, text, path, fix]) => {
    const { servers, problems } = readConfig(text, { file });
    expect(servers).toEqual([]);
    expect(problems).toEqual([expect.objectContaining({ code: "unknown_key", severity: "error", path, fix })]);
  });

  it.each([
    ["argz", "write args"],
    ["ARGS", "write args"],
    ["required", undefined],
    ["timeouts", undefined],
    ["allow", "write includeTools"],
    ["deny", "write excludeTools"],
    ["whatever", undefined],
  ])("says of %s in an entry of mcpServers that it changes nothing", (name, fix) => {
    const { servers, problems } = readConfig(
      { mcpServers: { a: { command: "x", [name]: ["y"] } } },
      { dialect: "mcp-json" },
    );
    expect(servers).toHaveLength(1);
    expect(problems).toMatchObject([
      {
        code: "unknown_key",
        severity: "warning",
        path: `mcpServers.a.${name}`,
        message: expect.stringContaining(name),
      },
    ]);
    expect(problems[0]?.fix).toBe(fix);
  });

  it.each(["_note", "$comment", "//", "#"])("and nothing of the remark %s", (name) => {
    const { problems } = readConfig({ mcpServers: { a: { command: "x", [name]: "y" } } }, { dialect: "mcp-json" });
    expect(problems).toEqual([]);
  });

  it("says which name may be the misspelt command, or URL", () => {
    for (const [name, meant] of [
      ["comand", "command"],
      ["ulr", "url"],
    ] as const) {
      const { problems } = readConfig({ mcpServers: { a: { [name]: "node" } } }, { dialect: "mcp-json" });
      expect(problems).toContainEqual(expect.objectContaining({ code: "unknown_key", fix: `write ${meant}` }));
    }
  });

  it.each([
    ["/h/.codex/config.toml", 'model = "m"\n[tui]\ntheme = "x"'],
    ["/h/.claude.json", '{"numStartups": 1, "projects": {}}'],
    ["/h/Claude/claude_desktop_config.json", '{"preferences": {"a": true}}'],
    ["/h/.gemini/settings.json", '{"theme": "x", "tools": {"allowed": ["x"]}}'],
  ])("and nothing of a file without servers: %s", (file, text) => {
    expect(readConfig(text, { file }).problems).toEqual([]);
  });

  it.each([
    [{ command: "x", headers: { Authorization: "a" } }, "headers"],
    [{ command: "x", type: "stdio", url: "https://a" }, "url"],
    [{ type: "http", url: "https://a", env: { TOKEN: "a" }, args: [], command: "" }, "env"],
    [{ type: "http", url: "https://a", args: ["a"] }, "args"],
  ])("says what %j has for the other transport", (entry, name) => {
    const { servers, problems } = readConfig({ mcpServers: { a: entry } }, { dialect: "claude-code" });
    expect(servers).toHaveLength(1);
    expect(problems).toEqual([
      expect.objectContaining({ code: "conflicting_fields", severity: "warning", path: `mcpServers.a.${name}` }),
    ]);
  });

  it.each<[DialectName, object, string]>([
    ["cursor", { disabled: true }, "disabled"],
    ["claude-desktop", { enabled: false }, "enabled"],
    ["cline", { Disabled: true }, "Disabled"],
  ])("leaves off, and says so, what somebody has off by a word that %s does not read: %j", (dialect, off, name) => {
    const read = (more: object) => readConfig({ mcpServers: { a: { command: "x", ...more } } }, { dialect });
    const { servers, problems } = read(off);
    expect(servers[0]?.draft).toMatchObject({ disabled: true });
    const message = expect.stringMatching(/does not read .*; the server is off here all the same$/);
    expect(problems).toEqual([expect.objectContaining({ severity: "warning", path: `mcpServers.a.${name}`, message })]);
    expect(read({ disabled: false, enabled: true }).servers[0]?.draft["disabled"]).toBeUndefined();
  });

  it("says that a URL beside another one is not used", () => {
    const entry = { httpUrl: "https://a", url: "https://b" };
    const { servers, problems } = readConfig({ mcpServers: { a: entry } }, { dialect: "gemini" });
    expect(servers[0]?.draft).toMatchObject({ url: "https://a" });
    expect(problems).toEqual([expect.objectContaining({ path: "mcpServers.a.url", severity: "warning" })]);
  });

  it.each([
    [{ transport: { type: "stdio", command: "x" }, args: ["--read-only"] }, "args", "unknown_key"],
    [{ transport: { type: "http", url: "https://a" }, headers: { A: "b" } }, "headers", "unknown_key"],
    [{ transport: { type: "http", url: "https://a" }, env: { A: "b" } }, "env", "conflicting_fields"],
  ])("says what %j has beside its transport that belongs in it", (entry, name, code) => {
    const { problems } = readConfig({ mcp: { servers: { a: entry } } }, { dialect: "nexo" });
    expect(problems).toEqual([expect.objectContaining({ path: `mcp.servers.a.${name}`, code })]);
  });

  it.each<[DialectName, object, string]>([
    ["gemini", { mcp: { excluded: "a" } }, "mcp.excluded"],
    ["claude-code", { deniedMcpServers: "a" }, "deniedMcpServers"],
    ["mcporter", { imports: "cursor" }, "imports"],
    ["amazon-q", { allowedTools: "@a" }, "allowedTools"],
  ])("says that a list of %s is none: %j", (dialect, settings, path) => {
    const { problems } = readConfig({ mcpServers: { a: { command: "x" } }, ...settings }, { dialect });
    const message = "must be a list, and is a string";
    expect(problems).toEqual([expect.objectContaining({ code: "wrong_type", severity: "error", path, message })]);
  });

  it("keeps all that Codex says about signing in", () => {
    const entry = { url: "https://a", scopes: ["s"], oauth_resource: "r", oauth: { client_id: "c" } };
    const { servers } = readConfig({ mcp_servers: { a: entry } }, { dialect: "codex" });
    expect(servers[0]?.extras.oauth).toEqual({ clientId: "c", scopes: ["s"], resource: "r" });
  });

  it("says what of Gemini's oauth is not used, and uses none that is switched off", () => {
    const read = (oauth: object) =>
      readConfig({ mcpServers: { a: { httpUrl: "https://a", oauth } } }, { dialect: "gemini" });
    const { servers, problems } = read({ enabled: true, scope: ["s"], tokenUrl: "https://t" });
    expect(servers[0]?.extras.oauth).toEqual({ scopes: ["s"] });
    expect(problems).toEqual([
      expect.objectContaining({ code: "unsupported", path: "mcpServers.a.oauth.tokenUrl", severity: "warning" }),
    ]);
    expect(read({ enabled: false, clientId: "c" }).servers[0]?.draft).not.toHaveProperty("auth");
  });

  it("reads no entry as whole when more of a value is broken than is remembered", () => {
    const broken = Array.from({ length: 1001 }, () => () => {});
    const config = { other: broken, mcpServers: { a: { command: "x", env: { KEY: () => {} } } } };
    expect(readConfig(config, { dialect: "cursor" }).servers).toEqual([]);
  });
});
