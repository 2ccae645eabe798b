import { HostsideError } from "@hostside/core";
import { isConfidentialUrl, quoteText, settleWithin } from "@hostside/core/implement";
import { serverError } from "../auth-errors.ts";
import type { OAuthPrompt } from "../oauth-options.ts";
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
async function launchBrowser(url: string, signal: AbortSignal): Promise<void> {
  const failures: string[] = [];
  for (const [program, ...args] of launchersOf(process.platform)) {
    signal.throwIfAborted();
    const failure = await launch([program, ...args, url], signal);
    if (failure === undefined) return;
    failures.push(`${program}: ${failure}`);
  }
  throw new Error(failures.join("; "));
}

/** Programs that open pages on a system, in the order in which they are tried. */
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

/** The reason of a failure, if it is known in time. */
async function launch([program = "", ...args]: readonly string[], signal: AbortSignal): Promise<string | undefined> {
  const child = spawn(program, args, { stdio: "ignore", detached: true, shell: false });
  let failure: string | undefined;
  child.on("error", (error: NodeJS.ErrnoException) => (failure = error.code ?? error.name));
  child.unref();
  // Rejects with an error of the start, too.
  await settleWithin(once(child, "exit", { signal }), longestLaunchMs);
  if (failure !== undefined || child.exitCode === null || child.exitCode === 0) return failure;
  return `exit code ${child.exitCode}`;
}

/**
 * Shows users authorization pages in their browser, on the machine of the host. Rejects with
 * `not_allowed` for a URL that is neither `https:` nor on this machine, and with `auth_required`
 * when the page could not be opened; `authorize()` says then which one it is, to be opened by hand.
 *
 * @example
 * const oauth = createOAuth({ redirect: loopbackRedirect(), prompt: openBrowser() });
 */
export function openBrowser(): OAuthPrompt {
  return async ({ serverId, url, signal }) => {
    signal.throwIfAborted();
    if (!isConfidentialUrl(url)) {
      const shown = quoteText(url.origin === "null" ? url.protocol : url.origin);
      const text = `an authorization page must be https:, or on this machine, not ${shown}`;
      throw serverError({ serverId }, text, { code: "not_allowed" });
    }
    try {
      await launchBrowser(url.href, signal);
    } catch (error) {
      signal.throwIfAborted();
      throw new HostsideError("no browser could be opened here", { code: "auth_required", serverId, cause: error });
    }
    return "completed";
  };
}

/** The machine that a program runs on, as {@linkcode hasBrowser} sees it. */
export interface BrowserPlace {
  /** Such as `process.env`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Such as `process.platform`. */
  readonly platform: string;
}

/**
 * Tells whether a user can see a page that is opened on this machine: not over SSH, and not on a
 * system without a display. Default: the machine of this process.
 */
export function hasBrowser({ env, platform }: BrowserPlace = process): boolean {
  const has = (...names: readonly string[]): boolean => names.some((name) => (env[name] ?? "") !== "");
  if (has("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")) return false;
  const needsDisplay = platform !== "darwin" && platform !== "win32";
  return !needsDisplay || has("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME");
}
