import {
  cleanText,
  HostsideError,
  isHostsideError,
  type CallOptions,
  type HostsideErrorCode,
  type ToolDefinition,
  type ToolOutcome,
  type ToolProvider,
  type ToolsChange,
} from "@hostside/core";
import {
  assertCallOptions,
  assertInitOptions,
  assertKnownOptions,
  assertNames,
  assertRefreshOptions,
  assertToolName,
  compareText,
  createDeadline,
  createEvent,
  foldCase,
  formatMs,
  quoteText,
  readCallArguments,
  sameDefinition,
  unknownToolError,
  type EventSource,
  type Fields,
} from "@hostside/core/implement";
import type { NamingStrategy } from "@hostside/naming";
import { createSignIns, type SignInMeans, type SignInServer, type SignInStatus } from "./sign-in.ts";
import { createToolNames } from "./tool-names.ts";

/** Options of {@linkcode createAuthenticateTools}. */
export interface AuthenticateToolsOptions extends SignInMeans {
  /**
   * Names the tools, as those of the tool `authenticate` of each server. Default `hostsideNaming`,
   * also in place of a strategy that does not show the server.
   */
  readonly naming?: NamingStrategy | undefined;
}

interface AuthenticateTool {
  readonly server: SignInServer;
  readonly definition: ToolDefinition;
}

const owner = "createAuthenticateTools()";
const fields: Fields<AuthenticateToolsOptions> = {
  oauth: true,
  provider: true,
  principal: true,
  naming: true,
};
const groupId = "authenticate";
/** The time in which an authorization that was begun can be completed. */
const longestCallMs = 600_000;

/**
 * Makes the tools by which a model asks for servers to be signed in to, for
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
  assertOptions(options);
  const { oauth, provider, principal } = options;
  const nameTools = createToolNames(options.naming);
  const closing = new AbortController();
  const signIns = createSignIns({ oauth, provider, principal }, { closing: closing.signal });
  const tools = new ShownTools();

  const follow = (): void => {
    if (closing.signal.aborted) return;
    const statuses = provider.statuses();
    const names = nameTools(
      statuses.map(({ id }) => id),
      (name) => provider.has(name),
    );
    const needing = statuses.filter(needsSignIn).map(({ id }) => id);
    tools.show(needing.map((id) => defineTool(id, provider.describeServer?.(id)?.title ?? id, names.get(id) ?? "")));
  };
  const assertOpen = (): void => closing.signal.throwIfAborted();
  const close = async (reason?: string): Promise<void> => {
    if (closing.signal.aborted) return;
    closing.abort(closedError(reason));
    for (const end of subscriptions) end();
    tools.show([]);
    tools.changed.close();
  };
  const subscriptions = [
    provider.onStatusChanged(({ id, state }) => {
      if (state === "removed") signIns.forget(id);
      follow();
    }),
    provider.onToolsChanged(follow),
    provider.onClosed(() => void close()),
    oauth.onSignedIn(({ serverId, principal: whose }) => {
      if (whose === principal && tools.isOffered(serverId)) void signIns.bringTools(serverId);
    }),
  ];
  if (provider.closed) void close();
  else follow();

  return {
    name: groupId,
    get revision() {
      return tools.revision;
    },
    get closed() {
      return closing.signal.aborted;
    },
    tools(names) {
      if (names === undefined) return tools.definitions;
      assertNames("tools(): names", names);
      return names.flatMap((name) => tools.find(name)?.definition ?? []);
    },
    groups() {
      if (tools.definitions.length === 0) return [];
      const description = "MCP servers that the user has to sign in to before their tools can be used";
      return [{ id: groupId, title: "Signing in", description, members: tools.definitions.map(({ name }) => name) }];
    },
    has: (name) => tools.find(name) !== undefined,
    callTimeoutMs: (name) => (tools.find(name) === undefined ? undefined : longestCallMs),
    async init(initOptions = {}) {
      assertInitOptions(initOptions);
      assertOpen();
    },
    async refresh(refreshOptions = {}) {
      assertRefreshOptions(refreshOptions);
      assertOpen();
    },
    async call(name, args, callOptions = {}) {
      assertOpen();
      assertToolName("call()", name);
      assertCallOptions(callOptions);
      const tool = tools.find(name);
      if (tool === undefined) throw unknownToolError(name, tools.definitions);
      return callTool(tool, { args, options: callOptions, closing: closing.signal }, (signal) =>
        signIns.signIn(tool.server, signal),
      );
    },
    onToolsChanged: tools.changed.on,
    close,
  };
}

function assertOptions(options: AuthenticateToolsOptions): void {
  assertKnownOptions(owner, options, fields);
  const { oauth, provider, principal } = options as unknown as Readonly<Record<string, unknown>>;
  for (const [place, given, method] of [
    ["oauth", oauth, "authorize"],
    ["provider", provider, "refreshServer"],
  ] as const) {
    if (typeof (given as Readonly<Record<string, unknown>> | undefined)?.[method] === "function") continue;
    throw new TypeError(`${owner} needs ${place}, which has ${method}()`);
  }
  if (principal !== undefined && (typeof principal !== "string" || principal === "")) {
    throw new TypeError(`${owner}: principal must be a text that is not empty`);
  }
}

// While it is tried again, a server says what its latest attempt failed with.
function needsSignIn({ state, auth, error }: SignInStatus): boolean {
  const wasRefused = error?.code === "auth_required" || error?.code === "forbidden";
  return auth === "oauth" && (state === "needs-auth" || (state === "connecting" && wasRefused));
}

// Nothing in it is the server's.
function defineTool(serverId: string, given: string, name: string): AuthenticateTool {
  const title = cleanText(given, 100).replaceAll(/\s+/g, " ");
  const shown = JSON.stringify(title);
  const which = given === serverId ? "" : ` (${quoteText(serverId)})`;
  const description = [
    `Signs the user in to the MCP server ${shown}${which}, whose tools are not available before.`,
    "Call it when the task needs that server. It takes no arguments.",
    "The user is shown a page, or the answer has the URL of one to show them; once they have signed in, the server's tools are available.",
  ].join(" ");
  const definition: ToolDefinition = {
    name,
    title: `Sign in to ${title}`,
    description,
    inputSchema: { type: "object", properties: {}, additionalProperties: false },
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    effect: "external",
    effectSource: "host",
    groupIds: [groupId],
  };
  return { server: { serverId, shown }, definition: Object.freeze(definition) };
}

class ShownTools {
  readonly changed: EventSource<ToolsChange> = createEvent<ToolsChange>();
  revision = 1;
  /** Sorted by name. */
  definitions: readonly ToolDefinition[] = [];
  // By their names, with A to Z lower-cased.
  #tools: ReadonlyMap<string, AuthenticateTool> = new Map();

  find(name: string): AuthenticateTool | undefined {
    return this.#tools.get(foldCase(name));
  }

  isOffered(serverId: string): boolean {
    return [...this.#tools.values()].some(({ server }) => server.serverId === serverId);
  }

  show(next: readonly AuthenticateTool[]): void {
    const before = this.definitions;
    const old = ({ name }: ToolDefinition): ToolDefinition | undefined => this.find(name)?.definition;
    const after = next.map(({ definition }) => definition).sort((a, b) => compareText(a.name, b.name));
    const added = after.filter((tool) => old(tool) === undefined);
    const differing = after.filter((tool) => old(tool) !== undefined && !sameDefinition(old(tool) ?? tool, tool));
    this.#tools = new Map(next.map((tool) => [foldCase(tool.definition.name), tool]));
    const removed = before.filter(({ name }) => this.find(name) === undefined);
    if (added.length + removed.length + differing.length === 0) return;
    this.definitions = Object.freeze(after);
    this.revision += 1;
    const namesOf = (some: readonly ToolDefinition[]): readonly string[] => some.map(({ name }) => name);
    this.changed.emit({ added: namesOf(added), removed: namesOf(removed), changed: namesOf(differing) });
  }
}

