import { settleWithin, systemClock } from "@hostside/core/implement";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { win32 } from "node:path";

/** A program and its arguments before the URL. */
type Launcher = readonly [program: string, ...args: string[]];

// What cannot be opened is known by then, and what is open may stay as long as the browser.
const longestLaunchMs = 2000;

/**
 * Opens a URL in the user's browser. It is one argument of a program: no shell reads it. Rejects
 * when nothing on this system opens pages; resolves when something does, or has run for two seconds
 * without having failed.
 */
export async function launchBrowser(url: string, signal: AbortSignal): Promise<void> {
  const failures: string[] = [];
  for (const [program, ...args] of launchersOf(process.platform)) {
    signal.throwIfAborted();
    const failure = await launch([program, ...args, url], signal);
    if (failure === undefined) return;
    failures.push(`${program}: ${failure}`);
  }
  throw new Error(failures.join("; "));
}

/** What opens pages on a system, in the order in which it is tried. */
export function launchersOf(platform: string, env: NodeJS.ProcessEnv = process.env): readonly Launcher[] {
  // By their whole paths, because Windows looks for a program in the working directory first.
  if (platform === "win32") {
    return [
      [
        win32.join(env["SystemRoot"] ?? String.raw`C:\Windows`, "System32", "rundll32.exe"),
        "url.dll,FileProtocolHandler",
      ],
    ];
  }
  if (platform === "darwin") return [["/usr/bin/open"]];
  // The last two are there where Linux runs within Windows.
  return [["xdg-open"], ["wslview"], ["rundll32.exe", "url.dll,FileProtocolHandler"]];
}

/** Why it failed, if that is known in time. */
async function launch([program = "", ...args]: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  const child = spawn(program, args, { stdio: "ignore", detached: true, shell: false });
  let failure: string | undefined;
  child.on("error", (error: NodeJS.ErrnoException) => (failure = error.code ?? error.name));
  child.unref();
  // Rejects with an error of the start, too.
  await settleWithin(once(child, "exit", { signal }), longestLaunchMs, systemClock);
  if (failure !== undefined || child.exitCode === null || child.exitCode === 0) return failure;
  return `exit code ${child.exitCode}`;
}
