import {
  HostsideError,
  isHostsideError,
  type ToolProvider,
  type CallOptions,
  type ToolOrigin,
  type ToolOutcome,
  type Clock,
} from "@hostside/core";
import {
  assertCallOptions,
  assertInitOptions,
  assertNames,
  assertRefreshOptions,
  assertToolName,
  unknownToolError,
  createDeadline,
  formatMs,
  readCallArguments,
  sameDefinition,
} from "@hostside/core/implement";
import { readToolsOptions, type AuthenticateToolsOptions } from "./authenticate-options.ts";
import { createLiveTools, type AuthenticateTool } from "./live-tools.ts";
import { createSignIns, type SignInAnswer, type SignIns } from "./sign-in.ts";

/**
 * The tools by which a model asks for servers to be signed in to, for
 * `createToolbox({ providers })`: one for each server of `auth: "oauth"` that needs the user to
 * sign in, as long as it does. A call signs in by the `prompt` of `createOAuth`, or answers with
 * the URL to show where there is none, and brings the server's own tools in; so does a sign-in that
 * is completed anywhere else. Whatever comes of it is an answer that a model can read: only what
 * the caller ended rejects (`aborted`, `call_timeout`), and wrong use.
 *
 * No tool of the server's is ever taken for one of these, nor the other way around: a name that
 * another tool has is not used. `init()` and `refresh()` start nothing. Closed by `close()`, and
 * with the provider. Throws a `TypeError` that names an option that cannot be used.
 */
export function createAuthenticateTools(options: AuthenticateToolsOptions): ToolProvider {
  const settings = readToolsOptions(options);
  const { name, oauth, provider, principal, clock } = settings;
  const closing = new AbortController();
  const signIns = createSignIns(settings, closing.signal);
  const tools = createLiveTools(settings);
  const assertOpen = (): void => closing.signal.throwIfAborted();

  const close = async (reason?: string): Promise<void> => {
    if (closing.signal.aborted) return;
    closing.abort(closedError(reason));
    for (const end of subscriptions) end();
    tools.close();
  };
  const subscriptions = [
    provider.onStatusChanged(({ id, state }) => {
      if (state === "removed") signIns.forget(id);
      tools.follow();
    }),
    provider.onToolsChanged(() => tools.follow()),
    provider.onClosed(() => void close()),
    oauth.onSignedIn(({ serverId, principal: whose }) => {
      if (whose === principal && tools.isOffered(serverId)) void signIns.bringTools(serverId);
    }),
  ];
  if (provider.closed) void close();
  else tools.follow();

  return {
    name,
    get revision() {
      return tools.revision;
    },
    get closed() {
      return closing.signal.aborted;
    },
    tools(names) {
      if (names === undefined) return tools.definitions;
      assertNames("tools(): names", names);
      return names.flatMap((one) => tools.find(one)?.definition ?? []);
    },
    groups: () => tools.groups,
    has: (toolName) => tools.find(toolName) !== undefined,
    callTimeoutMs: (toolName) => (tools.find(toolName) === undefined ? undefined : longestCallMs),
    async init(initOptions = {}) {
      assertInitOptions(initOptions);
      assertOpen();
    },
    async refresh(refreshOptions = {}) {
      assertRefreshOptions(refreshOptions);
      assertOpen();
    },
    async call(toolName, args, callOptions = {}) {
      assertOpen();
      assertToolName("call()", toolName);
      assertCallOptions(callOptions);
      const tool = tools.find(toolName);
      if (tool === undefined) throw unknownToolError(toolName, tools.definitions);
      return callAuthenticateTool(tool, { args, options: callOptions }, { signIns, closing: closing.signal, clock });
    },
    onToolsChanged: tools.onChanged,
    close,
  };
}

function closedError(reason?: string): HostsideError {
  const why = reason === undefined ? "" : `: ${reason}`;
  return new HostsideError(`the tools for signing in are closed${why}`, { code: "closed" });
}

/** What a call needs. */
export interface CallAuthenticateToolInit {
  readonly signIns: SignIns;
  readonly closing: AbortSignal;
  readonly clock: Clock;
}

/**
 * How long a call may take that does not say: as long as an authorization that was begun can be
 * completed.
 */
const longestCallMs = 600_000;

/**
 * Calls a tool. Rejects with `tool_changed`, `invalid_arguments`, `call_timeout`, `aborted` and
 * `closed`; everything else is an answer.
 */
async function callAuthenticateTool(
  tool: AuthenticateTool,
  { args, options }: { readonly args: unknown; readonly options: CallOptions },
  { signIns, closing, clock }: CallAuthenticateToolInit,
): Promise<ToolOutcome> {
  const { selected, timeoutMs = longestCallMs, signal, deadline: outer } = options;
  const { name } = tool.definition;
  if (selected !== undefined && !sameDefinition(selected, tool.definition)) throw changedError(tool);
  const origin = { serverId: "", toolName: name, qualifiedName: `local::${name}` };
  if (Object.keys(readCallArguments(args, origin)).length > 0) {
    return toOutcome({ text: `${name} takes no arguments: call it with {}.`, isError: true }, origin);
  }
  const ending = signal === undefined ? closing : AbortSignal.any([signal, closing]);
  const onTimeout = (): HostsideError => lateError(tool, timeoutMs);
  const deadline = createDeadline({ timeoutMs, signal: ending, outer, onTimeout, clock });
  try {
    return toOutcome(await signIns.signIn(tool.server, deadline.signal), origin);
  } catch (error) {
    throw isHostsideError(error) ? error : abortedError(tool, error);
  } finally {
    deadline.dispose();
  }
}

function toOutcome({ text, isError }: SignInAnswer, origin: ToolOrigin): ToolOutcome {
  const content = [{ type: "text", text }] as const;
  return { content, isError, origin, raw: { content, isError } };
}

function changedError({ definition: { name } }: AuthenticateTool): HostsideError {
  return new HostsideError(`the tool ${name} is not the one that was selected; select it again`, {
    code: "tool_changed",
    toolName: name,
  });
}

function lateError({ server, definition }: AuthenticateTool, timeoutMs: number): HostsideError {
  return new HostsideError(`${definition.name}: the user did not sign in within ${formatMs(timeoutMs)}`, {
    code: "call_timeout",
    serverId: server.serverId,
    toolName: definition.name,
  });
}

function abortedError({ server, definition }: AuthenticateTool, reason: unknown): HostsideError {
  return new HostsideError(`${definition.name} was aborted`, {
    code: "aborted",
    serverId: server.serverId,
    toolName: definition.name,
    cause: reason,
  });
}