// Rejects with `tool_changed`, `invalid_arguments`, `call_timeout`, `aborted` and `closed`;
// everything else is an answer.
async function callTool(
  { server: { serverId }, definition }: AuthenticateTool,
  { args, options, closing }: { readonly args: unknown; readonly options: CallOptions; readonly closing: AbortSignal },
  signIn: (signal: AbortSignal) => Promise<{ readonly text: string; readonly isError: boolean }>,
): Promise<ToolOutcome> {
  const { selected, timeoutMs = longestCallMs, signal, deadline: outer } = options;
  const { name } = definition;
  const fail = (code: HostsideErrorCode, message: string, cause?: unknown): HostsideError =>
    new HostsideError(message, { code, serverId, toolName: name, cause });
  if (selected !== undefined && !sameDefinition(selected, definition)) {
    throw fail("tool_changed", `the tool ${name} is not the one that was selected; select it again`);
  }
  const origin = { serverId: "", toolName: name, qualifiedName: `local::${name}` };
  const outcome = (text: string, isError: boolean): ToolOutcome => {
    const content = [{ type: "text", text }] as const;
    return { content, isError, origin, raw: { content, isError } };
  };
  if (Object.keys(readCallArguments(args, origin)).length > 0) {
    return outcome(`${name} takes no arguments: call it with {}.`, true);
  }
  const ending = signal === undefined ? closing : AbortSignal.any([signal, closing]);
  const onTimeout = (): HostsideError =>
    fail("call_timeout", `${name}: the user did not sign in within ${formatMs(timeoutMs)}`);
  const deadline = createDeadline({ timeoutMs, signal: ending, outer, onTimeout });
  try {
    const { text, isError } = await signIn(deadline.signal);
    return outcome(text, isError);
  } catch (error) {
    throw isHostsideError(error) ? error : fail("aborted", `${name} was aborted`, error);
  } finally {
    deadline.dispose();
  }
}

function closedError(reason?: string): HostsideError {
  const why = reason === undefined ? "" : `: ${reason}`;
  return new HostsideError(`the tools for signing in are closed${why}`, { code: "closed" });
}
