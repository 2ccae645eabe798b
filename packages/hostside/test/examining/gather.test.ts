import { readConfig } from "@hostside/config";
import type { ServerSpec } from "@hostside/core";
import { describe, expect, it } from "vitest";
import { lookUpProgram, type FileLookup } from "../../src/cli/examining/gather/find-program.ts";
import { duplicatesOf, plainSecretsIn } from "../../src/cli/examining/gather/gather-config.ts";
import { gatherMachine } from "../../src/cli/examining/gather/gather-machine.ts";
import { gatherProgram } from "../../src/cli/examining/gather/gather-program.ts";
import { shorten } from "../../src/cli/examining/gather/failure-facts.ts";
import { checkToolsPerApi, weighTool } from "../../src/cli/examining/gather/weigh-tools.ts";

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
    expect(await lookUpProgram(command, { ...linux, files: filesOf(tree) })).toEqual(found);
  });

  it.each<[string, Parameters<typeof filesOf>[0], object]>([
    ["npx", { "C:\\node\\npx.cmd": "-" }, { path: "C:\\node\\npx.cmd" }],
    ["npx.cmd", { "C:\\node\\npx.cmd": "-" }, { path: "C:\\node\\npx.cmd" }],
    [".\\run", { "C:\\work\\run.exe": "-" }, { path: "C:\\work\\run.exe" }],
    ["npx", { "C:\\node\\npx": "-" }, { trouble: "missing" }],
  ])("on Windows: %s among %j", async (command, tree, found) => {
    const env = { Path: 'C:\\sys;"C:\\node"', PATHEXT: ".EXE;.CMD" };
    expect(await lookUpProgram(command, { platform: "win32", cwd: "C:\\work", env, files: filesOf(tree) })).toEqual(
      found,
    );
  });
});

it("gatherMachine() tells names of proxies and options, and no value of them", async () => {
  const env = {
    PATH: "/srv/shop/node_modules/.bin:/bin:/gone",
    https_proxy: "http://user:secret@proxy",
    NO_PROXY: "",
    NODE_OPTIONS: "--require=/secret.js --inspect",
    NODE_EXTRA_CA_CERTS: "/ca.pem",
    NODE_TLS_REJECT_UNAUTHORIZED: "0",
  };
  const files = filesOf({ "/bin": "/", "/bin/npx": "x" });
  const facts = await gatherMachine({ env, cwd: "/", platform: "linux", nodeVersion: "22.0.0" }, files);
  expect(facts).toEqual({
    nodeVersion: "22.0.0",
    platform: "linux",
    programs: { npx: "/bin/npx" },
    missingPathFolders: ["/gone"],
    proxyVariables: ["https_proxy"],
    extraCertificates: { file: "/ca.pem", readable: false },
    trustsAnyCertificate: true,
    nodeOptions: ["--require", "--inspect"],
  });
});

describe("gatherProgram()", () => {
  const files = filesOf({ "/bin/npx": "x", "/bin/docker": "x", "/here": "/" });
  const place = { platform: "linux", cwd: "/srv/shop", env: { PATH: "/bin" }, files };
  it.each<[object, object]>([
    [
      { command: "npx", args: ["-y", "@x/files@1.2", "/here", "/gone"] },
      { path: "/bin/npx", npxPackage: "@x/files@1.2", missingFiles: ["/gone"] },
    ],
    [{ command: "npx -y @x/files --token abc" }, { command: "npx …", trouble: "arguments-in-command" }],
    [{ command: "npx", env: { PATH: "/other" } }, { trouble: "missing" }],
    [{ command: "npx", inheritEnv: "none" }, { trouble: "missing" }],
    [{ command: "npx", cwd: "sub" }, { missingCwd: "/srv/shop/sub" }],
    [{ command: "npx", args: ["--token", "/abcdef/secret"] }, { missingFiles: [] }],
    [{ command: "docker", args: ["run", "-i", "x"] }, { leavesContainers: true }],
    [{ command: "docker", args: ["run", "--rm", "x"] }, { leavesContainers: false }],
  ])("%j", async (transport, facts) => {
    const spec = { id: "a", type: "stdio", ...transport } as ServerSpec;
    if (spec.command === undefined) throw new TypeError("stdio");
    expect(await gatherProgram(spec, place)).toMatchObject(facts);
  });
});

