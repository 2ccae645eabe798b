import {
  assertCallOptions,
  assertInitOptions,
  assertNames,
  assertRefreshOptions,
  assertToolName,
  readCallArguments,
} from "./call-input.ts";
import { withoutApproval } from "./call-context.ts";
import type { CallOptions } from "./connection.ts";
import { createEvent } from "./event.ts";
import { HostsideError, isHostsideError, withErrorContext } from "./hostside-error.ts";
import type { JsonObject } from "./json.ts";
import { defaultTimeouts } from "./limits.ts";
import { runWithDeadline } from "./deadline.ts";
import { compareText, foldCase, quoteText } from "./text.ts";
import type { ToolProvider, ToolsChange } from "./tool-provider.ts";
import { sameDefinition, type ToolDefinition, type ToolGroup, type ToolOutcome } from "./tool.ts";
import { unknownToolError } from "./unknown-tool-error.ts";

/** A tool of the host itself. */
export interface HostTool {
  readonly definition: ToolDefinition;
  /** Answers a call. Its `options` have neither `selected` nor the token of an approval. */
  run(args: JsonObject, options: CallOptions): Promise<HostToolResult>;
}

/** The answer of a tool of the host. */
export interface HostToolResult extends Pick<ToolOutcome, "content">, Partial<Pick<ToolOutcome, "isError">> {
  /** The server whose words these are. Default: the host's own. */
  readonly origin?: ToolOutcome["origin"];
}

/** Tools of the host itself that come and go, as a provider of a toolbox. */
export interface HostTools {
  readonly provider: ToolProvider;
  /** Aborts when the provider is closed. */
  readonly closing: AbortSignal;
  /** Offers these tools from now on, in place of those before. After the end it does nothing. */
  readonly show: (tools: readonly HostTool[]) => void;
}

/**
 * Makes tools of one group, whose id is the name of the provider. None is on offer yet. A call ends
 * by its time, its signal and the end of the provider, whatever its tool does. `init()` and
 * `refresh()` start nothing. `onClose` is called once.
 */
export function createHostTools(
  { id, title, description }: Omit<ToolGroup, "members">,
  onClose: () => void,
): HostTools {
  const changes = createEvent<ToolsChange>();
  const closing = new AbortController();
  const { signal } = closing;
  // By folded name.
  let tools: ReadonlyMap<string, HostTool> = new Map();
  let definitions: readonly ToolDefinition[] = [];
  let revision = 1;
  const find = (name: string): HostTool | undefined => tools.get(foldCase(name));
  const replace = (next: readonly HostTool[]): void => {
    const [old, before] = [tools, definitions];
    const after = next.map(({ definition }) => definition).sort((a, b) => compareText(a.name, b.name));
    const oldOf = ({ name }: ToolDefinition): ToolDefinition | undefined => old.get(foldCase(name))?.definition;
    const added = after.filter((tool) => oldOf(tool) === undefined);
    const changed = after.filter((tool) => !sameDefinition(oldOf(tool) ?? tool, tool));
    tools = new Map(next.map((tool) => [foldCase(tool.definition.name), tool]));
    const removed = before.filter(({ name }) => find(name) === undefined);
    if (added.length + removed.length + changed.length === 0) return;
    definitions = Object.freeze(after);
    revision += 1;
    const namesOf = (some: readonly ToolDefinition[]): readonly string[] => some.map(({ name }) => name);
    changes.emit({ added: namesOf(added), removed: namesOf(removed), changed: namesOf(changed) });
  };
  const provider: ToolProvider = {
    name: id,
    get revision() {
      return revision;
    },
    get closed() {
      return signal.aborted;
    },
    tools(names) {
      if (names === undefined) return definitions;
      assertNames("tools(): names", names);
      return names.flatMap((name) => find(name)?.definition ?? []);
    },
    groups() {
      const members = definitions.map(({ name }) => name);
      return members.length === 0 ? [] : [{ id, title, description, members }];
    },
    has: (name) => find(name) !== undefined,
    callTimeoutMs: (name) => (find(name) === undefined ? undefined : defaultTimeouts.callMs),
    async init(options = {}) {
      assertInitOptions(options);
      signal.throwIfAborted();
    },
    async refresh(options = {}) {
      assertRefreshOptions(options);
      signal.throwIfAborted();
    },
    async call(name, args, options = {}) {
      signal.throwIfAborted();
      assertToolName("call()", name);
      assertCallOptions(options);
      const tool = find(name);
      if (tool === undefined) throw unknownToolError(name, definitions);
      return callTool(tool, { args, options, closing: signal });
    },
    onToolsChanged: changes.on,
    async close(reason) {
      if (signal.aborted) return;
      const why = reason === undefined ? "" : `: ${reason}`;
      closing.abort(new HostsideError(`the tools of ${quoteText(id)} are closed${why}`, { code: "closed" }));
      onClose();
      replace([]);
      changes.close();
    },
  };
  return { provider, closing: signal, show: (next) => void (signal.aborted || replace(next)) };
}

interface GivenCall {
  readonly args: unknown;
  readonly options: CallOptions;
  readonly closing: AbortSignal;
}

async function callTool(tool: HostTool, { args, options, closing }: GivenCall): Promise<ToolOutcome> {
  const { definition } = tool;
  const { name } = definition;
  const { selected, context, signal, deadline: outer, ...rest } = options;
  if (selected !== undefined && !sameDefinition(selected, definition)) {
    const message = `tool ${quoteText(name)} is not the one that was selected; select it again`;
    throw new HostsideError(message, { code: "tool_changed", toolName: name });
  }
  const local = { serverId: "", toolName: name, qualifiedName: `local::${name}` };
  const given = readCallArguments(args, local);
  const { timeoutMs = defaultTimeouts.callMs } = rest;
  const time = { timeoutMs, signal: signal === undefined ? closing : AbortSignal.any([signal, closing]), outer };
  try {
    const result = await runWithDeadline({ what: `tool ${quoteText(name)}`, ...time }, (deadline) =>
      tool.run(given, { ...rest, context: withoutApproval(context), signal: deadline.signal, deadline }),
    );
    const { content, isError = false, origin = local } = result;
    return { content, isError, origin, raw: { content, isError } };
  } catch (error) {
    if (closing.aborted) throw closing.reason;
    const isNamed = !isHostsideError(error) || error.toolName !== undefined;
    throw isNamed ? error : withErrorContext(error, { toolName: name });
  }
}
