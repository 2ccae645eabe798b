import { detectDialect, dialectNames, parseConfig, readConfig, type DialectName } from "@hostside/config";
import { describe, expect, it } from "vitest";

/** The problems of an object, as `path: message`. */
function said(config: object | string, dialect: DialectName): readonly string[] {
  return readConfig(config, { dialect }).problems.map(({ path, message }) =>
    path === "" ? message : `${path}: ${message}`,
  );
}

function ids(config: object | string, dialect: DialectName): readonly string[] {
  return readConfig(config, { dialect }).servers.map(({ id }) => id);
}

describe("readConfig() as evva does it", () => {
  const http = { type: "http", url: "https://a.example.com" };

  it.each([
    [{ type: "stdio" }, "mcpServers.n: stdio requires command"],
    [{ type: "http" }, "mcpServers.n: http requires url"],
    [{ type: "x", command: "c" }, 'mcpServers.n.type: unknown type "x" (want "stdio" or "http")'],
    [{ ...http, timeout: 601 }, "mcpServers.n.timeout: timeout 601 out of range [1,600]"],
    [{ ...http, timeout: -1 }, "mcpServers.n.timeout: timeout -1 out of range [1,600]"],
  ])("%j is %j, and the rest of the file loads", (entry, text) => {
    const config = { mcpServers: { n: entry, other: http } };
    expect(said(config, "evva")).toEqual([text]);
    expect(ids(config, "evva")).toContain("other");
  });

  it("uses nothing of a file that is no JSON, and says where", () => {
    const text = '{"mcpServers": {"a": {"command": "x"}, "b": {"comm';
    const { servers, problems } = readConfig(text, { dialect: "evva", file: "settings.json" });
    expect(servers).toEqual([]);
    expect(problems.map(({ code, severity, line }) => [code, severity, line])).toEqual([
      ["invalid_syntax", "error", 1],
    ]);
  });

  it.each([
    [{ type: " StdIO ", command: "c" }, "stdio"],
    [{ command: "c" }, "stdio"],
    [{ url: "https://a" }, "http"],
    [{ command: "c", url: "https://a" }, "stdio"],
    [{ type: "HTTP", url: "https://a" }, "http"],
  ])("%j is %s", (entry, kind) => {
    expect(readConfig({ mcpServers: { a: entry } }, { dialect: "evva" }).servers[0]?.draft.type).toBe(kind);
  });

  it.each([
    [undefined, 30_000],
    [0, 30_000],
    [1, 1000],
    [600, 600_000],
    [601, 30_000],
    [1.5, 30_000],
  ])("a timeout of %j seconds is a connect time of %d ms", (timeout, ms) => {
    const { servers } = readConfig({ mcpServers: { a: { ...http, timeout } } }, { dialect: "evva" });
    expect(servers[0]?.draft.timeouts).toEqual({ connectMs: ms });
  });

  it("switches off, and ignores what it does not know", () => {
    const config = { mcpServers: { b: { ...http, disabled: true, alwaysAllowThis: 1 }, a: http, "10": http } };
    const { servers, problems } = readConfig(config, { dialect: "evva" });
    expect(servers.map(({ id, draft }) => [id, draft.disabled])).toEqual([
      ["10", undefined],
      ["b", true],
      ["a", undefined],
    ]);
    expect(problems).toEqual([]);
  });

  it.each([
    [{ command: "docker", args: ["run", "-i", "x"] }, true],
    [{ command: "/usr/bin/podman", args: ["run", "x"] }, true],
    [{ command: "C:\\bin\\nerdctl.exe", args: ["run", "x"] }, true],
    [{ command: "docker", args: ["run", "--rm", "x"] }, false],
    [{ command: "docker", args: ["run", "--rm=true", "x"] }, false],
    [{ command: "docker", args: ["exec", "x"] }, false],
    [{ command: "mydocker", args: ["run", "x"] }, false],
  ])("%j is advised to use --rm: %j", (entry, advised) => {
    const { servers, problems } = readConfig({ mcpServers: { a: entry } }, { dialect: "evva" });
    expect(servers).toHaveLength(1);
    expect(problems.some(({ message }) => message.includes("--rm"))).toBe(advised);
  });
});

