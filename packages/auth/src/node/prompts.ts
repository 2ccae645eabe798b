import { cleanText, HostsideError } from "@hostside/core";
import {
  assertKnownOptions,
  untilAborted,
  type Fields,
  isConfidentialUrl,
  quoteText,
  settleWithin,
} from "@hostside/core/implement";
import { createInterface } from "node:readline";
import type { OAuthPrompt, PromptAnswer, PromptRequest } from "../oauth-options.ts";
import { serverError } from "../auth-errors.ts";
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

/**
 * Tells whether a user can see a page that is opened on this machine: not over SSH, and not on a
 * system without a display. Default: the machine of this process.
 */
export function hasBrowser({
  env,
  platform,
}: { readonly env: NodeJS.ProcessEnv; readonly platform: string } = process): boolean {
  const has = (...names: readonly string[]): boolean => names.some((name) => (env[name] ?? "") !== "");
  if (has("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY")) return false;
  const needsDisplay = platform !== "darwin" && platform !== "win32";
  return !needsDisplay || has("DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME");
}

/** A stream that may be a terminal's, such as `process.stdin`. */
type TerminalInput = NodeJS.ReadableStream & {
  readonly isTTY?: boolean | undefined;
  readonly isRaw?: boolean | undefined;
  setRawMode?(raw: boolean): unknown;
};

/** A stream that may be a terminal's, such as `process.stderr`. */
type TerminalOutput = NodeJS.WritableStream & { readonly isTTY?: boolean | undefined };

/** Options of {@linkcode terminalPrompt}. */
export interface TerminalPromptOptions {
  /** Stream that a pasted URL is read from; nothing else may read there meanwhile. */
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  /**
   * Opens the page; `false`: nobody does. Default `openBrowser()`, but `false` over SSH and on a
   * system without a display, because nobody would see it.
   */
  readonly open?: OAuthPrompt | false | undefined;
}

const fields: Fields<TerminalPromptOptions> = { input: true, output: true, open: true };
const longestPaste = 16_384;

/**
 * Shows users authorization pages from a command line: writes the URL, opens it where a browser can
 * be, and takes the whole URL that the user was sent back to when they paste it, for a browser that
 * cannot come back to this machine. Whatever comes first counts. Ctrl-C and Ctrl-D are
 * `"cancelled"`. The terminal is left as it was found. Throws a `TypeError` that names an option
 * that cannot be used.
 *
 * @example
 * const prompt = terminalPrompt({ input: process.stdin, output: process.stderr });
 */
export function terminalPrompt(options: TerminalPromptOptions): OAuthPrompt {
  assertKnownOptions("terminalPrompt()", options, fields);
  const { input, output, open = hasBrowser() && openBrowser() } = options;

  let turn: Promise<unknown> = Promise.resolve();

  return async (request) => {
    // One terminal, one question at a time.
    const before = turn;
    const mine = untilAborted(before, request.signal).then(() => ask(request, { input, output, open }));
    turn = Promise.allSettled([before, mine]);
    return mine;
  };
}

function ask(request: PromptRequest, { input, output, open = false }: TerminalPromptOptions): Promise<PromptAnswer> {
  const { signal, url } = request;
  const title = cleanText(request.title, 100).replaceAll("\n", " ");
  const how = open === false ? "open this page in a browser" : "this page is opened in your browser";
  const wasRaw = input.isRaw === true;
  const isTerminal = input.isTTY === true && output.isTTY === true;
  const lines = createInterface({
    input,
    output,
    terminal: isTerminal,
    historySize: 0,
    prompt: isTerminal ? "> " : "",
  });

  let ended = false;
  return new Promise((resolve) => {
    const end = (): void => {
      ended = true;
      signal.removeEventListener("abort", onAbort);
      lines.off("close", onClose);
      lines.close();
      if (wasRaw) input.setRawMode?.(true);
      if (isTerminal) output.write("\n");
    };
    const answer = (how: PromptAnswer): void => {
      end();
      resolve(how);
    };
    // The answer has come another way, or is not wanted any more: whoever aborts knows which.
    const onAbort = (): void => answer("completed");
    // At a terminal somebody ended the input. Elsewhere nothing more can be pasted, and the answer
    // may still come by the redirect.
    const onClose = (): void => answer(input.isTTY === true ? "cancelled" : "completed");
    signal.addEventListener("abort", onAbort, { once: true });
    lines.on("close", onClose);
    lines.on("SIGINT", () => answer("cancelled"));
    lines.on("line", (line) => {
      const text = cleanText(line, longestPaste).trim();
      if (text !== "") {
        const wrong = whatIsWrong(url, text);
        if (wrong === undefined) return answer({ callbackUrl: text });
        output.write(`${wrong} Paste the whole address of the page that you ended on, and press Enter.\n`);
      }
      lines.prompt();
    });
    // The terminal is read by now: a user who sees the page may press a key at once.
    output.write(`To sign in to ${title}, ${how}:\n\n  ${url.href}\n\n`);
    output.write("If the browser cannot show the page after that, paste its address here and press Enter.\n");
    if (ended) return;
    lines.prompt();
    if (open === false) return;
    open(request).then(
      (how) => void (how === "completed" || answer(how)),
      () => ended || output.write("No browser could be opened here.\n"),
    );
  });
}

/**
 * Says why no user can have been sent back from this page to what a text says; `undefined` when one
 * can. The rest is for whoever takes the answer.
 */
function whatIsWrong(page: URL, text: string): string | undefined {
  const state = URL.canParse(text) ? new URL(text).searchParams.get("state") : null;
  if (state === null) return "That is not what a sign-in ends with.";
  // A page may keep to itself what was asked of it (RFC 9126).
  const asked = page.searchParams.get("state");
  return asked === null || state === asked ? undefined : "That is the address of another sign-in.";
}
