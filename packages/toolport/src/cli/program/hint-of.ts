import type { ToolportError, ToolportErrorCode } from "@toolport/core";
import { shellLine } from "../render/shell-word.ts";

type Hint = (server: string, error: ToolportError) => string | undefined;

// Of what is on no server there is nothing to look into.
const examine: Hint = (server, { serverId }) =>
  serverId === undefined ? undefined : `toolport doctor ${server} looks into it`;
const patience: Hint = (server) => `--timeout SECONDS waits longer; toolport doctor ${server} shows what takes so long`;
const signIn: Hint = (server) => `toolport login ${server} signs in`;
const review: Hint = () => "toolport diff shows what changed; toolport lock accepts it";

const hints: Readonly<Partial<Record<ToolportErrorCode, Hint>>> = {
  auth_required: signIn,
  forbidden: () => "toolport auth shows who is signed in where",
  unknown_server: () => "toolport list shows the servers",
  server_disabled: (server) => `toolport list ${server} says why; toolport enable or toolport trust changes it`,
  unknown_tool: () => "toolport search WORDS finds tools; toolport list shows them all",
  tool_removed: () => "toolport list shows what there is",
  invalid_arguments: (_server, { toolName }) =>
    toolName === undefined
      ? "toolport show TOOL shows what it takes"
      : `toolport show ${shellLine([toolName])} shows what it takes`,
  invalid_config: () => "toolport doctor shows every problem of the configuration",
  approval_required: () => "--yes approves the call",
  call_timeout: () => "--call-timeout SECONDS gives it longer",
  tool_changed: review,
  tool_quarantined: review,
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
export function hintOf(error: ToolportError): string | undefined {
  const server = error.serverId === undefined ? "NAME" : shellLine([error.serverId]);
  return Object.hasOwn(hints, error.code) ? hints[error.code]?.(server, error) : undefined;
}
