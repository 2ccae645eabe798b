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
    prompt_not_found: "There is no prompt with this name.",
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
  ["prompt_not_found", "failed"],
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