describe("readConfig() as nexo does it", () => {
  const transport = { type: "stdio", command: "x" };

  it.each([
    [{ mcp: { servers: {}, session_tll: "1m" } }, "mcp.session_tll"],
    [{ mcp: { servers: {}, watch: { debounce: 1 } } }, "mcp.watch.debounce"],
    [{ mcp: { servers: { a: { transport, argz: [] } } } }, "mcp.servers.a.argz"],
    [{ mcp: { servers: { a: { transport: { ...transport, argz: [] } } } } }, "mcp.servers.a.transport.argz"],
    [{ mcp: { servers: { a: { transport, command: "y" } } } }, "mcp.servers.a.command"],
  ])("refuses %j for a name that it does not know", (config, path) => {
    const { servers, problems } = readConfig(config, { dialect: "nexo" });
    expect(servers).toEqual([]);
    expect(problems).toEqual([expect.objectContaining({ path, code: "unknown_key", severity: "error" })]);
  });

  it("is enabled unless it says no, and then nothing of it starts", () => {
    const read = (enabled?: boolean) =>
      readConfig({ mcp: { enabled, servers: { a: { transport } } } }, { dialect: "nexo" });
    expect([read().settings.enabled, read().servers[0]?.draft.disabled]).toEqual([undefined, undefined]);
    expect([read(false).settings.enabled, read(false).servers[0]?.draft.disabled]).toEqual([false, true]);
  });

  it("begins the names of the servers of an extension with its id", () => {
    const { servers } = readConfig({ mcp: { servers: { a: { transport } } } }, { dialect: "nexo", extensionId: "ext" });
    expect(servers.map(({ id }) => id)).toEqual(["ext.a"]);
  });

  it("has whether servers get the context, and for each server", () => {
    const config = {
      mcp: {
        context: { passthrough: true },
        servers: { a: { transport, context: { passthrough: false } }, b: { transport } },
      },
    };
    const { settings, servers } = readConfig(config, { dialect: "nexo" });
    expect([settings.passContext, ...servers.map(({ extras }) => extras.passContext)]).toEqual([
      true,
      false,
      undefined,
    ]);
  });
});

describe("readConfig() as adk does it", () => {
  const read = (entry: object) => readConfig({ toolsets: { a: entry } }, { dialect: "adk" });

  it("gives a call 30 seconds over stdio and 60 over HTTP", () => {
    expect(read({ stdio: { command: "x" } }).servers[0]?.draft.timeouts).toEqual({ callMs: 30_000 });
    expect(read({ http: { url: "https://a" } }).servers[0]?.draft.timeouts).toEqual({ callMs: 60_000 });
  });

  it.each([
    [{ stdio: { command: "" } }, "toolsets.a.stdio: MCP stdio command must not be empty"],
    [{ http: { url: "" } }, "toolsets.a.http: MCP HTTP url must not be empty"],
  ])("refuses %j", (entry, text) => {
    expect(said({ toolsets: { a: entry } }, "adk")).toEqual([text]);
    expect(read(entry).servers).toEqual([]);
  });
});

describe("readConfig() of ids", () => {
  const entry = { command: "x" };

  it("keeps them byte for byte", () => {
    const text =
      '{"mcpServers": {"10": {"command": "x"}, "__proto__": {"command": "x"}, "a b/c.d": {"command": "x"}, "2": {"command": "x"}}}';
    expect(ids(text, "cursor")).toEqual(["10", "__proto__", "a b/c.d", "2"]);
  });

  it.each([
    ["", '"server"'],
    [" ", '"server"'],
    ["a\u202Eb", '"ab"'],
    ["x".repeat(129), `"${"x".repeat(128)}"`],
  ])("refuses %j, and says what would do", (id, suggestion) => {
    const { servers, problems } = readConfig({ mcpServers: { [id]: entry } }, { dialect: "cursor" });
    expect(servers).toEqual([]);
    expect(problems[0]).toMatchObject({ code: "invalid_id", fix: `call it ${suggestion}` });
  });

  it("says of a name that is there twice where it is, too", () => {
    const config = {
      mcpServers: [
        { name: "a", command: "x" },
        { name: "a", command: "y" },
      ],
    };
    const { servers } = readConfig(config, { dialect: "continue" });
    expect(servers.map(({ draft }) => draft)).toEqual([expect.objectContaining({ command: "x" })]);
    expect(said(config, "continue")).toEqual([
      'mcpServers[1].name: "a" is the name of the server at mcpServers[0] already',
    ]);
  });

  it("names both places of two that are equal after normalisation", () => {
    const { servers, problems } = readConfig(
      '{"mcpServers": {\n"GitHub-Prod": {"command": "x"},\n"github_prod": {"command": "x"}}}',
      {
        dialect: "cursor",
      },
    );
    expect(servers).toHaveLength(2);
    const message = '"github_prod" and "GitHub-Prod" at mcpServers.GitHub-Prod are the same after normalisation';
    expect(problems).toEqual([expect.objectContaining({ code: "ids_alike", severity: "warning", line: 3, message })]);
  });
});

