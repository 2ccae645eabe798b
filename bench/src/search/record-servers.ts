// Records the tool lists of published servers, one file per server: those of recorded-servers.ts
// into data/search/recorded/, of those of schema-servers.ts the names and input schemas alone into
// data/schemas/, and of these and those of listed-servers.ts what a search reads into
// data/search/listed/. Run by hand, with the ids of what changed; what reads the files needs no
// network. Where Linux lets it, a server lists its tools in a network of its own that leads
// nowhere. A server that cannot be recorded is named, and the others go on.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { listedSchema } from "./listed-schema.ts";
import { listedServers } from "./listed-servers.ts";
import { recordedServers, type RecordedServer } from "./recorded-servers.ts";
import { schemaServers } from "./schema-servers.ts";

const patienceMs = 60_000;
const licenses = ["MIT", "ISC", "Apache-2.0"];
// Lines with which a server names the folders of the machine that it was started on.
const foldersOfMachine = /^.*(?:Prefer paths within mounted directories|(?:Host|Mounted) folder): .*\n?/gm;
const dataDir = fileURLToPath(new URL("../../data/", import.meta.url));
const only = new Set(process.argv.slice(2));
const servers = [...recordedServers, ...schemaServers, ...listedServers].filter(
  ({ id }) => only.size === 0 || only.has(id),
);
// Nothing of what a server does at its start is to reach anybody.
const offline = spawnSync("unshare", ["--net", "--map-root-user", "true"]).status === 0;

const workDir = mkdtempSync(join(tmpdir(), "record-servers-"));
try {
  for (const server of servers) {
    try {
      const recording = await recordServer(server);
      for (const [dir, kept] of keptOf(server, recording)) {
        const outDir = join(dataDir, dir);
        mkdirSync(outDir, { recursive: true });
        writeFileSync(join(outDir, `${server.id}.json`), print(kept));
      }
      process.stdout.write(`${server.id}: ${recording.tools.length} tools\n`);
    } catch (error) {
      process.stderr.write(`${server.id}: not recorded: ${error instanceof Error ? error.message : String(error)}\n`);
      process.exitCode = 1;
    }
    rmSync(join(workDir, server.id), { recursive: true, force: true });
  }
} finally {
  rmSync(workDir, { recursive: true, force: true });
}

function keptOf(server: RecordedServer, recording: Recording): readonly (readonly [dir: string, kept: Recording])[] {
  if (recordedServers.includes(server)) return [["search/recorded", recording]];
  const listed = ["search/listed", { ...recording, tools: recording.tools.map(listedTool) }] as const;
  return schemaServers.includes(server) ? [["schemas", schemasOf(recording)], listed] : [listed];
}

interface Recording {
  readonly id: string;
  readonly title: string;
  readonly package: string;
  readonly version: string;
  readonly license: string;
  readonly instructions?: string;
  readonly tools: readonly unknown[];
}

async function recordServer(server: RecordedServer): Promise<Recording> {
  const packageDir = join(install(server), "node_modules", server.package);
  const manifest = JSON.parse(readFileSync(join(packageDir, "package.json"), "utf8"));
  if (!licenses.includes(manifest.license)) throw new Error(`its licence is ${manifest.license ?? "not stated"}`);
  const bins: Record<string, string> =
    typeof manifest.bin === "string" ? { [server.package]: manifest.bin } : manifest.bin;
  const script = server.bin === undefined ? Object.values(bins)[0] : bins[server.bin];
  if (script === undefined) throw new Error(`${server.package} has no executable ${server.bin ?? ""}`);
  const { info, tools } = await listTools(server, join(packageDir, script));
  return {
    id: server.id,
    title: server.title,
    package: server.package,
    version: manifest.version,
    license: manifest.license,
    ...(typeof info.instructions === "string" && { instructions: info.instructions }),
    tools,
  };
}

/**
 * In a folder of its own, as a user would have it: which SDK a server is installed with shows in
 * its schemas.
 */