it("plainSecretsIn() finds what is written down, no reference, and what is still an example's", () => {
  const env = {
    API_TOKEN: "abc123",
    B_TOKEN: "${B_TOKEN}",
    C_KEY: "<your key>",
    D_SECRET: "",
    MODE: "fast",
    E_TOKEN: "$E",
  };
  const { servers } = readConfig({ mcpServers: { a: { command: "x", env } } }, { dialect: "mcp-json" });
  const [server] = servers;
  if (server === undefined) throw new TypeError("no server");
  expect(plainSecretsIn(server, "mcp.json").map(({ field, placeholder }) => [field, placeholder])).toEqual([
    ["env.API_TOKEN", false],
    ["env.C_KEY", true],
  ]);
});

it("plainSecretsIn() looks into arguments and URLs, too", () => {
  const args = [
    "--api-key",
    "abc",
    "--mode",
    "x",
    "TOKEN=def",
    "--secret=${S}",
    "https://u:pw@x.dev/?page=2&api_key=g",
  ];
  const { servers } = readConfig(
    { mcpServers: { a: { command: "x", args }, b: { url: "https://x.dev/mcp?token=YOUR_TOKEN&page=2" } } },
    { dialect: "mcp-json" },
  );
  const found = servers.flatMap((server) => plainSecretsIn(server, "mcp.json"));
  expect(found.map(({ field, placeholder }) => [field, placeholder])).toEqual([
    ["args --api-key", false],
    ["args TOKEN", false],
    ["args password", false],
    ["args ?api_key", false],
    ["url ?token", true],
  ]);
  expect(JSON.stringify(found)).not.toMatch(/abc|def|pw/);
});

it("duplicatesOf() compares what is started, whatever it is called", () => {
  const stdio = (id: string, env: Record<string, string>): ServerSpec => ({
    id,
    type: "stdio",
    command: "x",
    env,
  });
  expect(duplicatesOf([stdio("a", { K: "1" }), stdio("b", { K: "1" }), stdio("c", { K: "2" })])).toEqual([["a", "b"]]);
});

it("shorten() keeps the first and the last lines, and those that tell the most", () => {
  const text = [
    "a",
    "b",
    ...Array.from({ length: 9 }, (_, n) => `at ${n}`),
    "Error: no such thing",
    "at x",
    "y",
    "\u001B[31mz\u001B[0m",
    "q",
  ].join("\n");
  expect(shorten(text)).toEqual(["a", "b", "…", "Error: no such thing", "…", "y", "z", "q"]);
});

describe("weigh-tools", () => {
  const tool = (name: string, toolName: string, inputSchema: object = { type: "object" }) => ({
    name,
    description: "x",
    inputSchema: inputSchema as never,
    origin: { serverId: "files", toolName, qualifiedName: "" },
  });

  it.each([
    ["mcp_files_read", "read", undefined],
    ["mcp_files_read_1a2b3c", "read", "collision"],
    ["mcp_files_xx_1a2b3c", "x".repeat(70), "too-long"],
  ])("%s", (name, toolName, renamed) => {
    expect(weighTool(tool(name, toolName)).renamed).toBe(renamed);
  });

  it("says of each API what it leaves out and what it rewrites", () => {
    const recursive = { type: "object", properties: { child: { $ref: "#" } } };
    const apis = checkToolsPerApi([tool("mcp_files_plain", "plain"), tool("mcp_files_tree", "tree", recursive)]);
    expect(apis.map(({ api }) => api)).toEqual(["OpenAI", "Anthropic", "Gemini"]);
    expect(apis.flatMap(({ adapted, leftOut }) => [...adapted, ...leftOut]).map(({ tool: name }) => name)).toContain(
      "tree",
    );
  });
});
