import { fork, type ChildProcess } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What one process saw. */
export interface SharerReport {
  readonly sent: number;
  readonly letIn: number;
  /** Requests that were refused again with other credentials. */
  readonly refusedTwice: number;
  /** Each error once, beginning with the user whose request it was. */
  readonly errors: readonly string[];
}

/** What is shared: by a file, or by a database. */
export type SharedPlace =
  | { readonly kind: "file"; readonly folder: string }
  | { readonly kind: "postgres" | "redis"; readonly url: string };

/** What a process does. */
export interface SharerOptions {
  readonly store: SharedPlace;
  readonly serverUrl: string;
  readonly users: readonly string[];
  /** About how long between two requests of a user, in milliseconds. */
  readonly everyMs: number;
}

/** A process that shares credentials. */
export interface Sharer {
  readonly name: string;
  /** Has it come to its end, and resolves to what it saw. */
  stop(): Promise<SharerReport>;
  /** Kills it (SIGKILL). */
  kill(): Promise<void>;
}

const program = fileURLToPath(new URL("sharer.mjs", import.meta.url));

/** Starts a process that sends requests until it is stopped; resolves when it does. */
export async function startSharer(name: string, options: SharerOptions): Promise<Sharer> {
  const child = fork(program, [JSON.stringify({ ...options, name })], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    // It runs what is built, whatever this process runs.
    execArgv: [],
  });
  let stderr = "";
  child.stderr?.on("data", (chunk: Buffer) => (stderr = (stderr + chunk.toString()).slice(-2000)));
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  await nextMessage(child, () => stderr);
  return {
    name,
    async stop() {
      const report = nextMessage(child, () => stderr);
      child.send("stop");
      const seen = (await report) as SharerReport; // Our own program wrote it.
      await ended;
      return seen;
    },
    async kill() {
      child.kill("SIGKILL");
      await ended;
    },
  };
}

function nextMessage(child: ChildProcess, stderr: () => string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(`a process ended with ${code}: ${stderr()}`));
    child.once("exit", onExit);
    child.once("message", (message) => {
      child.off("exit", onExit);
      resolve(message);
    });
  });
}
