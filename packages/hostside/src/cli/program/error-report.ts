import { isHostsideError, type HostsideError } from "@hostside/core";
import type { TypedServer } from "../render/server-words.ts";
import { UsageError } from "../usage-error.ts";
import { hintOf } from "./hint-of.ts";

/** What went wrong, as `--json` prints it: `{ "error": … }`. */
export interface ErrorReport {
  /**
   * One of `docs/errors.md`, or `"usage"` (the command line is wrong), `"system"` (files and the
   * like: the message has the system's own code) or `"bug"`.
   */
  readonly code: string;
  /** Whose move it is, see `ErrorKind`. */
  readonly kind: string;
  readonly message: string;
  readonly serverId?: string | undefined;
  readonly toolName?: string | undefined;
  /** What is known about the effect of a call. */
  readonly outcome?: string | undefined;
  readonly retryable?: boolean | undefined;
  /** What mends it, as a line for people. */
  readonly hint?: string | undefined;
  /** Evidence, see `ErrorDetails`. */
  readonly details?: unknown;
}

/** What is to be said of something that was thrown. */
export function reportError(error: unknown, typed?: TypedServer): ErrorReport {
  if (isHostsideError(error)) return reportHostsideError(error, typed);
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError) return { code: "usage", kind: "contract", message, hint: error.hint };
  if (isSystemError(error)) return { code: "system", kind: "system", message };
  return {
    code: "bug",
    kind: "system",
    message,
    hint: "this is a defect of hostside: run it again with --verbose, and report what it says at https://github.com/hostside/hostside/issues",
  };
}

function reportHostsideError(error: HostsideError, typed?: TypedServer): ErrorReport {
  const { code, kind, rawMessage, serverId, toolName, outcome, retryable } = error;
  const details = error.toJSON()["details"];
  const hint = hintOf(error, typed);
  return { code, kind, message: rawMessage, serverId, toolName, outcome, retryable, hint, details };
}

// https://nodejs.org/api/errors.html#class-systemerror
function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && "code" in error;
}
