import { isHostsideError, type HostsideError, type HostsideErrorCode } from "@hostside/core";
import { serverWords, shellLine, cleanLines, terminalLine } from "../render/render-text.ts";
import { UsageError, messageOf, unreachable } from "../exit-codes.ts";
import type { CommandContext, TypedServer } from "../command-context.ts";
import { loadUtil, type Terminal } from "../terminal.ts";
import { printJson } from "../render/print.ts";

type Hint = (server: string, error: HostsideError) => string | undefined;

// Of what is on no server there is nothing to look into.
const examine: Hint = (server, { serverId }) =>
  serverId === undefined ? undefined : `hostside doctor ${server} looks into it`;
const patience: Hint = (server) => `--timeout SECONDS waits longer; hostside doctor ${server} shows what takes so long`;
// The error of a sign-in that failed says what to do; to begin the same again is no answer to it.
const signIn: Hint = (server, error) => {
  const { httpStatus, missingScopes = [], operation, reason } = error.details;
  if (reason === "no-client" || operation === "token request" || operation === "sign in") return undefined;
  // Credentials were sent: those of the entry, or of a sign-in that doctor knows more of.
  if (httpStatus === 401) return examine(server, error);
  const scopes = missingScopes.flatMap((scope) => ["--scope", scope]);
  return `${["hostside login", server, ...(scopes.length === 0 ? [] : [shellLine(scopes)])].join(" ")} signs in`;
};
const review: Hint = () => "hostside diff shows what changed; hostside lock accepts it";

const hints: Readonly<Partial<Record<HostsideErrorCode, Hint>>> = {
  auth_required: signIn,
  forbidden: () => "hostside auth shows who is signed in where",
  unknown_server: () => "hostside list shows the servers",
  server_disabled: (server) => `hostside list ${server} says why`,
  unknown_tool: () => "hostside search WORDS finds tools; hostside list shows them all",
  tool_removed: () => "hostside list shows what there is",
  invalid_arguments: (_server, { toolName }) =>
    toolName === undefined
      ? "hostside show TOOL shows what it takes"
      : `hostside show ${shellLine([toolName])} shows what it takes`,
  invalid_config: () => "hostside doctor shows every problem of the configuration",
  approval_required: () => "--yes approves the call",
  call_timeout: () => "--call-timeout SECONDS gives it longer",
  tool_changed: review,
  tool_quarantined: review,
  rate_limited: (_server, { details: { retryAfterMs } }) =>
    retryAfterMs === undefined ? undefined : `it may be tried again in ${Math.ceil(retryAfterMs / 1000)} s`,
  connect_timeout: patience,
  list_timeout: patience,
};

/** The command that mends a failure, in a line for people; `undefined` where none is known. */
function hintOf(error: HostsideError, typed?: TypedServer): string | undefined {
  const { code, serverId } = error;
  const server = serverId === undefined ? "NAME" : shellLine(serverWords(serverId, typed));
  return (hints[code] ?? (unreachable.has(code) ? examine : undefined))?.(server, error);
}

/** A failure as `--json` prints it: `{ "error": … }`. */
export interface ErrorReport {
  /**
   * One of `docs/reference/errors.md`, or `"usage"` (the command line is wrong), `"system"` (files
   * and the like: the message has the system's own code) or `"bug"`.
   */
  readonly code: string;
  /** The kind of the error, which says who can mend it. See `ErrorKind`. */
  readonly kind: string;
  readonly message: string;
  readonly serverId?: string | undefined;
  readonly toolName?: string | undefined;
  /** The effect of a call, as far as it is known. */
  readonly outcome?: string | undefined;
  readonly retryable?: boolean | undefined;
  /** A remedy, as a line for people. */
  readonly hint?: string | undefined;
  /** Evidence, see `ErrorDetails`. */
  readonly details?: unknown;
}

/** Describes whatever was thrown. */
export function reportError(error: unknown, typed?: TypedServer): ErrorReport {
  if (isHostsideError(error)) {
    const { code, kind, rawMessage: message, serverId, toolName, outcome, retryable } = error;
    const details = error.toJSON()["details"];
    return { code, kind, message, serverId, toolName, outcome, retryable, hint: hintOf(error, typed), details };
  }
  const message = messageOf(error);
  if (error instanceof UsageError) return { code: "usage", kind: "contract", message, hint: error.hint };
  if (isSystemError(error)) return { code: "system", kind: "system", message };
  const hint =
    "this is a defect of hostside: run it again with --verbose, and report what it says at https://github.com/hostside/hostside/issues";
  return { code: "bug", kind: "system", message, hint };
}

// https://nodejs.org/api/errors.html#class-systemerror
function isSystemError(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && "code" in error;
}

/**
 * Says what went wrong: on stderr for people, and with `--json` as the one document on stdout, too.
 */
export function renderError(error: unknown, { terminal, options }: CommandContext): void {
  const report = reportError(error, options.typed);
  if (options.json === true) printJson(terminal, { error: report });
  else terminal.err(`${linesOfError(error, report, terminal).join("\n")}\n`);
  if (options.verbose !== true) return;
  terminal.err(`${cleanLines(loadUtil().inspect(error)).join("\n")}\n`);
}

function linesOfError(
  error: unknown,
  report: ErrorReport,
  { paintErr }: Pick<Terminal, "paintErr">,
): readonly string[] {
  const { code, message, hint } = report;
  const isCoded = isHostsideError(error);
  const [first = "", ...rest] = cleanLines(message);
  const lines = [`${paintErr("bad", code === "bug" ? "bug:" : "error:")} ${first}`, ...rest.map((line) => `  ${line}`)];
  if (isCoded) {
    lines[0] += paintErr("dim", ` [${code}]`);
    lines.push(...evidenceOf(error).map((line) => `  ${paintErr("dim", line)}`));
  }
  if (hint !== undefined) lines.push(`${paintErr("name", "hint:")} ${terminalLine(hint)}`);
  return lines;
}

// What the message does not say itself.
function evidenceOf({ details, rawMessage }: HostsideError): readonly string[] {
  const { stderrTail, violations = [], failures = [], excerpt } = details;
  const lines = violations
    .filter(({ message }) => !rawMessage.includes(message))
    .map(({ path, message }) => terminalLine(`${path || "/"}: ${message}`));
  lines.push(
    ...failures.map(({ serverId, rawMessage: why, code }) => terminalLine(`${serverId ?? ""}: ${why} [${code}]`)),
  );
  for (const text of [excerpt, stderrTail]) {
    if (text === undefined || rawMessage.includes(text.trim())) continue;
    lines.push(...cleanLines(text).map((line) => `| ${line}`));
  }
  return lines;
}
