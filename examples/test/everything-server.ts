import { createRequire } from "node:module";
import type { MemoryEntry } from "@hostside/core";

interface Everything {
  readonly createServer: () => { readonly server: { connect(transport: object): Promise<void> } };
}

const path = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/server/index.js");

/** The official server that has one of everything, inside this process. */
export async function everythingServer(): Promise<MemoryEntry> {
  const { createServer }: Everything = await import(path);
  return { type: "memory", serve: (transport: object) => createServer().server.connect(transport) };
}
