import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createMemoryStore } from "@hostside/core";
import { createTrust } from "@hostside/config";
import { loadConfig } from "@hostside/config/node";
import { describe, expect, it } from "vitest";
import { createFakeHome } from "./fake-home.ts";

const trust = () => createTrust({ store: createMemoryStore(), ask: () => Promise.resolve("trust") });
const server = { command: "./run", args: ["./srv.mjs", "data"] };
const named = { mcpServers: { a: server } };
const yaml = "mcpServers:\n  - { name: a, command: ./run, args: [./srv.mjs, data] }\n";
const nexo = "mcp: { servers: { a: { transport: { type: stdio, command: ./run, args: [./srv.mjs, data] } } } }";

const projectFiles: readonly (readonly [string, unknown])[] = [
  [".mcp.json", named],
  ["mcp.json", named],
  [".cursor/mcp.json", named],
  [".vscode/mcp.json", { servers: { a: { type: "stdio", ...server } } }],
  [".codex/config.toml", '[mcp_servers.a]\ncommand = "./run"\nargs = ["./srv.mjs", "data"]\n'],
  [".gemini/settings.json", named],
  [".roo/mcp.json", named],
  [".zed/settings.json", { context_servers: { a: server } }],
  [".amazonq/mcp.json", named],
  [".continue/mcpServers/a.yaml", yaml],
  [".evva/settings.json", named],
  ["opencode.json", { mcp: { a: { type: "local", command: ["./run", "./srv.mjs", "data"] } } }],
  ["config/mcporter.json", named],
  ["config/mcp.yaml", nexo],
  ["hostside.json", { servers: { a: server } }],
  ["hostside.local.json", { servers: { a: server } }],
];

describe("relative paths of a project's file", () => {
  it.each(projectFiles)("begin at the project's folder, wherever the host runs: %s", async (path, content) => {
    const { place, project, write } = createFakeHome();
    write(`home/code/app/${path}`, content);
    mkdirSync(join(project, "deep", "er"), { recursive: true });
    const cwd = join(project, "deep", "er");
    const { servers } = await loadConfig({ ...place, cwd, trust: trust() });
    const spec = { id: "a", command: join(project, "run"), args: ["./srv.mjs", "data"], cwd: project };
    expect(servers).toMatchObject([spec]);
    const files = [join(project, path)];
    expect((await loadConfig({ ...place, cwd, files })).servers).toMatchObject([spec]);
  });

  it("begin there with a working folder of its own, and by any name of the folder", async () => {
    const { place, root, project, write } = createFakeHome();
    write("home/code/app/.mcp.json", { mcpServers: {} });
    const a = { command: "node", args: ["srv.mjs"], cwd: "sub" };
    const b = { command: "~/bin/b", args: ["~/data"], envFile: "sub/.env" };
    write("home/code/app/hostside.json", { servers: { a, b } });
    write("home/code/app/sub/.env", "A=1");
    symlinkSync(project, join(root, "link"));
    const { servers, problems } = await loadConfig({ ...place, cwd: join(root, "link"), trust: trust() });
    expect(servers).toMatchObject([
      { command: "node", args: ["srv.mjs"], cwd: join(project, "sub") },
      { command: join(place.home, "bin", "b"), args: ["~/data"], cwd: project, env: { A: "1" } },
    ]);
    expect(problems.map(({ code, path, message }) => [code, path, message])).toEqual([
      ["relative_path", "servers.b.args[0]", "no shell puts a folder in place of ~"],
    ]);
  });

  it("has secrets and programs of a nexo file beside its folder", async () => {
    const { place, project, write } = createFakeHome();
    write("home/code/app/secrets/token", "s3cret");
    const transport = { type: "stdio", command: "./mcp-gmail", env: { TOKEN: "${file:./secrets/token}" } };
    const file = write("home/code/app/config/mcp.yaml", { mcp: { servers: { gmail: { transport } } } });
    for (const files of ["auto", [file]] as const) {
      const { servers } = await loadConfig({ ...place, cwd: join(project, "config"), files, trust: trust() });
      expect(servers).toMatchObject([{ command: join(project, "mcp-gmail"), env: { TOKEN: "s3cret" } }]);
    }
  });
});

