/// <reference lib="esnext.disposable" preserve="true" />
import type { ConversationKey, ConversationLease, SharedProviders } from "@hostside/cluster";
import {
  defaultTimeouts,
  HostsideError,
  isHostsideError,
  type AdmissionServer,
  type CallOptions,
  type Cancel,
  type ServerSharing,
  type ToolProvider,
  type ToolsChange,
} from "@hostside/core";
import {
  createDeadline,
  createEvent,
  foldCase,
  formatMs,
  quoteText,
  sameDefinition,
  type Deadline,
} from "@hostside/core/implement";
import type { Toolbox } from "@hostside/discovery";
import type { McpProvider } from "@hostside/provider";
import type { OpenToolboxes } from "../parts/open-toolboxes.ts";
import { needsSignIn } from "../sign-ins/pending-sign-ins.ts";
import type { SignInNews } from "../sign-ins/sign-in-news.ts";

/** A kind of sharing that is not among all. */
export type Apart = Exclude<ServerSharing, "shared">;

/** Parts of {@linkcode createSharedToolbox}. */
export interface SharedToolboxInit extends Pick<OpenToolboxes, "toolboxWith" | "signInTools"> {
  /** In front of the names of the providers. */
  readonly name: string;
  /** The kinds of sharing of which there are servers. */
  readonly sharings: ReadonlySet<Apart>;
  readonly providers: Pick<SharedProviders, "lease">;
  /** The sharing of each provider. */
  readonly owners: Pick<WeakMap<ToolProvider, Apart>, "get">;
  readonly signInNews: SignInNews;
}

/** A toolbox for all conversations that share all their connections. */
export interface SharedToolbox {
  readonly toolbox: Toolbox;
  readonly key: ConversationKey;
  /** How many conversations look at it. */
  users: number;
  /** Lends the providers, made anew where they have ended, and shows what they have. */
  readonly lend: () => Promise<ConversationLease>;
  /** The providers stay open. */
  close(reason?: string): void;
}

/** Makes the toolbox of the conversations with this key, whose providers may come and go. */
export function createSharedToolbox(key: ConversationKey, init: SharedToolboxInit): SharedToolbox {
  const { name, sharings, providers, owners, signInTools } = init;
  const lend = async (signal?: AbortSignal): Promise<ConversationLease> => {
    const lease = await providers.lease(key, { signal });
    for (const provider of lease.providers) parts.find(({ apart }) => apart === owners.get(provider))?.attach(provider);
    return lease;
  };
  const parts = Array.from(sharings, (apart) => {
    let current: McpProvider | undefined;
    // A user had to sign in when it was looked at last.
    let waits = false;
    let unwatch: Cancel = () => undefined;
    let signInsOfCurrent: ToolProvider | undefined;
    const borrow: Borrow = async (signal) => {
      const lease = await lend(signal);
      const provider = lease.providers.find((one) => owners.get(one) === apart);
      if (provider !== undefined) return { provider, [Symbol.dispose]: () => lease.release() };
      lease.release();
      throw new HostsideError(`there are no servers any more of sharing ${apart}`, { code: "tool_removed" });
    };
    const own = createProviderProxy(`${name}-${apart}`, borrow);
    const signIns =
      signInTools &&
      createProviderProxy(`${name}-${apart}-sign-in`, async (signal) => {
        const lent = await borrow(signal);
        return { ...lent, provider: signInsOfCurrent ?? lent.provider };
      });
    const attach = (provider: McpProvider): void => {
      if (provider === current) return;
      current = provider;
      unwatch();
      const look = (): void => {
        if (provider === current && !provider.closed) waits = provider.statuses().some(needsSignIn);
      };
      unwatch = provider.onStatusChanged(look);
      look();
      own.attach(provider);
      // The tools of the provider before end with it.
      signInsOfCurrent = signInTools?.(provider, key.principal);
      if (signInsOfCurrent !== undefined) signIns?.attach(signInsOfCurrent);
    };
    const hasEndedInWait = (): boolean => waits && current?.closed === true;
    const proxies = signIns === undefined ? [own] : [own, signIns];
    return { apart, attach, unwatch: () => unwatch(), hasEndedInWait, proxies };
  });
  const proxies = parts.flatMap((part) => part.proxies);
  const toolbox = init.toolboxWith(proxies);
  const unfollow = init.signInNews.on(key.principal, () => {
    // A provider that has not ended connects by itself, and one that nobody had to sign in for has
    // no part in it.
    if (!parts.some((part) => part.hasEndedInWait())) return;
    lend().then(
      (lease) => lease.release(),
      () => undefined,
    );
  });
  return {
    toolbox,
    key,
    users: 0,
    lend,
    close(reason) {
      unfollow();
      for (const part of parts) part.unwatch();
      toolbox.close(reason);
      for (const one of proxies) void one.close(reason);
    },
  };
}

