import { fixtureServer, startHttpFixture } from "@hostside/fixtures";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { programOf, startEverythingHttp } from "./start-everything-http.ts";

/** The eight servers of the demo. */
export interface DemoServers {
  readonly ids: readonly string[];
  /** The configuration file that names them, as a person has one. */
  readonly configFile: string;
  /** The folder that `files` may read. */
  readonly documents: string;
  /** A home for the command line, so that the demo keeps nothing in that of whoever runs it. */
  readonly home: string;
  /**
   * Ends the servers that listen on HTTP, and removes the folder. The stdio servers belong to
   * whoever starts them.
   */
  readonly close: () => Promise<void>;
}

/** An entry of the file, in the form that most tools read. */
type Entry = Readonly<Record<string, unknown>>;

/**
 * Starts the servers that are somebody else's (HTTP), and writes a file that has their addresses
 * and says how to start the others (stdio). All or nothing.
 */
export async function prepareServers(): Promise<DemoServers> {
  const folder = await mkdtemp(join(tmpdir(), "hostside-demo-"));
  const starting = [
    startEverythingHttp(),
    startHttpFixture("modern-http", { runIn: "child" }),
    startHttpFixture("sse-only", { runIn: "child" }),
  ] as const;
  const close = async (): Promise<void> => {
    for (const started of await Promise.allSettled(starting)) {
      if (started.status === "fulfilled") await started.value.close();
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [everything, modern, sseOnly] = await Promise.all(starting);
    const documents = await writeDocuments(folder);
    const memory = { MEMORY_FILE_PATH: join(folder, "memory.jsonl") };
    const mcpServers: Readonly<Record<string, Entry>> = {
      files: node(programOf("@modelcontextprotocol/server-filesystem"), documents),
      everything: node(programOf("@modelcontextprotocol/server-everything")),
      memory: { ...node(programOf("@modelcontextprotocol/server-memory")), env: memory },
      "everything-http": { type: "http", url: everything.url },
      "modern-http": { type: "http", url: modern.url },
      "modern-stdio": { ...fixtureServer("modern-stdio") },
      "sse-only": { type: "sse", url: sseOnly.url },
      inventory: node(fileURLToPath(new URL("cannot-start.js", import.meta.url))),
    };
    const configFile = join(folder, "mcp.json");
    await writeFile(configFile, JSON.stringify({ mcpServers }, undefined, 2));
    return { ids: Object.keys(mcpServers), configFile, documents, home: join(folder, "home"), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function node(...args: readonly string[]): Entry {
  return { command: process.execPath, args };
}

async function writeDocuments(folder: string): Promise<string> {
  const documents = join(folder, "documents");
  await mkdir(documents);
  await Promise.all([
    writeFile(join(documents, "harbour.md"), "# Harbour\n\nShips of every country dock here, each in its own berth.\n"),
    writeFile(join(documents, "pilots.md"), "# Pilots\n\nA pilot knows the way in, whatever the ship.\n"),
    writeFile(join(documents, "tides.csv"), "time,metres\n06:12,3.4\n12:25,0.7\n18:41,3.6\n"),
  ]);
  return documents;
}
