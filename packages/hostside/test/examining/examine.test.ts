import { readConfig } from "@hostside/config";
import type { ServerSpec } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { secretsIn } from "../../src/cli/configuring/find-secrets.ts";
import { examineMachine } from "../../src/cli/examining/examine-machine.ts";
import { examineProgram } from "../../src/cli/examining/examine-program.ts";
import { examineAllTools, examineTools } from "../../src/cli/examining/examine-tools.ts";
import { findProgram, type FileLookup } from "../../src/cli/examining/find-program.ts";

/** Files by their path: `"x"` a program, `"-"` a file, `"/"` a folder. */
function filesOf(tree: Readonly<Record<string, "x" | "-" | "/">>): FileLookup {
  return {
    kindOf: async (path) => (tree[path] === undefined ? "missing" : tree[path] === "/" ? "directory" : "file"),
    canExecute: async (path) => tree[path] === "x",
    canRead: async (path) => tree[path] !== undefined,
  };
}

describe("findProgram()", () => {
  const linux = { platform: "linux", cwd: "/srv/shop", env: { PATH: "/a::/b:bin" } };
  it.each<[string, Parameters<typeof filesOf>[0], object]>([
    ["npx", { "/b/npx": "x" }, { path: "/b/npx" }],
    ["npx", { "/a/npx": "-", "/b/npx": "x" }, { path: "/b/npx" }],
    ["npx", { "/a/npx": "-" }, { trouble: "not-executable", blocked: "/a/npx" }],
    ["npx", { "/srv/shop/bin/npx": "x" }, { path: "/srv/shop/bin/npx" }],
    ["npx", {}, { trouble: "missing" }],
    ["./run", { "/srv/shop/run": "x" }, { path: "/srv/shop/run" }],
    ["/opt/run", { "/opt/run": "/" }, { trouble: "directory", blocked: "/opt/run" }],
  ])("%s among %j", async (command, tree, found) => {
    expect(await findProgram(command, { ...linux, files: filesOf(tree) })).toEqual(found);
  });

  it.each<[string, Parameters<typeof filesOf>[0], object]>([
    ["npx", { "C:\\node\\npx.cmd": "-" }, { path: "C:\\node\\npx.cmd" }],
    ["npx.cmd", { "C:\\node\\npx.cmd": "-" }, { path: "C:\\node\\npx.cmd" }],
    [".\\run", { "C:\\work\\run.exe": "-" }, { path: "C:\\work\\run.exe" }],
    ["npx", { "C:\\node\\npx": "-" }, { trouble: "missing" }],
  ])("on Windows: %s among %j", async (command, tree, found) => {
    const env = { Path: 'C:\\sys;"C:\\node"', PATHEXT: ".EXE;.CMD" };
    expect(await findProgram(command, { platform: "win32", cwd: "C:\\work", env, files: filesOf(tree) })).toEqual(
      found,
    );
  });
});

it("examineMachine() tells names of proxies, and no value of them", async () => {
  const env = {
    PATH: "/gone",
    https_proxy: "http://user:secret@proxy",
    NO_PROXY: "",
    NODE_EXTRA_CA_CERTS: "/no-such-ca.pem",
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
  };
  const findings = await examineMachine({ env, cwd: "/", platform: "linux", nodeVersion: "22.0.0" });
  expect(findings).toMatchObject([
    { level: "ok", what: "Node 22.0.0" },
    { level: "ok", what: "npx is not on the PATH" },
    { level: "ok", what: "proxy variables are set: https_proxy" },
    { level: "problem", evidence: ["/no-such-ca.pem"] },
    { level: "problem", mend: { command: "unset NODE_TLS_REJECT_UNAUTHORIZED" } },
  ]);
  expect(JSON.stringify(findings)).not.toContain("secret");
});

