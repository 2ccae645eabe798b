import type { ServerSpec } from "@hostside/core";
import { sharingOf } from "@hostside/core/implement";
import type { Policy } from "@hostside/policy";
import type { McpProvider } from "@hostside/provider";
import type { Results } from "@hostside/results";
import { openConversations, type Conversations } from "../pooled/open-conversations.ts";
import type { ServersTarget } from "../configuration/open-configuration.ts";
import type { MakeProvider } from "./open-provider.ts";
import { watchParts } from "./choose-telemetry.ts";
import type { OpenToolboxes } from "./open-toolbox.ts";
import type { PartsContext } from "./parts-context.ts";

/** What conversations are kept apart with. */
export interface PoolMeans extends PartsContext, Omit<OpenToolboxes, "recheckTools"> {
  readonly makeProvider: MakeProvider;
  readonly provider: McpProvider;
  readonly results: Results;
}

/** Keeps conversations apart, where the options want that. */
export function openPool(means: PoolMeans): Conversations | undefined {
  const { options, closing, configuration, makeProvider, toolboxWith } = means;
  const { pool, provider: { name = "mcp" } = {}, timeoutMs = 10_000 } = options;
  if (pool === undefined) return undefined;
  const conversations = openConversations({
    ...means,
    pool,
    name,
    servers: apartOf(configuration.specs),
    toolboxOf: toolboxWith,
    async arrive(provider) {
      // Such as after an edit: a new conversation begins with the tools of the new program.
      const isOnItsWay = provider.statuses().some(({ state }) => state === "connecting");
      if (isOnItsWay && timeoutMs > 0) await provider.init({ timeoutMs }).catch(() => undefined);
    },
    async make({ servers, principal, signal }, providerName) {
      const provider = await makeProvider({ servers, principal, name: providerName });
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
  });
  const endWatch = watchParts(means.telemetry, { pool: conversations.providers });
  closing.add(async (reason) => {
    await conversations.close(reason);
    endWatch();
  });
  return conversations;
}

/** The servers of the provider that all have: all of them, where nobody is kept apart. */
export function sharedBy(specs: readonly ServerSpec[], { pool }: PartsContext["options"]): readonly ServerSpec[] {
  return pool === undefined ? specs : specs.filter((spec) => sharingOf(spec) === "shared");
}

/**
 * Where edits of the servers go: those that all share to their provider, the others to the pool.
 */
export function configTargetOf(
  provider: McpProvider,
  conversations: Conversations | undefined,
  policy: Pick<Policy, "clearCache">,
): ServersTarget {
  return {
    async applyServers(specs, options) {
      // A provider of the pool gets its servers with the next call: until then it has the old ones.
      policy.clearCache();
      conversations?.update(apartOf(specs));
      const shared = conversations === undefined ? specs : specs.filter((spec) => sharingOf(spec) === "shared");
      return provider.applyServers(shared, options);
    },
  };
}

function apartOf(specs: readonly ServerSpec[]): readonly ServerSpec[] {
  return specs.filter((spec) => sharingOf(spec) !== "shared");
}
