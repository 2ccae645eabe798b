/**
 * Whose move it is: `contract` the caller or the configuration is wrong; `auth` credentials are
 * missing or refused; `execution` the server or the way to it failed; `policy` a limit of this host
 * cut in; `system` a defect in Hostside.
 */
export type ErrorKind = "contract" | "auth" | "execution" | "policy" | "system";

/**
 * What is known about the effect of the call that failed: `not-sent` it never left this host, so a
 * repeat is safe; `unknown` it may have run; `failed` the server says that it did not run, or not
 * to the end.
 */
export type CallOutcome = "not-sent" | "unknown" | "failed";

/** What every error with one code has in common. */
export interface ErrorCodeEntry {
  readonly kind: ErrorKind;
  /**
   * Whether the same operation may succeed when it is tried again later, with nothing changed.
   * Holds for an error that knows what became of the call: one whose outcome is `unknown` is never
   * retryable.
   */
  readonly retryable: boolean;
  /** The outcome of an error that does not state its own. */
  readonly outcome: CallOutcome;
  /** One line for people; `docs/errors.md` repeats it. */
  readonly meaning: string;
}

const contract = { kind: "contract", retryable: false, outcome: "not-sent" } as const;
const auth = { kind: "auth", retryable: false, outcome: "failed" } as const;
const execution = { kind: "execution", retryable: true, outcome: "not-sent" } as const;
const policy = { kind: "policy", retryable: true, outcome: "not-sent" } as const;

/**
 * The stable, machine-readable name of a failure. Branch on it; never on a message. The list is
 * closed: a new code is a minor release, a renamed or removed one a major release.
 */
export type HostsideErrorCode =
  | "invalid_config"
  | "invalid_spec"
  | "invalid_names"
  | "invalid_catalog"
  | "invalid_recording"
  | "duplicate_server"
  | "unknown_server"
  | "server_disabled"
  | "unknown_tool"
  | "tool_removed"
  | "tool_changed"
  | "registration_replaced"
  | "invalid_arguments"
  | "unsupported_transport"
  | "unsupported_operation"
  | "closed"
  | "resource_not_found"
  | "prompt_not_found"
  | "auth_required"
  | "forbidden"
  | "not_allowed"
  | "spawn_failed"
  | "server_exited"
  | "unreachable"
  | "dns_failed"
  | "tls_failed"
  | "http_error"
  | "redirect_refused"
  | "handshake_failed"
  | "unsupported_protocol"
  | "connection_closed"
  | "session_expired"
  | "protocol_error"
  | "message_too_large"
  | "server_error"
  | "invalid_output"
  | "listing_truncated"
  | "server_removed"
  | "refresh_failed"
  | "connect_timeout"
  | "list_timeout"
  | "call_timeout"
  | "request_timeout"
  | "aborted"
  | "call_refused"
  | "approval_required"
  | "approval_denied"
  | "tool_quarantined"
  | "overloaded"
  | "rate_limited"
  | "budget_exceeded"
  | "circuit_open"
  | "input_required"
  | "store_failed"
  | "internal_error";