describe("examineProgram()", () => {
  const files = filesOf({ "/bin/npx": "x", "/here": "/", "/a b/run": "-", "/a": "/" });
  const place = { platform: "linux", cwd: "/srv/shop", env: { PATH: "/bin" }, files };
  const found = { level: "ok", what: "npx: /bin/npx" };
  it.each<[object, readonly object[]]>([
    [{ command: "npx", args: ["-y", "@x/files@1.2", "/here", "/gone"] }, [found, { evidence: ["/gone"] }]],
    [{ command: "npx", args: ["--token", "/abcdef/secret"] }, [found]],
    [
      { command: "npx", cwd: "sub" },
      [found, { level: "problem", evidence: ["/srv/shop/sub"], mend: { command: "mkdir -p /srv/shop/sub" } }],
    ],
    [{ command: "npx -y @x/files --token abc" }, [{ what: '"npx …": there is no such program' }]],
    [
      { command: "npx", env: { PATH: "/other" } },
      [{ what: "npx: not on the PATH", mend: { text: expect.stringContaining("nodejs.org") } }],
    ],
    [{ command: "npx", inheritEnv: "none" }, [{ level: "problem", what: "npx: not on the PATH" }]],
    [{ command: "uvx" }, [{ mend: { command: "curl -LsSf https://astral.sh/uv/install.sh | sh" } }]],
    [{ command: "constructor" }, [{ mend: { text: expect.stringContaining("absolute path") } }]],
    [{ command: "./run" }, [{ what: "./run: there is no such file" }]],
    [{ command: "/a b/run" }, [{ what: '"/a …": there is no such program' }]],
    [{ command: "/a" }, [{ what: "/a: a folder, not a program" }]],
  ])("%j", async (transport, findings) => {
    const spec = { id: "a", type: "stdio", ...transport } as ServerSpec;
    if (spec.command === undefined) throw new TypeError("stdio");
    expect(await examineProgram(spec, place)).toMatchObject(findings);
  });
});

it("secretsIn() finds what is written down, and no reference", () => {
  const env = { API_TOKEN: "abc123", B_TOKEN: "${B_TOKEN}", D_SECRET: "", MODE: "fast", E_TOKEN: "$E" };
  const args = ["--api-key", "abcdefgh", "--mode", "x", "TOKEN=defghijk", "--secret=${S}"];
  const { servers } = readConfig(
    { mcpServers: { a: { command: "x", env, args }, b: { url: "https://x.dev/mcp?token=ghijklmn&page=2" } } },
    { dialect: "mcp-json" },
  );
  const found = servers.flatMap(({ draft }) => secretsIn(draft));
  expect(found.map(({ shown }) => shown)).toEqual(["env.API_TOKEN", "args --api-key", "args TOKEN", "url ?token"]);
  expect(JSON.stringify(found)).not.toMatch(/abc|def|ghi/);
});

describe("examineTools()", () => {
  const tool = (toolName: string, more: object = {}) => ({
    name: `mcp_files_${toolName}`,
    description: "x",
    inputSchema: { type: "object" },
    origin: { serverId: "files", toolName, qualifiedName: "" },
    ...more,
  });
  const worth = (tools: Parameters<typeof examineTools>[1]) =>
    examineTools("files", tools).filter(({ level }) => level !== "ok");

  it("says of a server without tools what looks into it", () => {
    expect(examineTools("files", [])).toMatchObject([{ mend: { command: "hostside check files" } }]);
  });

  it("names tools with hidden characters", () => {
    expect(worth([tool("plain"), tool("odd", { flags: ["tag", "truncated"] })])).toMatchObject([
      { level: "advice", evidence: ["odd: tag"] },
    ]);
  });

  it("says which API does not take a tool", () => {
    const inputSchema = { type: "array", items: { type: "string" } };
    expect(worth([tool("plain"), tool("list", { inputSchema })]).map(({ what }) => what)).toContainEqual(
      expect.stringMatching(/^1 tool of 2 cannot be offered by /),
    );
  });

  it("names the dearest tools, and adds up those of all servers", () => {
    const large = (name: string) => tool(name, { description: "word ".repeat(9000) });
    const [finding] = worth([tool("small"), large("large")]);
    expect(finding?.evidence).toEqual([expect.stringMatching(/^large: \d+$/), expect.stringMatching(/^small: \d+$/)]);
    const other = { ...large("other"), origin: { serverId: "b", toolName: "other", qualifiedName: "" } };
    expect(examineAllTools([large("large"), other])).toMatchObject([
      { level: "advice", what: expect.stringMatching(/^2 tools of all/) },
    ]);
    expect(examineAllTools([large("large")])).toEqual([]);
  });
});
