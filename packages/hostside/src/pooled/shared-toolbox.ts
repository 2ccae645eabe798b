import { HostsideError, type Cancel, type ServerSharing, type ToolProvider } from "@hostside/core";
import type { Toolbox } from "@hostside/discovery";
import type { ConversationKey, ConversationLease, SharedProviders } from "@hostside/cluster";
import type { McpProvider } from "@hostside/provider";
import type { OpenToolboxes } from "../parts/open-toolboxes.ts";
import { needsSignIn } from "../sign-ins/pending-sign-ins.ts";
import type { SignInNews } from "../sign-ins/sign-in-news.ts";
import { createProviderProxy, type Borrowed } from "./provider-proxy.ts";

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
    const borrow = async (signal: AbortSignal | undefined): Promise<Borrowed> => {
      const lease = await lend(signal);
      const provider = lease.providers.find((one) => owners.get(one) === apart);
      if (provider !== undefined) return { provider, [Symbol.dispose]: () => lease.release() };
      lease.release();
      throw new HostsideError(`there are no servers any more of sharing ${apart}`, { code: "tool_removed" });
    };
    const own = createProviderProxy({ name: `${name}-${apart}`, borrow });
    const signIns =
      signInTools &&
      createProviderProxy({
        name: `${name}-${apart}-sign-in`,
        async borrow(signal) {
          const lent = await borrow(signal);
          return { ...lent, provider: signInsOfCurrent ?? lent.provider };
        },
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