describe("relative paths of a user's file", () => {
  it.each<[string, object, string]>([
    ["a program", { command: "./run" }, "command"],
    ["a program above", { command: "../run" }, "command"],
    ["a program in a folder", { command: "bin/run" }, "command"],
    ["what an interpreter runs", { command: "node", args: ["--inspect", "srv.mjs"] }, "args[1]"],
    ["what another program runs", { command: "npx", args: ["tsx", "./srv.ts"] }, "args[1]"],
    ["what is loaded before", { command: "/usr/bin/node", args: ["--import=./srv.mjs", "/srv/x.mjs"] }, "args[0]"],
    ["a working folder", { command: "node", cwd: "sub" }, "cwd"],
  ])("that are %s start nothing", async (_, entry, field) => {
    const { place, home, write } = createFakeHome();
    const file = write("home/.config/hostside/hostside.json", `{\n "servers": { "a":\n ${JSON.stringify(entry)} } }`);
    const { servers, problems, sources } = await loadConfig(place);
    expect(servers).toEqual([]);
    expect(sources).toMatchObject([{ state: "failed" }]);
    expect(problems).toMatchObject([
      { severity: "error", code: "relative_path", file, line: 3, path: `servers.a.${field}` },
    ]);
    expect(file.startsWith(home)).toBe(true);
  });

  it.each<[string, object, readonly [spec: object, ...severities: string[]]]>([
    [
      "in a folder that it names",
      { command: "./run", args: ["./srv.mjs"], cwd: "/srv/x" },
      [{ command: "/srv/x/run" }],
    ],
    ["of its user", { command: "~/run", cwd: "~/x" }, [{ command: "{home}/run", cwd: "{home}/x" }]],
    ["as data, with a warning", { command: "serve", args: ["./data", "--x=../y"] }, [{}, "warning", "warning"]],
    ["that are none", { command: "npx", args: [".", "-y", "@a/b.js", "https://x/y.js"] }, [{}]],
  ])("may be %s", async (_, entry, [spec, ...severities]) => {
    const { place, write } = createFakeHome();
    write("home/.config/hostside/hostside.json", { servers: { a: entry } });
    const { servers, problems } = await loadConfig(place);
    const wanted = JSON.parse(JSON.stringify(spec).replaceAll("{home}", place.home)) as object;
    expect(servers).toMatchObject([wanted]);
    expect(problems.map(({ severity }) => severity)).toEqual(severities);
  });

  it("begin at the folder of the project that ~/.claude.json has them for", async () => {
    const { place, project, write } = createFakeHome();
    const mine = { command: "./run", args: ["./srv.mjs"] };
    write("home/.claude.json", { projects: { [project]: { mcpServers: { mine } } }, mcpServers: { other: mine } });
    const { servers } = await loadConfig(place);
    expect(servers).toMatchObject([{ id: "mine", command: join(project, "run"), cwd: project }]);
  });
});

describe("what a project leads to", () => {
  it.each([
    ["a file", { env: { TOKEN: "${file:./token}" } }],
    ["a file below a folder", { env: { TOKEN: "${file:dir/token}" } }],
    ["a file of variables", { envFile: "dir/token" }],
  ])("follows no link of a project that leads out of it: %s", async (_, entry) => {
    const { place, home, project, write } = createFakeHome();
    const token = write("home/secrets/token", "s3cret=1");
    symlinkSync(token, join(project, "token"));
    symlinkSync(join(home, "secrets"), join(project, "dir"));
    write("home/code/app/hostside.json", { servers: { a: { command: "x", ...entry } } });
    const config = await loadConfig({ ...place, trust: trust() });
    expect(config.servers).toEqual([]);
    expect(JSON.stringify(config)).not.toContain("s3cret");
    expect(config.problems.map(({ code, message }) => [code, message])).toEqual([
      ["unreadable_reference", expect.stringContaining("it is a link that leads out of the project")],
    ]);
  });

  it.each<[string, unknown, unknown]>([
    ["of another API", "https://api.example.com/", undefined],
    ["below its own", "https://mcp.example.com/v1/mcp/deeper", undefined],
    ["beside its own", "https://mcp.example.com/v1/m", undefined],
    ["that is left out", false, undefined],
    ["that is its own", "https://mcp.example.com/v1/mcp", "https://mcp.example.com/v1/mcp"],
    ["above its own", "https://mcp.example.com", "https://mcp.example.com"],
  ])("asks for no token for a project's server with a resource %s", async (_, resource, used) => {
    const { place, write } = createFakeHome();
    const oauth = { clientId: "c", resource };
    const a = { url: "https://${HOST}/v1/mcp", auth: "oauth", oauth };
    const env = { HOST: "mcp.example.com" };
    write("home/code/app/hostside.json", { servers: { a } });
    const { sources, problems } = await loadConfig({ ...place, env, trust: trust() });
    expect(sources[0]?.extras.oauth).toEqual({ clientId: "c", ...(used === undefined ? {} : { resource: used }) });
    expect(problems.map(({ code }) => code)).toEqual(used === undefined ? ["untrusted_setting"] : []);
  });
});
