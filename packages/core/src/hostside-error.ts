import { quoteText } from "./text.ts";
import { isPlainObject, kindOf } from "./json.ts";
import type { ApprovalDenial, SuspendedCall } from "./suspended-call.ts";
import { errorCodes, type CallOutcome, type ErrorKind, type HostsideErrorCode } from "./hostside-error-code.ts";

const brand: unique symbol = Symbol.for("hostside.error");
// https://nodejs.org/api/util.html#custom-inspection-functions-on-objects; Deno and Bun know it, too.
const inspectCustom: unique symbol = Symbol.for("nodejs.util.inspect.custom");

type Inspect = (value: unknown, options: unknown) => string;

/** One place where a value is not what its schema asks for. */
export interface Violation {
  /** The place, as a JSON Pointer (RFC 6901) into the value: `""` the value itself, `"/path/0"`. */
  readonly path: string;
  /** Keyword of the schema that is broken, such as `"required"`. */
  readonly keyword?: string;
  /** The rule, for people and models. */
  readonly message: string;
}

/**
 * Evidence for a failure, as data. Each member is present only where it means something; none ever
 * holds a secret.
 */
export interface ErrorDetails {
  /** The operation, in words: `"initialize"`, `"tools/list"`, `"tools/call"`. */
  readonly operation?: string;
  /** The spec's field that breaks a rule, as a path: `"headers.x-api-key"`. */
  readonly field?: string;
  /** How long the deadline was. */
  readonly timeoutMs?: number;
  /** Exit code of the server's process; `null` when a signal ended it. */
  readonly exitCode?: number | null;
  /** Signal that ended the server's process. */
  readonly exitSignal?: string | null;
  /** The last lines the server wrote to stderr, redacted and bounded. */
  readonly stderrTail?: string;
  readonly httpStatus?: number;
  /**
   * How long to wait before the next try, as the server (`Retry-After`, capped) or a limit of this
   * host asks.
   */
  readonly retryAfterMs?: number;
  /** The `WWW-Authenticate` challenge, for a caller that can answer it. */
  readonly challenge?: string;
  /** Code of the JSON-RPC error object. */
  readonly rpcCode?: number;
  /** Member `data` of the JSON-RPC error object, untrusted. */
  readonly rpcData?: unknown;
  /** Protocol revisions the server offers. */
  readonly supported?: readonly string[];
  /**
   * Nothing was tried, because the latest try failed a short while ago: its error is the cause, and
   * `retryAfterMs` says until when.
   */
  readonly backOff?: true;
  /**
   * How much of a limit of the host is used, and how much there is of it, such as calls or
   * connections.
   */
  readonly usage?: { readonly used: number; readonly limit: number };
  /**
   * The faults of the arguments of an `invalid_arguments`, or with the result of an
   * `invalid_output`, in the order of the value.
   */
  readonly violations?: readonly Violation[];
  /** Which rule or limit of the host decided, by the name that its owner gave it. */
  readonly policy?: string;
  /**
   * The call of an `approval_required`, to be kept until somebody approves it.
   * {@linkcode HostsideError.toJSON} leaves its arguments out.
   */
  readonly approval?: SuspendedCall;
  /**
   * The reason of an `auth_required` that ended a sign-in: `declined` by the user; `not-granted` by
   * the authorization server; `no-client`: there is no way to become its client; `no-answer`:
   * nobody came back in time; `wrong-issuer`: the answer is from another authorization server;
   * `not-pending`: nothing was begun, or it was answered or ended already; `wrong-principal`: it
   * was begun for somebody else; `wrong-url`: the callback is none of this sign-in.
   */
  readonly reason?:
    | "declined"
    | "no-answer"
    | "no-client"
    | "not-granted"
    | "not-pending"
    | "wrong-issuer"
    | "wrong-principal"
    | "wrong-url";
  /**
   * Scopes that the server wants and that were not granted; of an `auth_required` or a `forbidden`.
   */
  readonly missingScopes?: readonly string[];
  /** The reason of an `approval_denied`. */
  readonly denied?: ApprovalDenial;
  /** How often it was tried. */
  readonly attempts?: number;
  /**
   * A bounded excerpt of what came instead of an answer; of a program that could not be connected
   * to, its first line on stdout that was no message.
   */
  readonly excerpt?: string;
  /**
   * Servers of an `unknown_tool`, and of a wait for one, whose tools are not on offer now, in
   * server-id order.
   */
  readonly servers?: readonly AbsentServer[];
  /** Local names that an `unknown_tool` may have meant, three at most. */
  readonly suggestions?: readonly string[];
  /** The failures behind a `refresh_failed`, one per server, in server-id order. */
  readonly failures?: readonly HostsideError[];
}

