import { HostsideError, type Cancel, type ServerSharing, type ToolProvider } from "@hostside/core";
import type { Toolbox } from "@hostside/discovery";
import type { ConversationKey, ConversationLease, SharedProviders } from "@hostside/cluster";
import type { McpProvider } from "@hostside/provider";
import { needsSignIn } from "../sign-ins/pending-sign-ins.ts";
import type { SignInNews } from "../sign-ins/sign-in-news.ts";
import { createProviderProxy, type Borrowed, type ProviderProxy } from "./provider-proxy.ts";

/** What not all share. */
export type Apart = Exclude<ServerSharing, "shared">;

/** What a toolbox of a class is made with. */
export interface SharedToolboxInit {
  /** In front of the names of the providers. */
  readonly name: string;
  /** Of which servers there are some. */
  readonly sharings: ReadonlySet<Apart>;
  readonly providers: Pick<SharedProviders, "lease">;
  /** Whose each provider is. */
  readonly owners: Pick<WeakMap<ToolProvider, Apart>, "get">;
  /** Makes a toolbox of these beside all that every conversation has. */
  readonly toolboxOf: (providers: readonly ToolProvider[]) => Toolbox;
  /** Makes the tools for signing in to the servers of a provider, if there are to be any. */
  readonly signInTools: ((provider: McpProvider, principal: string | undefined) => ToolProvider) | undefined;
  readonly signInNews: SignInNews;
}

/** A toolbox that all conversations of one class look at: those that share all connections. */
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
export function createSharedToolbox(key: ConversationKey, means: SharedToolboxInit): SharedToolbox {
  const { name, sharings, providers, owners } = means;
  const providerOf = ({ providers: lent }: ConversationLease, apart: Apart): McpProvider | undefined =>
    lent.find((one) => owners.get(one) === apart);
  const lend = async (signal?: AbortSignal): Promise<ConversationLease> => {
    const lease = await providers.lease(key, { signal });
    for (const { apart, attach } of parts) {
      const provider = providerOf(lease, apart);
      if (provider !== undefined) attach(provider);
    }
    return lease;
  };
  const parts = [...sharings].map((apart): ClassPart => {
    let current: McpProvider | undefined;
    let waits = false;
    let unwatch: Cancel = () => undefined;
    const attach = (provider: McpProvider): void => {
      if (provider === current) return;
      current = provider;
      unwatch();
      const look = (): void => {
        if (provider === current && !provider.closed) waits = provider.statuses().some(needsSignIn);
      };
      unwatch = provider.onStatusChanged(look);
      look();
      proxy.attach(provider);
      signIns?.attach(provider);
    };
    const lendOne = async (signal: AbortSignal | undefined): Promise<Lent> => {
      const lease = await lend(signal);
      const provider = providerOf(lease, apart);
      if (provider !== undefined) return { provider, release: () => lease.release() };
      lease.release();
      throw new HostsideError(`there are no servers any more of sharing ${apart}`, { code: "tool_removed" });
    };
    const proxy = createProviderProxy({ name: `${name}-${apart}`, borrow: lendOne });
    const signIns = signInsFor(key, { ...means, name: `${name}-${apart}-sign-in`, lend: lendOne });
    const proxies = signIns === undefined ? [proxy] : [proxy, signIns.proxy];
    return { apart, attach, unwatch: () => unwatch(), waits: () => waits && current?.closed === true, proxies };
  });
  const proxies = parts.flatMap((part) => part.proxies);
  const toolbox = means.toolboxOf(proxies);
  const unfollow = means.signInNews.on(key.principal, () => {
    // A provider that has not ended connects by itself.
    if (parts.some((part) => part.waits()))
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

/** What a toolbox has of one sharing. */
interface ClassPart {
  readonly apart: Apart;
  readonly attach: (provider: McpProvider) => void;
  /** Listens to its provider no longer. */
  readonly unwatch: Cancel;
  /** Whether its provider ended while a user had to sign in. */
  readonly waits: () => boolean;
  readonly proxies: readonly ProviderProxy[];
}

/** A provider of servers, for as long as it is needed. */
interface Lent extends Borrowed {
  readonly provider: McpProvider;
}

interface SignIns {
  readonly proxy: ProviderProxy;
  attach(provider: McpProvider): void;
}

interface SignInMeans extends Pick<SharedToolboxInit, "name" | "signInTools"> {
  readonly lend: (signal: AbortSignal | undefined) => Promise<Lent>;
}

/** The tools by which a model has its user sign in to these servers, if there are to be any. */
function signInsFor({ principal }: ConversationKey, means: SignInMeans): SignIns | undefined {
  const { signInTools, name, lend } = means;
  if (signInTools === undefined) return undefined;
  let current: McpProvider | undefined;
  let tools: ToolProvider | undefined;
  const attach = (provider: McpProvider): ToolProvider => {
    if (tools !== undefined && provider === current) return tools;
    current = provider;
    // Those of the provider before end with it.
    tools = signInTools(provider, principal);
    proxy.attach(tools);
    return tools;
  };
  const borrow = async (signal: AbortSignal | undefined): Promise<Borrowed> => {
    const lent = await lend(signal);
    return { provider: attach(lent.provider), release: () => lent.release() };
  };
  const proxy = createProviderProxy({ name, borrow });
  return { proxy, attach };
}
