import { inOption } from "../check-options.ts";
import { randomUUID } from "node:crypto";
import type { ServerSpec, ToolProvider } from "@hostside/core";
import { sharingOf } from "@hostside/core/implement";
import type { Toolbox } from "@hostside/discovery";
import {
  createSharedProviders,
  type ConversationKey,
  type SharedProviders,
  type SharedProviderRequest,
} from "@hostside/cluster";
import type { McpProvider } from "@hostside/provider";
import { createConversation, type ConversationParts } from "../conversation/create-conversation.ts";
import type { PoolOptions } from "../host-options.ts";
import type { Conversation, ConversationOptions } from "../host.ts";
import { createSharedToolbox, type Apart, type SharedToolbox, type SharedToolboxInit } from "./shared-toolbox.ts";

/** What conversations are kept apart with. */
export interface ConversationsMeans extends ConversationParts, Pick<SharedToolboxInit, "signInTools" | "signInNews"> {
  readonly pool: PoolOptions;
  /** In front of the names of the providers. */
  readonly name: string;
  readonly servers: readonly ServerSpec[];
  /** Makes a provider, and waits for its servers as long as it is to be waited for. */
  readonly make: (request: SharedProviderRequest, name: string) => Promise<McpProvider>;
  /** Waits for servers of a provider that are on their way, as long as it is to be waited for. */
  readonly arrive: (provider: McpProvider) => Promise<void>;
  /** Makes a toolbox of these beside all that every conversation has. */
  readonly toolboxOf: (providers: readonly ToolProvider[]) => Toolbox;
}

/** Conversations, each over the connections that it may share. */
export interface Conversations {
  readonly providers: SharedProviders;
  open(options?: ConversationOptions): Promise<Conversation>;
  /** Other servers from now on; throws as {@linkcode SharedProviders.updateConfig} does. */
  update(servers: readonly ServerSpec[]): void;
  close(reason?: string): Promise<void>;
}

/** Opens none yet. `servers` are those that not all share. */
export function openConversations(means: ConversationsMeans): Conversations {
  const owners = new WeakMap<ToolProvider, Apart>();
  const providers = inOption("pool", () =>
    createSharedProviders({
      ...means.pool,
      servers: means.servers,
      async make(request) {
        const apart = request.sharing === "conversation" ? "conversation" : "principal";
        const provider = await means.make(request, `${means.name}-${apart}`);
        owners.set(provider, apart);
        return provider;
      },
    }),
  );
  let sharings = sharingsOf(means.servers);
  const classes = new Map<string, SharedToolbox>();

  const leave = (id: string, one: SharedToolbox): void => {
    one.users -= 1;
    if (one.users > 0) return;
    if (classes.get(id) === one) classes.delete(id);
    one.close();
    // Its connections are nobody else's. Whoever closes all ends them, too.
    if (sharings.has("conversation")) providers.dispose(one.key, "conversation closed").catch(() => undefined);
  };
  return {
    providers,
    async open(options = {}) {
      if (sharings.size === 0) return createConversation(means, options);
      const wanted = { ...options, id: options.id ?? options.context?.conversation ?? randomUUID() };
      const { id, key } = classOf(wanted, sharings);
      const one = classes.get(id) ?? createSharedToolbox(key, { ...means, sharings, providers, owners });
      classes.set(id, one);
      one.users += 1;
      let isLeft = false;
      const onClose = (): void => {
        if (!isLeft) leave(id, one);
        isLeft = true;
      };
      try {
        // What fails does so now. What nobody uses later ends, and is made again by the next call.
        using lease = await one.lend();
        await Promise.all(lease.providers.map(means.arrive));
        return createConversation({ ...means, toolbox: one.toolbox, lend: one.lend, onClose }, wanted);
      } catch (error) {
        onClose();
        throw error;
      }
    },
    update(servers) {
      providers.updateConfig(servers);
      sharings = sharingsOf(servers);
    },
    async close(reason) {
      for (const one of classes.values()) one.close(reason);
      classes.clear();
      await providers.shutdownAll(reason);
    },
  };
}

/**
 * Which toolbox a conversation looks at: its own where it has connections of its own, else its
 * principal's.
 */
function classOf(
  { id, context, principal = context?.principal }: ConversationOptions & { readonly id: string },
  sharings: ReadonlySet<Apart>,
): { readonly id: string; readonly key: ConversationKey } {
  const whose = principal === undefined ? {} : { principal };
  const key: ConversationKey = sharings.has("conversation")
    ? { ...whose, conversation: id }
    : { ...whose, conversation: anyConversation };
  return { id: JSON.stringify([principal ?? null, key.conversation]), key };
}

// Where no server is a conversation's own, all of a principal have the same.
const anyConversation = "any";

function sharingsOf(servers: readonly ServerSpec[]): ReadonlySet<Apart> {
  const found = servers.filter(({ disabled }) => disabled !== true).map(sharingOf);
  return new Set(found.filter((sharing) => sharing !== "shared"));
}