/** The parts of a {@linkcode HostsideError}. */
export interface HostsideErrorInit {
  readonly code: HostsideErrorCode;
  readonly serverId?: string | undefined;
  /** The tool's remote name; of an `unknown_tool`, the name that was asked for. */
  readonly toolName?: string | undefined;
  /** Default: that of the code. Without effect while the outcome is `unknown`. */
  readonly retryable?: boolean | undefined;
  /** Default: that of the code. */
  readonly outcome?: CallOutcome | undefined;
  readonly details?: ErrorDetails | undefined;
  readonly cause?: unknown;
}

const outcomes: ReadonlySet<unknown> = new Set<CallOutcome>(["not-sent", "unknown", "failed"]);

// Nobody branches on a code that there is not: whatever was meant by it would be lost.
function assertInit(init: HostsideErrorInit): void {
  if (!isRecord(init)) throw fail("what it is made from", `must be an object with a code, not ${kindOf(init)}`);
  const { code, outcome, retryable, details, serverId, toolName, cause } = init;
  // An error of a newer copy of this package may bring what this one does not know, and who copies
  // it says so by the cause.
  if (!isHostsideError(cause, code)) {
    if (typeof code !== "string" || !Object.hasOwn(errorCodes, code)) {
      const shown = typeof code === "string" ? quoteText(code, 40) : kindOf(code);
      throw fail("code", `must be one of those in errorCodes, not ${shown}`);
    }
    if (outcome !== undefined && !outcomes.has(outcome))
      throw fail("outcome", 'must be "not-sent", "unknown" or "failed"');
  }
  if (retryable !== undefined && typeof retryable !== "boolean") throw fail("retryable", "must be true or false");
  if (details !== undefined && !isRecord(details)) throw fail("details", `must be an object, not ${kindOf(details)}`);
  if (serverId !== undefined && typeof serverId !== "string") throw fail("serverId", "must be a string");
  if (toolName !== undefined && typeof toolName !== "string") throw fail("toolName", "must be a string");
}

// To narrow the type would lose that of the members.
const isRecord: (value: unknown) => boolean = isPlainObject;

function fail(member: string, rule: string): TypeError {
  return new TypeError(`new HostsideError(): ${member} ${rule}`);
}

/**
 * The one error that Hostside throws at run time. Branch on {@linkcode code}, never on the message.
 *
 * Wrong use by a programmer is a `TypeError` instead, and an expected negative result (a tool's
 * `isError`) is a value. To make one with a code, an outcome or details that there are not is a
 * `TypeError`, too.
 */
export class HostsideError extends Error {
  override readonly name: string = "HostsideError";
  readonly code: HostsideErrorCode;
  readonly kind: ErrorKind;
  /** The server that the failure is about; `undefined` when it is about none. */
  readonly serverId: string | undefined;
  /**
   * The remote name of the tool that was called, if one was; of an `unknown_tool`, the name that
   * was asked for. Untrusted.
   */
  readonly toolName: string | undefined;
  /**
   * The same operation may be tried again later as it is: it may succeed, and it did not run
   * before. Always `false` when the outcome is `unknown`, because whoever may have run once must
   * not be invited to run twice.
   */
  readonly retryable: boolean;
  readonly outcome: CallOutcome;
  readonly details: ErrorDetails;
  /** The message without the code in front. */
  readonly rawMessage: string;

  constructor(message: string, init: HostsideErrorInit) {
    assertInit(init);
    super(`[${init.code}] ${message}`, init.cause === undefined ? undefined : { cause: init.cause });
    // An error of a newer copy of this package may bring a code that this one does not know.
    const entry = Object.hasOwn(errorCodes, init.code) ? errorCodes[init.code] : errorCodes.internal_error;
    this.code = init.code;
    this.kind = entry.kind;
    this.serverId = init.serverId;
    this.toolName = init.toolName;
    this.outcome = init.outcome ?? entry.outcome;
    this.retryable = this.outcome !== "unknown" && (init.retryable ?? entry.retryable);
    this.details = init.details ?? {};
    this.rawMessage = message;
    const show = (_depth: unknown, options: unknown, inspect: Inspect): string =>
      describeError(this, (members) => inspect(members, options));
    Object.defineProperties(this, { [brand]: { value: true }, [inspectCustom]: { value: show } });
  }

