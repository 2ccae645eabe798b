import { cleanText, isHostsideError, type HostsideError, type ToolOrigin } from "@hostside/core";
import { assertKnownOptions, type Fields } from "@hostside/core/implement";
import { delimitersFor, plainBrackets } from "../present/delimiters.ts";
import { member } from "../present/untrusted.ts";
import type { Presented, PresentedError } from "../presented.ts";

/** As what an error can be presented. */
export type ErrorForm = "blocks" | "text" | "envelope";

/** How an error is shown. */
export interface PresentErrorOptions {
  /**
   * Puts the message of an error that is about a server between marks: it may quote what the server
   * said. Default: none.
   */
  readonly delimiters?: boolean | undefined;
}

/**
 * An error as data. For a refused credential
 * `{"error":{"code":"authorization_required","server_id"}}`, and nothing else.
 */
export interface ErrorEnvelope {
  readonly error:
    | { readonly code: "authorization_required"; readonly server_id: string }
    | (PresentedError & { readonly server_id?: string; readonly tool?: string });
}

const fields: Fields<PresentErrorOptions> = { delimiters: true };

/**
 * Presents an error to a model: a text with the code, the kind, the message, whether
 * the call ran, whether to try again, and where the arguments were wrong as JSON pointers, so that
 * it can mend its call. Takes anything that was thrown. No stack, no cause, no message of an error
 * that is not Hostside's. Pure, bounded, and never throws but a `TypeError` for options.
 *
 * @example
 * const text = presentError(error, "text");
 */
export function presentError(error: unknown, form?: "blocks", options?: PresentErrorOptions): Presented;
/** The same as a text. */
export function presentError(error: unknown, form: "text", options?: PresentErrorOptions): string;
/** The same as data. */
export function presentError(error: unknown, form: "envelope", options?: PresentErrorOptions): ErrorEnvelope;
export function presentError(
  error: unknown,
  form: ErrorForm = "blocks",
  options: PresentErrorOptions = {},
): Presented | string | ErrorEnvelope {
  assertKnownOptions("presentError()", options, fields);
  const { delimiters = false } = options;
  const read = readError(error);
  switch (form) {
    case "blocks": {
      const origin = originOf(read);
      const text = errorText(read, delimiters);
      return {
        blocks: [{ type: "text", text, part: "error" }],
        isError: true,
        error: read.error,
        omitted: [],
        ...(origin === undefined ? {} : { origin }),
      };
    }
    case "text":
      return errorText(read, delimiters);
    case "envelope":
      return errorEnvelope(read);
    default:
      throw new TypeError('presentError() takes a form: "blocks", "text" or "envelope"');
  }
}

function errorEnvelope({ error, serverId, toolName }: ReadError): ErrorEnvelope {
  if (error.code === "auth_required" && serverId !== undefined) {
    return { error: { code: "authorization_required", server_id: serverId } };
  }
  const server = serverId === undefined ? {} : { server_id: serverId };
  return { error: { ...error, ...server, ...(toolName === undefined ? {} : { tool: toolName }) } };
}

function errorText(read: ReadError, delimiters: boolean): string {
  const { error, serverId } = read;
  const { code, kind, message, violations = [] } = error;
  const lines = violations.map(
    ({ pointer, message: rule }) => `- ${pointer === "" ? "the arguments" : pointer}: ${rule}`,
  );
  if (read.moreViolations > 0) lines.push(`- and ${read.moreViolations} more`);
  const said = [message, ...lines].join("\n").toWellFormed();
  const advice = adviceFor(read);
  if (!delimiters || serverId === undefined) return `[error ${code}, ${kind}] ${said}\n${advice}`;
  const { open, close } = delimitersFor(originOf(read));
  return `[error ${code}, ${kind}]\n${open}${plainBrackets(said)}${close}\n${advice}`;
}

// What is known of the call's effect, and what to do. Of ours, so outside of the marks.
function adviceFor({ error, retryAfterMs }: ReadError): string {
  const ran = outcomes[error.outcome];
  if (error.violations !== undefined) return `${ran} Mend the arguments before you call again.`;
  if (error.outcome === "unknown") return ran;
  if (error.code === "unknown_tool") return `${ran} Do not repeat the same call before the tool is declared.`;
  if (error.code === "input_required") return `${ran} Do not repeat the same call before the user has done that.`;
  if (!error.retryable) return `${ran} Do not repeat the same call.`;
  const when = retryAfterMs === undefined ? "" : ` after ${retryAfterMs} ms`;
  return `${ran} The same call may be tried again${when}.`;
}

const outcomes: Readonly<Record<PresentedError["outcome"], string>> = {
  "not-sent": "The call did not run.",
  failed: "The call did not run, or not to its end.",
  unknown: "The call may have run: find out before you call again.",
};

function originOf({ serverId, toolName }: ReadError): ToolOrigin | undefined {
  if (serverId === undefined || toolName === undefined) return undefined;
  return { serverId, toolName, qualifiedName: `mcp::${serverId}::${toolName}` };
}

/** An error as it may be shown, with what else is known of it. */
interface ReadError {
  readonly error: PresentedError;
  readonly serverId: string | undefined;
  readonly toolName: string | undefined;
  /** How long to wait before another try, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** How many more violations there are than those shown. */
  readonly moreViolations: number;
}

const longestMessage = 2000;
const longestViolation = 300;
const mostViolations = 20;

/**
 * Reads anything that was thrown. The message of a `HostsideError` is shown, cleaned and bounded,
 * because its texts hold no secret. Any other error gets a general message, because its text may
 * hold one.
 */
function readError(error: unknown): ReadError {
  try {
    if (isHostsideError(error)) return readHostsideError(error);
  } catch {
    // What throws when it is looked at is foreign, whatever it claims to be.
  }
  // The platform's names for what an AbortSignal ends.
  const name = member(error, "name");
  const foreign =
    name === "AbortError" || name === "TimeoutError"
      ? ({ code: "aborted", kind: "policy", message: "the call was stopped" } as const)
      : ({ code: "internal_error", kind: "system", message: "the call failed in a way of its own" } as const);
  return {
    error: { ...foreign, retryable: false, outcome: "unknown" },
    serverId: undefined,
    toolName: undefined,
    retryAfterMs: undefined,
    moreViolations: 0,
  };
}

function readHostsideError(error: HostsideError): ReadError {
  const { code, kind, rawMessage, retryable, outcome, serverId, toolName, details } = error;
  const violations = (details.violations ?? []).slice(0, mostViolations).map(({ path, message }) => ({
    pointer: cleanText(path, longestViolation),
    message: cleanText(message, longestViolation),
  }));
  const message = cleanText(rawMessage, longestMessage);
  return {
    error: { code, kind, message, retryable, outcome, ...(violations.length > 0 && { violations }) },
    serverId,
    toolName,
    retryAfterMs: details.retryAfterMs,
    moreViolations: Math.max(0, (details.violations?.length ?? 0) - violations.length),
  };
}
