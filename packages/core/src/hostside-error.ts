import { quoteText } from "./text.ts";
import { isPlainObject, kindOf } from "./json.ts";
import type { ApprovalDenial, SuspendedCall } from "./suspended-call.ts";

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

const knownOutcomes: ReadonlySet<unknown> = new Set<CallOutcome>(["not-sent", "unknown", "failed"]);

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
    if (outcome !== undefined && !knownOutcomes.has(outcome))
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

/**
 * The party that has to act: `contract` the caller or the configuration is wrong; `auth`
 * credentials are missing or refused; `execution` the server or the way to it failed; `policy` a
 * limit of this host cut in; `system` a defect in Hostside.
 */
export type ErrorKind = "contract" | "auth" | "execution" | "policy" | "system";

/**
 * The known effect of the call that failed: `not-sent` it never left this host, so a
 * repeat is safe; `unknown` it may have run; `failed` the server says that it did not run, or not
 * to the end.
 */
export type CallOutcome = "not-sent" | "unknown" | "failed";

/** The properties of every error with one code. */
interface ErrorCodeEntry {
  readonly kind: ErrorKind;
  /**
   * Whether the same operation may succeed when it is tried again later, with nothing changed.
   * Holds for an error that knows what became of the call: one whose outcome is `unknown` is never
   * retryable.
   */
  readonly retryable: boolean;
  /** The outcome of an error that does not state its own. */
  readonly outcome: CallOutcome;
  /** One line for people; `docs/reference/errors.md` repeats it. */
  readonly meaning: string;
}

const meanings = {
  contract: {
    invalid_config: "A configuration that was named cannot be used: no server of it can be started.",
    invalid_spec: "A server spec breaks a rule; nothing was started.",
    invalid_names: "Saved tool names are malformed or break a rule of the naming strategy.",
    invalid_catalog: "The saved catalogue is malformed, or a later version of Hostside wrote it.",
    invalid_recording: "The recording is malformed or damaged, or a later version of Hostside wrote it.",
    duplicate_server: "A server with this id, or one that normalises to the same name, is already registered.",
    unknown_server: "No server with this id is registered.",
    server_disabled: "The server is registered but disabled.",
    unknown_tool: "No tool with this name is in the catalogue.",
    tool_removed: "The server no longer offers this tool.",
    tool_changed: "The tool's definition changed since it was selected; select it again.",
    registration_replaced: "The server was replaced since the tool was selected; select it again.",
    invalid_arguments: "The arguments are no JSON object, or do not fit the tool.",
    unsupported_transport: "This connector, or this JavaScript runtime, cannot open such a transport.",
    unsupported_operation: "The server, or the connector, does not offer this operation.",
    closed: "The provider or connection was closed.",
    resource_not_found: "There is no resource with this URI.",
  },
  auth: {
    auth_required: "The server requires credentials, or refused them (HTTP 401).",
    forbidden: "The credentials are valid but do not allow this (HTTP 403).",
    not_allowed: "A rule of this host denies the operation or the connection.",
  },
  execution: {
    spawn_failed: "The server's process could not be started.",
    server_exited: "The server's process ended.",
    unreachable: "No connection to the server's address.",
    dns_failed: "The server's host name has no address.",
    tls_failed: "No trusted TLS connection to the server.",
    http_error: "The server answered with an unexpected HTTP status.",
    redirect_refused:
      "The server redirected elsewhere. Only a 307 or 308 within the origin of the URL is followed, with body and credentials.",
    handshake_failed: "The server did not complete the MCP handshake.",
    unsupported_protocol: "Server and host share no protocol revision.",
    connection_closed: "The connection or response stream ended before the answer.",
    session_expired: "The server no longer knows the session.",
    protocol_error: "The server's answer is not valid MCP.",
    message_too_large: "A message exceeded the size limit.",
    server_error: "The server answered with a JSON-RPC error.",
    invalid_output: "The tool ran, and its result does not fit its schema.",
    listing_truncated: "The server's list ended early; what is whole is kept.",
    server_removed: "The server was removed or disconnected during the operation.",
    refresh_failed: "One or more servers could not be refreshed; the others were published.",
  },
  policy: {
    connect_timeout: "The server was not ready within the connect deadline.",
    list_timeout: "The server did not list its tools within the deadline.",
    call_timeout: "The call did not finish within its deadline.",
    request_timeout: "A low-level request was not answered within its deadline.",
    aborted: "The caller aborted the operation.",
    call_refused: "An interceptor refused the call: a rule or a person said no.",
    approval_required: "The call must be approved first.",
    approval_denied: "The person or handler that was asked denied the call.",
    tool_quarantined: "The tool is held back until the host lets it be used.",
    overloaded: "Too many calls, subscriptions or connections at once.",
    rate_limited: "The server asks to slow down (HTTP 429), or a limit of this host does.",
    budget_exceeded: "The budget for such calls is used up.",
    circuit_open: "The server failed too often; calls are refused for a while.",
    input_required: "The server asked for user input, and no elicitation handler is set.",
  },
  system: {
    store_failed: "A store could not be read, or a write has no known result; nothing was sent.",
    internal_error: "A defect in Hostside or in a custom part plugged into it.",
  },
} as const;

/**
 * The stable, machine-readable name of a failure. Branch on it; never on a message. The list is
 * closed: a new code is a minor release, a renamed or removed one a major release.
 */
export type HostsideErrorCode = { [Kind in ErrorKind]: keyof (typeof meanings)[Kind] }[ErrorKind];

const retryable: ReadonlySet<string> = new Set<HostsideErrorCode>([
  "server_exited",
  "unreachable",
  "dns_failed",
  "http_error",
  "connection_closed",
  "session_expired",
  "refresh_failed",
  "connect_timeout",
  "list_timeout",
  "call_timeout",
  "request_timeout",
  "overloaded",
  "rate_limited",
  "circuit_open",
]);
const outcomes: ReadonlyMap<string, CallOutcome> = new Map<HostsideErrorCode, CallOutcome>([
  ["resource_not_found", "failed"],
  ["auth_required", "failed"],
  ["forbidden", "failed"],
  ["server_exited", "unknown"],
  ["http_error", "unknown"],
  ["redirect_refused", "failed"],
  ["connection_closed", "unknown"],
  ["session_expired", "unknown"],
  ["protocol_error", "unknown"],
  ["message_too_large", "unknown"],
  ["server_error", "failed"],
  ["invalid_output", "unknown"],
  ["server_removed", "unknown"],
  ["call_timeout", "unknown"],
  ["request_timeout", "unknown"],
  ["aborted", "unknown"],
  ["rate_limited", "failed"],
  ["input_required", "failed"],
  ["internal_error", "unknown"],
]);

/** The meaning of each code. */
export const errorCodes: Readonly<Record<HostsideErrorCode, ErrorCodeEntry>> = Object.fromEntries(
  Object.entries(meanings).flatMap(([kind, codes]) =>
    Object.entries(codes).map(([code, meaning]) => [
      code,
      { kind, retryable: retryable.has(code), outcome: outcomes.get(code) ?? "not-sent", meaning },
    ]),
  ),
) as Record<HostsideErrorCode, ErrorCodeEntry>;
