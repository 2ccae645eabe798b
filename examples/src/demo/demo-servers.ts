import { fixtureServer, startHttpFixture } from "@toolport/fixtures";
import type { ServerSpec } from "@toolport/core";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { programOf, startEverythingHttp } from "./start-everything-http.ts";

/** The eight servers of the demo. */
export interface DemoServers {
  readonly specs: readonly ServerSpec[];
  /** The folder that `files` may read. */
  readonly documents: string;
  /** Ends the servers that listen on HTTP, and removes the folder. The stdio servers belong to the provider. */
  readonly close: () => Promise<void>;
}

/** Starts the servers that are somebody else's (HTTP), and says how to start the others (stdio). All or nothing. */
export async function prepareServers(): Promise<DemoServers> {
  const folder = await mkdtemp(join(tmpdir(), "toolport-demo-"));
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
    const specs: ServerSpec[] = [
      stdio("files", [programOf("@modelcontextprotocol/server-filesystem"), documents]),
      stdio("everything", [programOf("@modelcontextprotocol/server-everything")]),
      stdio("memory", [programOf("@modelcontextprotocol/server-memory")], {
        MEMORY_FILE_PATH: join(folder, "memory.jsonl"),
      }),
      http("everything-http", everything.url),
      http("modern-http", modern.url),
      { id: "modern-stdio", transport: { kind: "stdio", ...fixtureServer("modern-stdio") } },
      http("sse-only", sseOnly.url),
      stdio("inventory", [fileURLToPath(new URL("cannot-start.js", import.meta.url))]),
    ];
    return { specs, documents, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function stdio(id: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): ServerSpec {
  return { id, transport: { kind: "stdio", command: process.execPath, args, env } };
}

function http(id: string, url: string): ServerSpec {
  return { id, transport: { kind: "http", url } };
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
