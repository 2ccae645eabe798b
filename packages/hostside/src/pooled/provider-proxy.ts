import {
  defaultTimeouts,
  isHostsideError,
  HostsideError,
  type AdmissionServer,
  type CallOptions,
  type QuarantinedTool,
  type ToolDefinition,
  type ToolGroup,
  type ToolOutcome,
  type ToolProvider,
  type ToolsChange,
} from "@hostside/core";
import { createDeadline, createEvent, foldCase, formatMs, quoteText, sameDefinition } from "@hostside/core/implement";

/** A provider for as long as it is needed. */
export interface Borrowed {
  readonly provider: ToolProvider;
  release(): void;
}

/** Represents a provider that comes and goes in a toolbox. */
export interface ProviderProxy extends ToolProvider {
  /** Shows what this provider has, in place of the one before. */
  attach(provider: ToolProvider): void;
}

interface Shown {
  readonly definitions: ReadonlyMap<string, ToolDefinition>;
  readonly groups: readonly ToolGroup[];
  readonly quarantined: readonly QuarantinedTool[];
  readonly servers: ReadonlyMap<string, AdmissionServer>;
  /** How long calls may take, by folded names. */
  readonly callMs: ReadonlyMap<string, number>;
}

const nothing: Shown = {
  definitions: new Map(),
  groups: [],
  quarantined: [],
  servers: new Map(),
  callMs: new Map(),
};

/** What a proxy is made from. */
export interface ProviderProxyInit {
  /** That of a provider. */
  readonly name: string;
  /** Gets the provider, made anew where it has ended. */
  readonly borrow: (signal: AbortSignal | undefined) => Promise<Borrowed>;
}

/**
 * Shows the tools that its provider had last, also while there is none, so that a conversation that
 * nobody uses costs no connection; a call borrows the provider, which is made anew where it has
 * ended. Close it: the provider stays open.
 */
export function createProviderProxy({ name, borrow }: ProviderProxyInit): ProviderProxy {
  const changes = createEvent<ToolsChange>();
  let current: ToolProvider | undefined;
  let unfollow = (): void => undefined;
  let shown = nothing;
  let revision = 0;
  let isClosed = false;
  const show = (provider: ToolProvider): void => {
    // What has ended shows nothing; what it had last is shown until there is another one.
    if (isClosed || provider !== current || provider.closed) return;
    const before = shown;
    shown = read(provider);
    revision += 1;
    changes.emit(changeOf(before.definitions, shown.definitions));
  };
  const attach = (provider: ToolProvider): void => {
    if (provider === current || isClosed) return;
    unfollow();
    current = provider;
    unfollow = provider.onToolsChanged(() => show(provider));
    show(provider);
  };
  const take = async (signal: AbortSignal | undefined): Promise<Borrowed> => {
    if (isClosed) throw new HostsideError("the conversation is closed", { code: "closed" });
    const borrowed = await borrow(signal);
    attach(borrowed.provider);
    return borrowed;
  };
  const during = async <T>(
    signal: AbortSignal | undefined,
    work: (provider: ToolProvider) => Promise<T>,
  ): Promise<T> => {
    const borrowed = await take(signal);
    try {
      return await work(borrowed.provider);
    } finally {
      borrowed.release();
    }
  };
  const callTimeoutMs = (toolName: string): number | undefined => {
    const key = foldCase(toolName);
    return shown.definitions.has(key) ? (shown.callMs.get(key) ?? defaultTimeouts.callMs) : undefined;
  };
  return {
    name,
    get revision() {
      return revision;
    },
    get closed() {
      return isClosed;
    },
    attach,
    tools: (names) =>
      names === undefined
        ? [...shown.definitions.values()]
        : names.flatMap((one) => shown.definitions.get(foldCase(one)) ?? []),
    groups: () => shown.groups,
    quarantined: () => shown.quarantined,
    unreadyGroups: () => (current?.closed === false ? (current.unreadyGroups?.() ?? []) : []),
    has: (toolName) => shown.definitions.has(foldCase(toolName)),
    describeServer: (serverId) =>
      (current?.closed === false ? current.describeServer?.(serverId) : undefined) ?? shown.servers.get(serverId),
    init: (options = {}) => during(options.signal, (provider) => provider.init(options)),
    refresh: (options = {}) => during(options.signal, (provider) => provider.refresh(options)),
    callTimeoutMs,
    call(toolName, args, options = {}) {
      const { timeoutMs = callTimeoutMs(toolName) ?? defaultTimeouts.callMs } = options;
      return callWithin({ toolName, args, options, timeoutMs }, take);
    },
    onToolsChanged: changes.on,
    async close() {
      isClosed = true;
      unfollow();
      current = undefined;
      shown = nothing;
      changes.close();
    },
  };
}

interface ProxyCall {
  readonly toolName: string;
  readonly args: unknown;
  readonly options: CallOptions;
  readonly timeoutMs: number;
}

/**
 * Calls a tool of a provider that is borrowed for it; the wait for the provider is part of the time
 * of the call.
 */
async function callWithin(
  { toolName, args, options, timeoutMs }: ProxyCall,
  take: ProviderProxyInit["borrow"],
): Promise<ToolOutcome> {
  const onTimeout = (): HostsideError => lateError(toolName, timeoutMs);
  const time = createDeadline({ timeoutMs, signal: options.signal, outer: options.deadline, onTimeout });
  let borrowed: Borrowed | undefined;
  try {
    borrowed = await take(time.signal);
    const leftMs = Math.max(1, time.remainingMs());
    time.dispose();
    return await borrowed.provider.call(toolName, args, { ...options, timeoutMs: leftMs });
  } catch (error) {
    throw borrowed === undefined && isHostsideError(time.signal.reason, "call_timeout") ? time.signal.reason : error;
  } finally {
    time.dispose();
    borrowed?.release();
  }
}

function read(provider: ToolProvider): Shown {
  const definitions = provider.tools();
  const quarantined = provider.quarantined?.() ?? [];
  const servers = new Map<string, AdmissionServer>();
  const ids = [
    ...definitions.map(({ origin }) => origin?.serverId),
    ...quarantined.map(({ definition }) => definition.origin?.serverId),
  ];
  for (const id of new Set(ids)) {
    const server = id === undefined ? undefined : provider.describeServer?.(id);
    if (id !== undefined && server !== undefined) servers.set(id, server);
  }
  const callMs = definitions.flatMap(({ name }): (readonly [string, number])[] => {
    const ms = provider.callTimeoutMs?.(name);
    return ms === undefined ? [] : [[foldCase(name), ms]];
  });
  return {
    definitions: new Map(definitions.map((one) => [foldCase(one.name), one])),
    groups: provider.groups(),
    quarantined,
    servers,
    callMs: new Map(callMs),
  };
}

function changeOf(before: Shown["definitions"], after: Shown["definitions"]): ToolsChange {
  const added: string[] = [];
  const changed: string[] = [];
  for (const [key, one] of after) {
    const old = before.get(key);
    if (old === undefined) added.push(one.name);
    else if (old !== one && !sameDefinition(old, one)) changed.push(one.name);
  }
  const removed = [...before].filter(([key]) => !after.has(key)).map(([, { name }]) => name);
  return { added: added.toSorted(), removed: removed.toSorted(), changed: changed.toSorted() };
}

function lateError(toolName: string, timeoutMs: number): HostsideError {
  const problem = `tool ${quoteText(toolName)} was not called: its connections were not there within ${formatMs(timeoutMs)}`;
  return new HostsideError(problem, { code: "call_timeout", toolName, outcome: "not-sent", details: { timeoutMs } });
}
