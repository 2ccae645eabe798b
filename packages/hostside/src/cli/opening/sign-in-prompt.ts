import type { OAuthPrompt } from "@hostside/auth";
import { terminalPrompt } from "@hostside/auth/node";
import type { Terminal } from "../terminal.ts";
import type { TerminalPrompter } from "../questions.ts";

/** Options of {@linkcode signInPrompt}. */
export interface SignInPromptOptions {
  /** Holds other questions back meanwhile. */
  readonly asker?: TerminalPrompter | undefined;
  /** `false`: no browser is opened; the page is written alone. */
  readonly opensBrowser?: boolean | undefined;
}

/**
 * Shows a user an authorization page: written to stderr, opened where a browser can be seen, and
 * answered by what is pasted where that one cannot come back.
 */
export function signInPrompt(
  { stdin, stderr, env, platform }: Terminal,
  { asker, opensBrowser = true }: SignInPromptOptions = {},
): OAuthPrompt {
  const prompt = terminalPrompt({
    input: stdin,
    output: stderr,
    env,
    platform,
    ...(opensBrowser ? {} : { open: false }),
  });
  return (request) => (asker === undefined ? prompt(request) : asker.alone(() => prompt(request), request.signal));
}
