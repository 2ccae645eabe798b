import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { BenchServer } from "./contender.ts";

/** What the servers of a workload offer; see `servers/answer.ts`. */
export interface ServerPlan {
  readonly count?: number;
  readonly tools?: number;
  readonly pageSize?: number;
  readonly outputSchemas?: boolean;
  /** Whether an HTTP server answers with streams of events. */
  readonly events?: boolean;
  /** Time a stdio server needs before it reads anything. */
  readonly startMs?: number;
}

/** Specs of stdio servers. Nothing is started: that is what hosts do. */
export function stdioServers(plan: ServerPlan = {}): readonly BenchServer[] {
  const { count = 1, startMs = 0 } = plan;
  const args = [serverFile("stdio-server"), ...offerArguments(plan), String(startMs)];
  return Array.from({ length: count }, (_, index) => ({
    id: `s${index}`,
    type: "stdio",
    command: process.execPath,
    args,
  }));
}

/** The spec of a stdio server that writes down in `file` when it got what. */
export function recordingServer(file: string): BenchServer {
  return { id: "s0", type: "stdio", command: process.execPath, args: [serverFile("recording-server"), file] };
}

/** Starts HTTP servers, each in a process of its own, as they would be in the field. */
export async function startHttpServers(
  plan: ServerPlan = {},
): Promise<{ readonly servers: readonly BenchServer[]; readonly stop: () => void }> {
  const children = Array.from({ length: plan.count ?? 1 }, () =>
    spawn(process.execPath, [serverFile("http-server"), ...offerArguments(plan), plan.events === true ? "1" : "0"], {
      stdio: ["pipe", "pipe", "inherit"],
    }),
  );
  const ports = await Promise.all(children.map(firstLine));
  return {
    servers: ports.map((port, index) => ({ id: `s${index}`, type: "http", url: `http://127.0.0.1:${port}/mcp` })),
    stop() {
      for (const child of children) child.kill();
    },
  };
}

function offerArguments({ tools = 1, pageSize = 0, outputSchemas = false }: ServerPlan): readonly string[] {
  return [String(tools), String(pageSize), outputSchemas ? "1" : "0"];
}

async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new TypeError("the child has no stdout");
  const [chunk] = (await once(child.stdout, "data")) as [Buffer];
  return chunk.toString("utf8").trim();
}

function serverFile(name: string): string {
  return fileURLToPath(new URL(`servers/${name}.js`, import.meta.url));
}
