/// <reference lib="esnext.disposable" preserve="true" />
import {
  defaultTimeouts,
  isHostsideError,
  HostsideError,
  type AdmissionServer,
  type ToolProvider,
  type ToolsChange,
} from "@hostside/core";
import { createDeadline, createEvent, foldCase, formatMs, quoteText, sameDefinition } from "@hostside/core/implement";

/** A provider for as long as it is needed. */
export interface Borrowed extends Disposable {
  readonly provider: ToolProvider;
}

/** Represents a provider that comes and goes in a toolbox. */
export interface ProviderProxy extends ToolProvider {
  /** Shows what this provider has, in place of the one before. */
  attach(provider: ToolProvider): void;
}

/** Parts of {@linkcode createProviderProxy}. */
export interface ProviderProxyInit {
  /** The name of the proxy as a provider. */
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
  let shown = read(undefined);
  let revision = 0;
  let isClosed = false;
  const show = (provider: ToolProvider): void => {
    // What has ended shows nothing; what it had last is shown until there is another one.
    if (isClosed || provider !== current || provider.closed) return;
    const { definitions } = shown;
    shown = read(provider);
    revision += 1;
    changes.emit(changeOf(definitions, shown.definitions));
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
    async init(options = {}) {
      using borrowed = await take(options.signal);
      await borrowed.provider.init(options);
    },
    async refresh(options = {}) {
      using borrowed = await take(options.signal);
      await borrowed.provider.refresh(options);
    },
    callTimeoutMs,
    // The wait for the provider is part of the time of the call.
    async call(toolName, args, options = {}) {
      const { timeoutMs = callTimeoutMs(toolName) ?? defaultTimeouts.callMs, signal } = options;
      const onTimeout = (): HostsideError => lateError(toolName, timeoutMs);
      const time = createDeadline({ timeoutMs, signal, outer: options.deadline, onTimeout });
      const taking = take(time.signal).catch((error: unknown) => {
        throw isHostsideError(time.signal.reason, "call_timeout") ? time.signal.reason : error;
      });
      using borrowed = await taking.finally(() => time.dispose());
      const leftMs = Math.max(1, time.remainingMs());
      return await borrowed.provider.call(toolName, args, { ...options, timeoutMs: leftMs });
    },
    onToolsChanged: changes.on,
    async close() {
      isClosed = true;
      unfollow();
      current = undefined;
      shown = read(undefined);
      changes.close();
    },
  };
}

type Shown = ReturnType<typeof read>;

/** All that a provider shows; of `undefined` nothing. Names are folded. */
function read(provider: ToolProvider | undefined) {
  const definitions = provider?.tools() ?? [];
  const quarantined = provider?.quarantined?.() ?? [];
  const servers = new Map<string, AdmissionServer>();
  for (const { origin } of [...definitions, ...quarantined.map(({ definition }) => definition)]) {
    const id = origin?.serverId ?? "";
    const server = servers.has(id) ? undefined : provider?.describeServer?.(id);
    if (server !== undefined) servers.set(id, server);
  }
  return {
    definitions: new Map(definitions.map((one) => [foldCase(one.name), one])),
    groups: provider?.groups() ?? [],
    quarantined,
    servers,
    callMs: new Map(definitions.map(({ name }) => [foldCase(name), provider?.callTimeoutMs?.(name)])),
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