/** What each code stands for. */
export const errorCodes: Readonly<Record<HostsideErrorCode, ErrorCodeEntry>> = {
  invalid_config: {
    ...contract,
    meaning: "A configuration that was named cannot be used: no server of it can be started.",
  },
  invalid_spec: { ...contract, meaning: "A server spec breaks a rule; nothing was started." },
  invalid_names: { ...contract, meaning: "Saved tool names are malformed or break a rule of the naming strategy." },
  invalid_catalog: {
    ...contract,
    meaning: "A saved catalogue is none, or was written by a later version of Hostside.",
  },
  invalid_recording: {
    ...contract,
    meaning: "A recorded conversation is none, is damaged, or was written by a later version of Hostside.",
  },
  duplicate_server: {
    ...contract,
    meaning: "A server with this id, or one that normalises to the same name, is already registered.",
  },
  unknown_server: { ...contract, meaning: "No server with this id is registered." },
  server_disabled: { ...contract, meaning: "The server is registered but disabled." },
  unknown_tool: { ...contract, meaning: "No tool with this name is in the catalogue." },
  tool_removed: { ...contract, meaning: "The server no longer offers this tool." },
  tool_changed: { ...contract, meaning: "The tool's definition changed since it was selected; select it again." },
  registration_replaced: {
    ...contract,
    meaning: "The server was replaced since the tool was selected; select it again.",
  },
  invalid_arguments: { ...contract, meaning: "The arguments are no JSON object, or not what the tool takes." },
  unsupported_transport: {
    ...contract,
    meaning: "This connector, or this JavaScript runtime, cannot open such a transport.",
  },
  unsupported_operation: { ...contract, meaning: "The server, or the connector, does not offer this operation." },
  closed: { ...contract, meaning: "The provider or connection was closed." },
  resource_not_found: { ...contract, outcome: "failed", meaning: "There is no resource with this URI." },
  prompt_not_found: { ...contract, outcome: "failed", meaning: "There is no prompt with this name." },

  auth_required: { ...auth, meaning: "The server wants credentials, or refused those it got (HTTP 401)." },
  forbidden: { ...auth, meaning: "The credentials are valid but do not allow this (HTTP 403)." },
  not_allowed: {
    ...auth,
    outcome: "not-sent",
    meaning: "A rule of this host denies that, or connections may not go there.",
  },

  spawn_failed: { ...execution, retryable: false, meaning: "The server's process could not be started." },
  server_exited: { ...execution, outcome: "unknown", meaning: "The server's process ended." },
  unreachable: { ...execution, meaning: "No connection to the server's address." },
  dns_failed: { ...execution, meaning: "The server's host name has no address." },
  tls_failed: { ...execution, retryable: false, meaning: "No trusted TLS connection to the server." },
  http_error: { ...execution, outcome: "unknown", meaning: "The server answered with an unexpected HTTP status." },
  redirect_refused: {
    ...execution,
    retryable: false,
    outcome: "failed",
    meaning:
      "The server redirected elsewhere. Only a 307 or 308 within the origin of the URL is followed, with body and credentials.",
  },
  handshake_failed: { ...execution, retryable: false, meaning: "The server did not complete the MCP handshake." },
  unsupported_protocol: { ...execution, retryable: false, meaning: "Server and host share no protocol revision." },
  connection_closed: {
    ...execution,
    outcome: "unknown",
    meaning: "The connection or response stream ended before the answer.",
  },
  session_expired: {
    ...execution,
    outcome: "unknown",
    meaning: "The server no longer knows the session.",
  },
  protocol_error: {
    ...execution,
    retryable: false,
    outcome: "unknown",
    meaning: "The server's answer is not valid MCP.",
  },
  message_too_large: {
    ...execution,
    retryable: false,
    outcome: "unknown",
    meaning: "A message exceeded the size limit.",
  },
  server_error: {
    ...execution,
    retryable: false,
    outcome: "failed",
    meaning: "The server answered with a JSON-RPC error.",
  },
  invalid_output: {
    ...execution,
    retryable: false,
    outcome: "unknown",
    meaning: "The tool ran, and its result is not what it promised.",
  },
  listing_truncated: {
    ...execution,
    retryable: false,
    meaning: "The server's list ended early; what is whole is kept.",
  },
  server_removed: {
    ...execution,
    retryable: false,
    outcome: "unknown",
    meaning: "The server was removed or disconnected during the operation.",
  },
  refresh_failed: { ...execution, meaning: "One or more servers could not be refreshed; the others were published." },

  connect_timeout: { ...policy, meaning: "The server was not ready within the connect deadline." },
  list_timeout: { ...policy, meaning: "The server did not list its tools within the deadline." },
  call_timeout: { ...policy, outcome: "unknown", meaning: "The call did not finish within its deadline." },
  request_timeout: {
    ...policy,
    outcome: "unknown",
    meaning: "A low-level request was not answered within its deadline.",
  },
  aborted: { ...policy, retryable: false, outcome: "unknown", meaning: "The caller aborted the operation." },
  call_refused: {
    ...policy,
    retryable: false,
    meaning: "An interceptor refused the call: a rule or a person said no.",
  },
  approval_required: { ...policy, retryable: false, meaning: "Somebody has to approve the call first." },
  approval_denied: { ...policy, retryable: false, meaning: "Whoever was asked to approve the call said no." },
  tool_quarantined: {
    ...policy,
    retryable: false,
    meaning: "The tool is held back until the host lets it be used.",
  },
  overloaded: {
    ...policy,
    meaning: "Too much at once: the queue of calls is full, or as much is subscribed to as the limit allows.",
  },
  rate_limited: {
    ...policy,
    outcome: "failed",
    meaning: "The server asks to slow down (HTTP 429), or a limit of this host does.",
  },
  budget_exceeded: { ...policy, retryable: false, meaning: "The budget for such calls is used up." },
  circuit_open: { ...policy, meaning: "The server failed too often; it is left alone for a while." },
  input_required: {
    ...policy,
    retryable: false,
    outcome: "failed",
    meaning: "The server asked for user input, and no elicitation handler is set.",
  },

  store_failed: {
    kind: "system",
    retryable: false,
    outcome: "not-sent",
    meaning: "What the host keeps could not be read, or it is not known whether it was written; nothing was sent.",
  },
  internal_error: {
    kind: "system",
    retryable: false,
    outcome: "unknown",
    meaning: "A defect in Hostside or in a custom part plugged into it.",
  },
};
