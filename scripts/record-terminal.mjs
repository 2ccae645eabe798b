// Writes docs/images/hostside-*.svg: what `hostside list`, `call` and `doctor` show on a terminal, from a real run against real servers.
// Run by hand after `pnpm build`, when what they show has changed. Nothing of the machine that it runs on may be in a picture.
import { spawn } from "@lydell/node-pty";
import headless from "@xterm/headless";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { homedir, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { cutRows, drawWindow, readRows } from "./terminal-svg.mjs";

const columns = 100;
const program = resolve("packages/hostside/bin/hostside.js");
const root = realpathSync(mkdtempSync(join(tmpdir(), "hostside-recording-")));
const home = join(root, "home");

/** @type {{ name: string, args: string[], answers?: { when: RegExp, keys: string }[] }[]} */
const recordings = [
  { name: "list", args: ["list"] },
  {
    name: "call",
    args: ["call", "files/read_text_file", "--path", "harbour.md"],
    answers: [{ when: /● No/, keys: "\u001B[A\u001B[A\r" }],
  },
  { name: "doctor", args: ["doctor"] },
];

try {
  const folder = prepare();
  mkdirSync("docs/images", { recursive: true });
  for (const recording of recordings) {
    const svg = await record(recording, folder);
    for (const place of [root, homedir(), process.cwd()]) {
      if (place !== "/" && svg.includes(place)) throw new Error(`hostside ${recording.name} shows ${place}`);
    }
    writeFileSync(`docs/images/hostside-${recording.name}.svg`, svg);
    console.log(`docs/images/hostside-${recording.name}.svg, ${Math.ceil(svg.length / 1024)} kB`);
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}

/** Somebody's home, with the servers that they have set up for another tool, as programs that are in their PATH. */
function prepare() {
  const require = createRequire(resolve("packages/hostside/package.json"));
  const work = join(home, "harbour");
  const bin = join(home, ".local/bin");
  const programOf = (/** @type {string} */ name) =>
    require.resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
  const programs = {
    "mcp-server-filesystem": programOf("filesystem"),
    "mcp-server-everything": programOf("everything"),
    "mcp-server-memory": programOf("memory"),
    "mcp-calculator": resolve("fixtures/dist/servers/modern-stdio.js"),
    "mcp-inventory": resolve("examples/dist/demo/cannot-start.js"),
  };
  for (const path of [work, bin, join(home, ".cursor")]) mkdirSync(path, { recursive: true });
  for (const [name, file] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\nexec "${process.execPath}" "${file}" "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  const mcpServers = {
    files: { command: "mcp-server-filesystem", args: ["."] },
    everything: { command: "mcp-server-everything" },
    memory: { command: "mcp-server-memory", env: { MEMORY_FILE_PATH: join(work, "memory.jsonl") } },
    calculator: { command: "mcp-calculator" },
    inventory: { command: "mcp-inventory" },
  };
  writeFileSync(join(home, ".cursor/mcp.json"), JSON.stringify({ mcpServers }, undefined, 2));
  writeFileSync(join(work, "harbour.md"), "# Harbour\n\nShips of every country dock here, each in its own berth.\n");
  return work;
}

/**
 * Runs a command to its end on a terminal of its own.
 * @param {{ name: string, args: string[], answers?: { when: RegExp, keys: string }[] }} recording
 * @param {string} folder
 * @returns {Promise<string>}
 */
async function record({ args, answers = [] }, folder) {
  const child = spawn(process.execPath, [program, ...args], {
    name: "xterm-256color",
    cols: columns,
    rows: 200,
    cwd: folder,
    env: { PATH: `${join(home, ".local/bin")}:${process.env["PATH"] ?? ""}`, HOME: home, LANG: "C.UTF-8" },
  });
  const open = [...answers];
  let heard = "";
  let read = 0;
  child.onData((chunk) => {
    heard += chunk;
    if (open[0]?.when.test(stripVTControlCharacters(heard.slice(read))) === true) {
      child.write(open.shift()?.keys ?? "");
      read = heard.length;
    }
  });
  await new Promise((done) => void child.onExit(done));
  const line = `hostside ${args.join(" ")}`;
  // High enough that nothing scrolls while lines are replaced.
  const terminal = new headless.Terminal({ cols: columns, rows: 200, allowProposedApi: true });
  const shown = `\u001B[2m$\u001B[0m \u001B[1m${line}\u001B[0m\r\n${heard.replaceAll(home, "~")}`;
  await new Promise((done) => terminal.write(shown, () => done(undefined)));
  return drawWindow(cutRows(readRows(terminal), 34), { title: line, columns });
}