/** A provider for as long as it is needed. */
interface Borrowed extends Disposable {
  readonly provider: ToolProvider;
}

/** Gets the provider, made anew where it has ended. */
type Borrow = (signal: AbortSignal | undefined) => Promise<Borrowed>;

/** Represents a provider that comes and goes in a toolbox. */
interface ProviderProxy extends ToolProvider {
  /** Shows what this provider has, in place of the one before. */
  attach(provider: ToolProvider): void;
}

/**
 * Shows the tools that its provider had last, also while there is none, so that a conversation that
 * nobody uses costs no connection; a call borrows the provider by `borrow`, which makes it anew
 * where it has ended. Close it: the provider stays open.
 */
function createProviderProxy(name: string, borrow: Borrow): ProviderProxy {
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
      // A name that a model made up makes no connections anew.
      if (options.retryFailed === false && current?.closed !== false) return;
      using borrowed = await take(options.signal);
      await borrowed.provider.init(options);
    },
    async refresh(options = {}) {
      using borrowed = await take(options.signal);
      await borrowed.provider.refresh(options);
    },
    callTimeoutMs,
    // The wait for the provider and for its server is part of the time of the call.
    async call(toolName, args, options = {}) {
      const { timeoutMs = callTimeoutMs(toolName) ?? defaultTimeouts.callMs, signal } = options;
      const onTimeout = (): HostsideError => lateError(toolName, timeoutMs);
      const time = createDeadline({ timeoutMs, signal, outer: options.deadline, onTimeout });
      using borrowed = await readyFor(toolName, take(time.signal), { wait: options.wait, time });
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

/** How a call waits for its provider. */
interface CallWait extends Pick<CallOptions, "wait"> {
  readonly time: Deadline;
}

/** Waits for the provider of a call and, if the call waits, for the tool. Throws `call_timeout`. */
async function readyFor(toolName: string, taking: Promise<Borrowed>, { wait, time }: CallWait): Promise<Borrowed> {
  const { signal } = time;
  try {
    const borrowed = await taking;
    // A provider that was made anew may not have heard of its servers yet.
    if (wait === "servers" && !borrowed.provider.has(toolName)) await untilThere(toolName, borrowed.provider, time);
    if (!isHostsideError(signal.reason, "call_timeout")) return borrowed;
    borrowed[Symbol.dispose]();
    throw signal.reason;
  } catch (error) {
    throw isHostsideError(signal.reason, "call_timeout") ? signal.reason : error;
  } finally {
    time.dispose();
  }
}

/**
 * Waits until a provider has a tool, or none of its servers that may have it is on its way any
 * more. Never rejects: what could not be started shows by the call.
 */
async function untilThere(toolName: string, provider: ToolProvider, time: Deadline): Promise<void> {
  const there = new AbortController();
  const unfollow = provider.onToolsChanged(() => {
    if (provider.has(toolName)) there.abort();
  });
  const signal = AbortSignal.any([time.signal, there.signal]);
  const timeoutMs = Math.max(1, time.remainingMs());
  await provider.init({ toolName, retryFailed: false, timeoutMs, signal }).catch(() => undefined);
  unfollow();
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