describe("readConfig() of a client of the host's own", () => {
  const client = { client_id: "c", client_secret: "${SECRET}" };
  it.each<[string, object, DialectName]>([
    [
      "hostside",
      {
        servers: {
          a: {
            url: "https://x.test/mcp",
            auth: "oauth",
            oauth: { clientId: "c", clientSecret: "${SECRET}", flow: "client_credentials" },
          },
        },
      },
      "hostside",
    ],
    [
      "anda",
      [
        {
          id: "a",
          transport: { type: "http", url: "https://x.test/mcp", auth: { ...client, flow: "client_credentials" } },
        },
      ],
      "anda",
    ],
  ])("keeps that the host signs in as itself: %s", (_, file, dialect) => {
    const { servers, problems } = readConfig(file, { dialect });
    expect(problems).toEqual([]);
    expect(servers).toMatchObject([
      { draft: { auth: "oauth" }, extras: { oauth: { flow: "client_credentials", clientId: "c" } } },
    ]);
  });

  it.each([
    ["without a secret", { clientId: "c", flow: "client_credentials" }, "missing_field"],
    ["that is not known", { clientId: "c", flow: "implicit" }, "wrong_type"],
  ])("refuses a flow %s", (_, oauth, code) => {
    const { servers, problems } = readConfig({ servers: { a: { url: "https://x.test/mcp", auth: "oauth", oauth } } });
    expect(servers).toEqual([]);
    expect(problems).toMatchObject([{ severity: "error", code, path: "servers.a.oauth.flow" }]);
  });
});

describe("readConfig() of bad input", () => {
  it.each(["null", "7", '"text"', "true"])("says of %s that it is no object, whatever tool it is of", (text) => {
    for (const file of ["/p/.mcp.json", "/p/.cursor/mcp.json", "/p/hostside.json", "/p/.gemini/settings.json"]) {
      const { servers, problems } = readConfig(text, { file });
      expect(servers).toEqual([]);
      expect(problems.filter(({ severity }) => severity === "error")).toMatchObject([{ line: 1, code: "wrong_type" }]);
    }
  });

  it("reads nothing of half a file", () => {
    const text = '{"mcpServers": {\n"a": {"command": "x"},\n"b": {"command": "y", "args": ["--safe"';
    const { servers, problems } = readConfig(text, { file: "mcp.json" });
    expect(servers).toEqual([]);
    expect(problems.map(({ code, line }) => [code, line])).toEqual([["invalid_syntax", 3]]);
  });

  it.each<[string, DialectName, string]>([
    ['{"mcpServers": {"a": {"command": "x"}}}', "vscode", "a file with mcpServers"],
    ['{"servers": {"a": {"command": "x"}}}', "cursor", "Hostside"],
    ['{"context_servers": {"a": {"command": "x"}}}', "claude-code", "Zed"],
  ])("says of %j, read as %s, what it looks like", (text, dialect, title) => {
    const { servers, problems } = readConfig(text, { dialect });
    expect(servers).toEqual([]);
    expect(problems[0]).toMatchObject({ code: "other_dialect", message: expect.stringContaining(`one of ${title}`) });
  });

  it("says of a file whose place is another tool's that this tool does not read it", () => {
    const { dialect, servers, problems } = readConfig('{"mcpServers": {"a": {"command": "x"}}}', {
      file: ".vscode/mcp.json",
    });
    expect([dialect, servers.length]).toEqual(["mcp-json", 1]);
    const message = "VS Code does not read this file: it is written like one of a file with mcpServers";
    expect(problems).toEqual([expect.objectContaining({ code: "other_dialect", severity: "warning", message })]);
  });

  it("takes a dialect that there is not for a mistake of a programmer", () => {
    expect(() => readConfig("{}", { dialect: "emacs" as DialectName })).toThrow(
      new TypeError('there is no dialect "emacs"'),
    );
  });

  it.each([
    ["{}", "unknown_dialect"],
    ["[]", "unknown_dialect"],
    ["7", "unknown_dialect"],
    ["hello", "invalid_syntax"],
    ["", "empty_file"],
  ])("says of %j that it is %s", (text, code) => {
    expect(readConfig(text).problems[0]).toMatchObject({ code });
  });

  it.each(["claude-code", "gemini", "evva"] as const)(
    "reads comments and trailing commas in files of %s",
    (dialect) => {
      const text = '{"mcpServers": {"a": {"command": "x"},} /* c */}';
      expect(ids(text, dialect)).toEqual(["a"]);
      expect(said(text, dialect)).toEqual([]);
    },
  );

  it("reads a thousand servers, and says that there are more", () => {
    const servers = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`s${index}`, { command: "x" }]));
    const result = readConfig({ mcpServers: servers }, { dialect: "cursor" });
    expect(result.servers).toHaveLength(1000);
    expect(result.problems.map(({ code }) => code)).toEqual(["too_many_entries"]);
  });

  it("reads what is local to a project of .claude.json for that project alone", () => {
    const projects = Object.fromEntries(["", "/p"].map((name) => [name, { mcpServers: { a: { command: "x" } } }]));
    const read = (projectFolder?: string): number =>
      readConfig({ projects }, { dialect: "claude-code", projectFolder }).servers.length;
    expect([read(), read("/q"), read("/p")]).toEqual([0, 0, 1]);
  });

  it("refuses values that are no data", () => {
    const cyclic: Record<string, unknown> = { command: "x" };
    cyclic["env"] = cyclic;
    const config = { mcpServers: { a: cyclic, b: { command: () => {} }, c: { command: "x" } } };
    expect(ids(config, "cursor")).toEqual([]);
    const trap = {
      get mcpServers(): never {
        throw new Error("caught");
      },
    };
    expect(readConfig(trap, { dialect: "cursor" }).problems).toEqual([expect.objectContaining({ code: "wrong_type" })]);
  });
});

