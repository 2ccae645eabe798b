import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Metrics } from "./contender.ts";

/** What one process measured, or why it could not. */
export type Measurement =
  | { readonly ok: true; readonly name: string; readonly version: string; readonly metrics: Metrics }
  | { readonly ok: false; readonly reason: string };

/** An adapter file. */
export interface Adapter {
  readonly id: string;
  /** URL of the built module. */
  readonly url: string;
}

// The longest workload takes some ten seconds on a slow machine.
const patienceMs = 90_000;

/** Runs one workload with one contender in a process of its own, in a process group that is ended afterwards. */
export function measure(adapter: Adapter, workload: string): Promise<Measurement> {
  const program = fileURLToPath(new URL("run-contender.js", import.meta.url));
  const child = spawn(process.execPath, ["--expose-gc", program, adapter.url, workload], {
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  let out = "";
  let errors = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (out += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (errors = (errors + chunk).slice(-2000)));
  return new Promise((resolve) => {
    const timer = setTimeout(() => endGroup(child.pid), patienceMs);
    child.once("close", (code) => {
      clearTimeout(timer);
      endGroup(child.pid);
      resolve(
        read(out) ?? { ok: false, reason: code === null ? `no end within ${patienceMs / 1000} s` : lastLine(errors) },
      );
    });
  });
}

function read(out: string): Measurement | undefined {
  const line = out.trim().split("\n").at(-1) ?? "";
  try {
    return { ok: true, ...(JSON.parse(line) as Omit<Extract<Measurement, { ok: true }>, "ok">) };
  } catch {
    // The process ended before it could say anything; its stderr tells why.
    return undefined;
  }
}

function lastLine(text: string): string {
  return (
    text
      .split("\n")
      .find((line) => /error/i.test(line))
      ?.trim() ??
    (text.trim().split("\n").at(-1) || "no output")
  );
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGKILL");
  } catch {
    // ESRCH: nothing of it is left, as it should be.
  }
}