function install({ id, package: name, version }: RecordedServer): string {
  const dir = join(workDir, id);
  mkdirSync(dir);
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true }));
  // No install scripts: a tool list needs no browser and no native build.
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-save", "--silent"];
  const installed = spawnSync("npm", ["install", ...flags, `${name}@${version}`], { cwd: dir, stdio: "inherit" });
  if (installed.status !== 0) throw new Error(`${id}: npm install failed`);
  return dir;
}

interface Initialized {
  readonly instructions?: unknown;
}

async function listTools(
  server: RecordedServer,
  script: string,
): Promise<{ readonly info: Initialized; readonly tools: readonly unknown[] }> {
  const env = { PATH: process.env["PATH"] ?? "", HOME: workDir, ...server.env };
  const command = [process.execPath, script, ...(server.args ?? [])];
  const [file = "", ...args] = offline ? ["unshare", "--net", "--map-root-user", ...command] : command;
  const child = spawn(file, args, { cwd: workDir, env, stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.on("error", () => {});
  const waiting = new Map<number, (result: Record<string, unknown>) => void>();
  createInterface({ input: child.stdout }).on("line", (line) => {
    if (!line.startsWith("{")) return;
    const message = JSON.parse(line);
    if (message.id !== undefined && message.method === undefined) waiting.get(message.id)?.(message);
  });
  let lastId = 0;
  const request = (method: string, params: object): Promise<Record<string, unknown>> =>
    new Promise((resolve, reject) => {
      const id = (lastId += 1);
      const timer = setTimeout(() => reject(new Error(`${server.id}: no answer to ${method}`)), patienceMs);
      waiting.set(id, (message) => {
        clearTimeout(timer);
        if (message["error"] === undefined) resolve(message["result"] as Record<string, unknown>);
        else reject(new Error(`${server.id}: ${method}: ${JSON.stringify(message["error"])}`));
      });
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    });
  try {
    const clientInfo = { name: "record-servers", version: "1" };
    const info = await request("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" })}\n`);
    const tools: unknown[] = [];
    let cursor: unknown;
    do {
      const page = await request("tools/list", cursor === undefined ? {} : { cursor });
      tools.push(...(page["tools"] as unknown[]).map(withoutExtras));
      cursor = page["nextCursor"];
    } while (cursor !== undefined);
    return { info, tools };
  } finally {
    child.kill("SIGKILL");
  }
}

/** One tool per line, so that a new version of a server makes a readable diff. */
function print({ tools, ...head }: Recording): string {
  const lines = tools.map((tool) => JSON.stringify(tool, withoutMachine)).join(",\n");
  return `${JSON.stringify(head, withoutMachine).slice(0, -1)},"tools":[\n${lines}\n]}\n`;
}

function withoutMachine(_key: string, value: unknown): unknown {
  return typeof value === "string" ? value.replaceAll(workDir, "/home/user").replaceAll(foldersOfMachine, "") : value;
}

/**
 * What a search reads of a tool: its names and texts, and of its parameters the names, texts and
 * values.
 */
function listedTool(tool: unknown): unknown {
  const { name, title, description, inputSchema, annotations } = tool as Record<string, unknown>;
  const shown = (annotations as Record<string, unknown> | undefined)?.["title"];
  return {
    name,
    title,
    description,
    inputSchema: listedSchema(inputSchema),
    ...(typeof shown === "string" && { annotations: { title: shown } }),
  };
}

function schemasOf({ id, title, package: name, version, license, tools }: Recording): Recording {
  const kept = tools.map((tool) => {
    const { name: toolName, inputSchema } = tool as Record<string, unknown>;
    return { name: toolName, inputSchema };
  });
  return { id, title, package: name, version, license, tools: kept };
}

/** What a model would see, without icons and metadata. */
function withoutExtras(tool: unknown): unknown {
  const { name, title, description, inputSchema, annotations } = tool as Record<string, unknown>;
  return { name, title, description, inputSchema, annotations };
}
