import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

/** What a program said in its last line, or why it said nothing. */
export type ProgramResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: string };

/** What {@linkcode runMeasurement} starts. */
export interface Program {
  /** Path of the Node that runs it. */
  readonly node: string;
  /** A file of this folder, such as `run-contender.js`. */
  readonly file: string;
  readonly args: readonly string[];
  /** When it is ended. */
  readonly patienceMs: number;
}

/**
 * Runs a program of this folder in a process of its own, in a process group that is ended
 * afterwards, and reads its last line as JSON.
 */
export function runMeasurement<T>({ node, file, args, patienceMs }: Program): Promise<ProgramResult<T>> {
  const program = fileURLToPath(new URL(file, import.meta.url));
  const child = spawn(node, ["--expose-gc", program, ...args], { stdio: ["ignore", "pipe", "pipe"], detached: true });
  let out = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors = (errors + chunk).slice(-64_000)));
  return new Promise((resolve) => {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      endGroup(child.pid);
    }, patienceMs);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      endGroup(child.pid);
      const end = signal === null ? `exit code ${code}` : `ended by ${signal}`;
      const reason = late ? `no end within ${patienceMs / 1000} s` : lastError(errors) || `no output, ${end}`;
      resolve(readLast<T>(out) ?? { ok: false, reason });
    });
  });
}

function readLast<T>(out: string): ProgramResult<T> | undefined {
  try {
    // The programs of this folder print what their callers ask for.
    return { ok: true, value: JSON.parse(out.trim().split("\n").at(-1) ?? "") as T };
  } catch {
    // The process ended before it could say anything; its stderr tells why.
    return undefined;
  }
}

/**
 * The first line of what ended the program, from its stderr: what Node says below the excerpt of
 * source and its caret, or the last error that somebody logged.
 */
function lastError(text: string): string {
  const lines = text.trim().split("\n");
  const caret = lines.findLastIndex((line) => /^\s*\^+\s*$/.test(line));
  const said = caret === -1 ? undefined : lines.slice(caret + 1).find((line) => line.trim() !== "");
  const line = said ?? lines.findLast((each) => errorLine.test(each)) ?? lines.at(-1) ?? "";
  return line.trim().replace(/^Error: /, "");
}

/** An error as Node shows one, without those that are within another, which are indented. */
const errorLine = /^(?:FATAL ERROR|[\w$]*(?:Error|Exception)(?: \[\w+\])?):/;

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // ESRCH: nothing of it is left, as it should be.
  }
}
