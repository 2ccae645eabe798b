import { spawn } from "node:child_process";

const suite = "@modelcontextprotocol/conformance@0.2.0-alpha.12";

/** What the official suite printed, and how it ended. */
export interface SuiteRun {
  readonly output: string;
  readonly status: string;
}

/**
 * Runs the pinned official suite with these arguments. It needs Node 22 or newer; npm brings one.
 */
export function startOfficialSuite(args: readonly string[]): Promise<SuiteRun> {
  const whole = ["-y", "-p", "node@24", "-p", suite, "conformance", ...args];
  const child = spawn("npx", whole, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  let complaints = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => (complaints = (complaints + chunk).slice(-2000)));
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => {
      const summary = /^=== (SUITE )?SUMMARY ===$/m.test(output);
      resolve({ output: summary ? output : `${output}${complaints}`, status: signal ?? `with code ${code}` });
    });
  });
}