  /**
   * A JSON-able view for logs: everything but the stack, the cause, and the arguments of a call
   * that waits for approval.
   */
  toJSON(): Record<string, unknown> {
    const { name, code, kind, serverId, toolName, retryable, outcome, message } = this;
    return { name, code, kind, serverId, toolName, retryable, outcome, message, details: detailsForLogs(this.details) };
  }
}

// Of a suspended call what it can be found by: its arguments and its context are the
// conversation's.
function detailsForLogs(details: ErrorDetails): Record<string, unknown> {
  if (details.approval === undefined) return { ...details };
  const { id, expiresAt } = details.approval;
  return { ...details, approval: { id, expiresAt } };
}

// What `util.inspect` and Node's console show: the stack, the members, and where the causes come
// from. A foreign cause shows neither its members nor its message, because these may hold what must
// not be shown: Node's error of a failed `spawn` has all arguments of the command, an SDK's error
// the text with which a server refused a token. Who needs them reads `cause`.
function describeError(error: HostsideError, show: (members: object) => string): string {
  const { code, kind, serverId, toolName, retryable, outcome } = error;
  const known = { code, kind, serverId, toolName, retryable, outcome, details: detailsForLogs(error.details) };
  const members = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
  const causes = originsOf(error.cause).map((origin) => `\n  [cause]: ${origin.replaceAll("\n", "\n  ")}`);
  return `${error.stack} ${show(members)}${causes.join("")}`;
}

function originsOf(cause: unknown): readonly string[] {
  const origins: string[] = [];
  let current = cause;
  // A chain of causes is short; the bound is against one that loops.
  for (let depth = 0; depth < 8 && current instanceof Error; depth += 1) {
    origins.push(isHostsideError(current) ? String(current.stack) : originOf(current));
    current = current.cause;
  }
  return origins;
}

function originOf(error: Error): string {
  const code = "code" in error && (typeof error.code === "string" || typeof error.code === "number") ? error.code : "";
  const frames = String(error.stack)
    .split("\n")
    .filter((line) => /^ {4}at /.test(line));
  return [code === "" ? error.name : `${error.name} (${code})`, ...frames].join("\n");
}

/**
 * Like `instanceof`, but also true across two installed copies of this package.
 *
 * @example
 * if (isHostsideError(error, "auth_required")) await oauth.authorize(error.serverId ?? "");
 */
export function isHostsideError(value: unknown): value is HostsideError;
/** The same, for one code. */
export function isHostsideError<Code extends HostsideErrorCode>(
  value: unknown,
  code: Code,
): value is HostsideError & { readonly code: Code };
export function isHostsideError(value: unknown, code?: HostsideErrorCode): boolean {
  return (
    value instanceof Error &&
    Object.hasOwn(value, brand) &&
    (code === undefined || ("code" in value && value.code === code))
  );
}

/** Members to add or replace; the error's own brand, cause and stack stay. */
export type HostsideErrorPatch = Partial<Omit<HostsideErrorInit, "code">>;

/**
 * A copy of `error` that knows more: which server, which tool, which outcome. The original becomes
 * the copy's cause, so that its stack is not lost.
 */
export function withErrorContext(error: HostsideError, patch: HostsideErrorPatch): HostsideError {
  const copy = new HostsideError(error.rawMessage, {
    code: error.code,
    serverId: patch.serverId ?? error.serverId,
    toolName: patch.toolName ?? error.toolName,
    retryable: patch.retryable ?? claimOf(error),
    outcome: patch.outcome ?? error.outcome,
    details: { ...error.details, ...patch.details },
    cause: error,
  });
  if (patch.cause !== undefined) copy.cause = patch.cause;
  return copy;
}

// An error that learns what became of the call is as retryable as its code: of itself it could not
// say so before.
function claimOf({ outcome, retryable }: HostsideError): boolean | undefined {
  return outcome === "unknown" ? undefined : retryable;
}

/** A server whose tools are not on offer now, and why. */
export interface AbsentServer {
  readonly id: string;
  /**
   * As its status says: `connecting`, `failed`, `needs-auth`, `disabled`; `idle` when nothing has
   * been asked of it, not even `init()`.
   */
  readonly state: string;
  /** Code of what it failed with. */
  readonly code?: HostsideErrorCode | undefined;
}