describe("detectDialect()", () => {
  const servers = '{"mcpServers": {"a": {"command": "x"}}}';

  it.each<[string, string, DialectName | undefined]>([
    ["/p/.mcp.json", servers, "claude-code"],
    ["C:\\Users\\ada\\.claude.json", servers, "claude-code"],
    ["C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json", servers, "claude-desktop"],
    ["/p/.cursor/mcp.json", servers, "cursor"],
    ["/p/.vscode/mcp.json", '{"servers": {"a": {"command": "x"}}}', "vscode"],
    ["/p/.vscode/mcp.json", servers, "mcp-json"],
    ["C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json", '{"servers": {}}', "vscode"],
    ["/p/mcp.json", '{"servers": {"a": {"command": "x", "sandboxEnabled": true}}}', "vscode"],
    ["/h/.gemini/settings.json", servers, "gemini"],
    ["/h/.evva/settings.json", servers, "evva"],
    ["/p/.roo/mcp.json", servers, "roo"],
    ["/p/anything.json", servers, "mcp-json"],
    ["/p/hostside.json", '{"servers": {}}', "hostside"],
    ["/p/other.json", '{"servers": {"a": {"command": "x", "required": true}}}', "hostside"],
    ["/p/other.json", '{"servers": {"a": {"comand": "x"}}}', "hostside"],
    ["/p/other.json", '{"imports": ["auto"], "servers": {"a": {"command": "x"}}}', "hostside"],
    ["/p/other.json", '{"servers": {"a": {"transport": {"type": "stdio"}}}}', "anda"],
    ["/p/other.json", '{"servers": [{"id": "a", "transport": {"type": "stdio"}}]}', "anda"],
    ["/p/other.json", '{"servers": {"a": {"transport": {"type": "streamable_http"}}}}', "anda"],
    ["/p/other.json", '{"imports": ["auto"], "servers": {}}', "hostside"],
    ["/p/other.json", '{"imports": ["x"], "mcpServers": {}}', "mcp-json"],
    ["/p/other.json", "{}", undefined],
    ["/p/.cursor/mcp.json", "{}", "cursor"],
  ])("%s with %s is %s", (file, text, dialect) => {
    expect(detectDialect(file, parseConfig(text, { format: "json" }).data)).toBe(dialect);
  });

  it("knows all dialects that there are", () => {
    for (const dialect of dialectNames) expect(readConfig({}, { dialect }).dialect).toBe(dialect);
  });
});
