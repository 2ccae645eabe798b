import {
  ToolportError,
  type AdmissionServer,
  type QuarantinedTool,
  type ToolDefinition,
  type ToolGroup,
  type ToolProvider,
  type ToolsChange,
} from "@toolport/core";
import { createEvent, foldCase, sameDefinition } from "@toolport/core/implement";

/** A provider for as long as it is needed. */
export interface Borrowed {
  readonly provider: ToolProvider;
  release(): void;
}

/** Stands in a toolbox for a provider that comes and goes. */
export interface StandIn extends ToolProvider {
  /** Shows what this provider has, in place of the one before. */
  attach(provider: ToolProvider): void;
}

interface Shown {
  readonly definitions: ReadonlyMap<string, ToolDefinition>;
  readonly groups: readonly ToolGroup[];
  readonly quarantined: readonly QuarantinedTool[];
  readonly servers: ReadonlyMap<string, AdmissionServer>;
}

const nothing: Shown = { definitions: new Map(), groups: [], quarantined: [], servers: new Map() };

/**
 * Shows the tools that its provider had last, also while there is none, so that a conversation that nobody uses costs no connection; a call borrows the
 * provider, which is made anew where it has ended. Close it: the provider stays open.
 */
export function createStandIn(name: string, borrow: (signal: AbortSignal | undefined) => Promise<Borrowed>): StandIn {
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
  const during = async <T>(
    signal: AbortSignal | undefined,
    work: (provider: ToolProvider) => Promise<T>,
  ): Promise<T> => {
    if (isClosed) throw new ToolportError("the conversation is closed", { code: "closed" });
    const borrowed = await borrow(signal);
    try {
      attach(borrowed.provider);
      return await work(borrowed.provider);
    } finally {
      borrowed.release();
    }
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
    definitions: (names) =>
      names === undefined
        ? [...shown.definitions.values()]
        : names.flatMap((one) => shown.definitions.get(foldCase(one)) ?? []),
    groups: () => shown.groups,
    quarantined: () => shown.quarantined,
    unreadyGroups: () => (current?.closed === false ? (current.unreadyGroups?.() ?? []) : []),
    has: (toolName) => shown.definitions.has(foldCase(toolName)),
    describeServer: (serverId) => shown.servers.get(serverId),
    init: (options = {}) => during(options.signal, (provider) => provider.init(options)),
    refresh: (options = {}) => during(options.signal, (provider) => provider.refresh(options)),
    call: (toolName, args, options = {}) =>
      during(options.signal, (provider) => provider.call(toolName, args, options)),
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

function read(provider: ToolProvider): Shown {
  const definitions = provider.definitions();
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
  return {
    definitions: new Map(definitions.map((one) => [foldCase(one.name), one])),
    groups: provider.groups(),
    quarantined,
    servers,
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
