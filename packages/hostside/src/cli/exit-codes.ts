import { isHostsideError } from "@hostside/core";

/**
 * The command line is wrong, or nobody could be asked: a message, and what to do in place of it.
 * Ends a command with `exitCodes.usage`.
 */
export class UsageError extends Error {
  override readonly name: string = "UsageError";
  /** A line that says what would be right: a near name, or a command. */
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

/**
 * Makes the error of a command that was asked for something wrong. `hint`: what would be right, as
 * a line of its own.
 */
export function usageError(message: string, hint?: string): UsageError {
  return new UsageError(message, hint);
}

/** The hint for names that somebody may have meant, if there are any. */
export function didYouMean(names: readonly string[]): string | undefined {
  return names.length === 0 ? undefined : `Did you mean ${names.join(" or ")}?`;
}

/**
 * The reason to end a command without a further word: its output is closed, as in
 * `hostside list | head -1`, or an uncaught error was shown already.
 */
export class EndedSilently extends Error {
  override readonly name: string = "EndedSilently";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super("ended");
    this.exitCode = exitCode;
  }
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Exit codes of commands: the table of the conformance kit. */
export const exitCodes = {
  /** It did what was asked. */
  pass: 0,
  /** The tool said that it failed, a server is not well, a check found something. */
  fail: 1,
  /** The command line or the configuration is wrong, or nobody could be asked. */
  usage: 2,
  /** Not everything could be done, or it was interrupted. */
  incomplete: 3,
  /** A server could not be reached. */
  unreachable: 4,
  /** Somebody has to sign in first. */
  authRequired: 5,
} as const;

/** Codes of errors of a server that could not be reached. */
export const unreachable: ReadonlySet<string> = new Set([
  "spawn_failed",
  "server_exited",
  "unreachable",
  "dns_failed",
  "tls_failed",
  "http_error",
  "redirect_refused",
  "handshake_failed",
  "unsupported_protocol",
  "connection_closed",
  "connect_timeout",
  "list_timeout",
]);

/** The code that a failure ends a command with. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) return exitCodes.usage;
  if (!isHostsideError(error)) return exitCodes.fail;
  const { code, kind, outcome } = error;
  if (code === "aborted" || code === "rate_limited") return exitCodes.incomplete;
  if (kind === "auth") return exitCodes.authRequired;
  if (kind === "contract" || code.startsWith("approval_")) return exitCodes.usage;
  if (unreachable.has(code)) return exitCodes.unreachable;
  return outcome === "not-sent" && kind !== "system" ? exitCodes.incomplete : exitCodes.fail;
}
