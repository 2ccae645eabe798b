import type { HostsideError, HostsideErrorCode } from "@hostside/core";
import { serverWords, type TypedServer } from "../render/server-words.ts";
import { shellLine } from "../render/shell-word.ts";

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
  server_disabled: (server) => `hostside list ${server} says why; hostside enable or hostside trust changes it`,
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
  spawn_failed: examine,
  server_exited: examine,
  unreachable: examine,
  dns_failed: examine,
  tls_failed: examine,
  http_error: examine,
  redirect_refused: examine,
  handshake_failed: examine,
  unsupported_protocol: examine,
  connect_timeout: patience,
  list_timeout: patience,
};

/** The command that mends a failure, in a line for people; `undefined` where none is known. */
export function hintOf(error: HostsideError, typed?: TypedServer): string | undefined {
  const server = error.serverId === undefined ? "NAME" : shellLine(serverWords(error.serverId, typed));
  return Object.hasOwn(hints, error.code) ? hints[error.code]?.(server, error) : undefined;
}
