// What somebody does who has heard of hostside five minutes ago: an empty folder, the package as it is published, the servers that they have
// set up for another tool. A step of scripts/pack-check.mjs.
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** Servers of other people, and where this repository has them. */
const servers = ["@modelcontextprotocol/server-filesystem", "@modelcontextprotocol/server-everything"];

/**
 * Runs every step in a folder of its own, which is gone afterwards.
 * @param {readonly { name: string, tarball: string }[]} packed
 * @param {(title: string, run: () => unknown) => Promise<void>} step
 */
export async function tryFirstMinutes(packed, step) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "hostside-first-minutes-")));
  const [home, folder] = [join(root, "home"), join(root, "work")];
  for (const path of [join(home, ".cursor"), folder]) mkdirSync(path, { recursive: true });
  const hostside = (/** @type {string[]} */ ...args) => run(["hostside", ...args], { home, folder });
  try {
    await step("first minutes: hostside alone is installed", () => install(packed, folder));
    writeServers(home, folder);
    await step("first minutes: npx hostside list finds the servers of another tool", () => {
      const { code, stdout } = hostside("list", "--json");
      const states = JSON.parse(stdout).servers.map((/** @type {any} */ { id, state }) => `${id} ${state}`);
      expectSame([code, ...states.toSorted()], [0, "everything ready", "files ready"]);
    });
    await step("first minutes: a person reads the same", () => {
      const { code, stdout } = hostside("list");
      expectSame(
        [code, /everything/.test(stdout), /files/.test(stdout), stdout.includes("\u001B")],
        [0, true, true, false],
      );
    });
    await step("first minutes: npx hostside init writes one file of one's own", () => {
      const { code, stderr } = hostside("init");
      if (code !== 0) throw new Error(`exit code ${code}: ${stderr}`);
    });
    await step("first minutes: a tool is called", () => {
      const { code, stdout } = hostside("call", "everything/echo", "--message", "five minutes", "--yes");
      expectSame([code, stdout.trim()], [0, "Echo: five minutes"]);
    });
    await step("first minutes: a script is shown what it did wrong", () => {
      const unknown = hostside("call", "everything/ecco", "--json");
      expectSame([unknown.code, typeof JSON.parse(unknown.stdout).error.message], [2, "string"]);
      const unasked = hostside("call", "files/write_file", "--path", "a.md", "--content", "a");
      expectSame([unasked.code, unasked.stdout], [2, ""]);
    });
    await step("first minutes: a recording says what it needs, before anything starts", () => {
      const { code, stderr } = hostside("--record", "a.jsonl", "list");
      expectSame([code, stderr.includes("npm install --save-dev hostside @hostside/conformance")], [2, true]);
    });
    await step("first minutes: a program of ten lines has the same tools", () => {
      const { code, stdout, stderr } = run(["node", "ten-lines.mjs"], { home, folder });
      if (code !== 0) throw new Error(stderr);
      expectSame(stdout.trim(), "Echo: ten lines");
    });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/**
 * @param {readonly { name: string, tarball: string }[]} packed
 * @param {string} folder
 */
function install(packed, folder) {
  const files = Object.fromEntries(packed.map(({ name, tarball }) => [name, `file:${tarball}`]));
  // Nothing but `hostside` is asked for; the overrides say where the packages are that it asks for, before anything is in a registry.
  const { hostside = "", ...overrides } = files;
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: { hostside }, overrides }));
  execFileSync(
    "npm",
    ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "--loglevel=error"],
    {
      cwd: folder,
      stdio: ["ignore", "ignore", "inherit"],
      shell: process.platform === "win32",
    },
  );
}

/**
 * @param {string} home
 * @param {string} folder
 */
function writeServers(home, folder) {
  for (const name of servers) {
    const link = join(folder, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    // Linked, so that no test waits for somebody else's registry.
    symlinkSync(resolve("packages/hostside/node_modules", name), link, "junction");
  }
  const [files = "", everything = ""] = servers.map((name) => join(folder, "node_modules", name, "dist/index.js"));
  const mcpServers = {
    files: { command: "node", args: [files, folder] },
    everything: { command: "node", args: [everything] },
  };
  writeFileSync(join(home, ".cursor/mcp.json"), JSON.stringify({ mcpServers }));
  const program = [
    'import { createHost } from "hostside";',
    'const hostside = await createHost({ config: "auto" });',
    'const { content } = await hostside.call("mcp_everything_echo", { message: "ten lines" });',
    "console.log(content[0].text);",
    "await hostside.close();",
  ];
  writeFileSync(join(folder, "ten-lines.mjs"), program.join("\n"));
}

/**
 * @param {readonly string[]} command
 * @param {{ home: string, folder: string }} where
 */
function run([name = "", ...args], { home, folder }) {
  // npx looks for a program of the folder first, and asks no registry for one that is there.
  const [program, all] = name === "node" ? [process.execPath, args] : ["npx", ["--no-install", name, ...args]];
  const { status, stdout, stderr } = spawnSync(program, all, {
    cwd: folder,
    encoding: "utf8",
    timeout: 60_000,
    input: "",
    shell: process.platform === "win32",
    env: { PATH: process.env["PATH"], SystemRoot: process.env["SystemRoot"], HOME: home, USERPROFILE: home },
  });
  return { code: status, stdout, stderr };
}

/**
 * @param {unknown} found
 * @param {unknown} expected
 */
function expectSame(found, expected) {
  const [left, right] = [found, expected].map((value) => JSON.stringify(value));
  if (left !== right) throw new Error(`${left} should be ${right}`);
}
