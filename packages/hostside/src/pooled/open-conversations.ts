import { inOption } from "../contract/check-options.ts";
import type { ServerSpec, ToolProvider } from "@hostside/core";
import { sharingOf } from "@hostside/core/implement";
import { createSharedProviders, type ConversationKey, type SharedProviders } from "@hostside/cluster";
import type { McpProvider } from "@hostside/provider";
import { createConversation, type ConversationParts } from "../conversation/create-conversation.ts";
import type { Conversation, ConversationOptions } from "../contract/host.ts";
import type { PoolOptions } from "../contract/host-options.ts";
import type { OpenProviders } from "../parts/open-providers.ts";
import type { OpenToolboxes } from "../parts/open-toolboxes.ts";
import type { PartsContext } from "../parts/parts-context.ts";
import { createSharedToolbox, type Apart, type SharedToolbox } from "./shared-toolbox.ts";

/** Conversations, each over the connections that it may share. */
export interface Conversations {
  readonly providers: SharedProviders;
  open(options?: ConversationOptions): Promise<Conversation>;
  /** Takes other servers; throws as {@linkcode SharedProviders.updateConfig} does. */
  update(servers: readonly ServerSpec[]): void;
}

/** Keeps conversations apart. Opens no connection yet. */
export function openConversations(
  context: PartsContext,
  pool: PoolOptions,
  parts: ConversationParts & Pick<OpenProviders, "makeProvider"> & Pick<OpenToolboxes, "toolboxWith" | "signInTools">,
): Conversations {
  const { options, configuration, closing, auth } = context;
  const { provider: { name = "mcp" } = {}, timeoutMs = 10_000 } = options;
  const owners = new WeakMap<ToolProvider, Apart>();
  const providers = inOption("pool", () =>
    createSharedProviders({
      ...pool,
      servers: apartOf(configuration.specs),
      async make({ servers, principal, sharing, signal }) {
        const apart = sharing === "conversation" ? sharing : "principal";
        const provider = await parts.makeProvider({ servers, principal, name: `${name}-${apart}` });
        owners.set(provider, apart);
        try {
          const started = provider.init({ timeoutMs: Math.max(1, timeoutMs), signal });
          if (timeoutMs === 0) started.catch(() => undefined);
          else await started;
          return provider;
        } catch (error) {
          await provider.close();
          throw error;
        }
      },
    }),
  );
  // Such as after an edit: a new conversation begins with the tools of the new program.
  const arrive = async (provider: McpProvider): Promise<void> => {
    const isOnItsWay = provider.statuses().some(({ state }) => state === "connecting");
    if (isOnItsWay && timeoutMs > 0) await provider.init({ timeoutMs }).catch(() => undefined);
  };
  let sharings = sharingsOf(configuration.specs);
  const classes = new Map<string, SharedToolbox>();
  const leave = (id: string, one: SharedToolbox): void => {
    if ((one.users -= 1) > 0) return;
    if (classes.get(id) === one) classes.delete(id);
    one.close();
    // Its connections are nobody else's. The end of the host ends them, too.
    if (sharings.has("conversation")) providers.dispose(one.key, "conversation closed").catch(() => undefined);
  };
  closing.add(async (reason) => {
    for (const one of classes.values()) one.close(reason);
    classes.clear();
    await providers.shutdownAll(reason);
  });
  return {
    providers,
    async open(given = {}) {
      if (sharings.size === 0) return createConversation(parts, given);
      const wanted = { ...given, id: given.id ?? given.context?.conversation ?? crypto.randomUUID() };
      const key = keyOf(wanted, sharings);
      const id = JSON.stringify([key.principal ?? null, key.conversation]);
      const one =
        classes.get(id) ??
        createSharedToolbox(key, { ...parts, name, sharings, providers, owners, signInNews: auth.signInNews });
      classes.set(id, one);
      one.users += 1;
      let isLeft = false;
      const onClose = (): void => {
        if (!isLeft) leave(id, one);
        isLeft = true;
      };
      try {
        // Failures come now. Connections that end later are made again by the next call.
        using lease = await one.lend();
        await Promise.all(lease.providers.map(arrive));
        return createConversation({ ...parts, toolbox: one.toolbox, lend: one.lend, onClose }, wanted);
      } catch (error) {
        onClose();
        throw error;
      }
    },
    update(specs) {
      providers.updateConfig(apartOf(specs));
      sharings = sharingsOf(specs);
    },
  };
}

function apartOf(specs: readonly ServerSpec[]): readonly ServerSpec[] {
  return specs.filter((spec) => sharingOf(spec) !== "shared");
}

/**
 * The connections of a conversation. If no server is a conversation's own, all conversations of a
 * principal have the same connections, and one toolbox.
 */
function keyOf(
  { id, context, principal = context?.principal }: ConversationOptions & { readonly id: string },
  sharings: ReadonlySet<Apart>,
): ConversationKey {
  const conversation = sharings.has("conversation") ? id : "any";
  return principal === undefined ? { conversation } : { principal, conversation };
}

function sharingsOf(servers: readonly ServerSpec[]): ReadonlySet<Apart> {
  const found = servers.filter(({ disabled }) => disabled !== true).map(sharingOf);
  return new Set(found.filter((sharing) => sharing !== "shared"));
}
