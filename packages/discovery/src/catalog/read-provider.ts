import type {
  Diagnostic,
  QuarantinedTool,
  Subscription,
  ToolDefinition,
  ToolGroup,
  ToolProvider,
  UnreadyGroup,
} from "@hostside/core";

/** The tools and groups that a provider shows now. */
export interface ProviderListing {
  readonly definitions: readonly ToolDefinition[];
  readonly groups: readonly ToolGroup[];
  /** The tools that it holds back itself. */
  readonly quarantined: readonly QuarantinedTool[];
}

/** Reads a provider that may be the product's own. One that throws is reported, and has nothing. */
export function readProvider(provider: ToolProvider, report: (diagnostic: Diagnostic) => void): ProviderListing {
  const read = <Entry>(kind: "tools" | "groups", list: () => readonly Entry[]): readonly Entry[] => {
    const entries = attempt(list);
    if (!Array.isArray(entries)) {
      const message = `provider ${JSON.stringify(provider.name)} is at fault: ${kind}() gave no list`;
      report({ kind: "defect", serverId: "", message });
    }
    return entries ?? [];
  };
  return {
    definitions: read("tools", () => provider.tools()),
    groups: read("groups", () => provider.groups()),
    quarantined: attempt(() => provider.quarantined?.()) ?? [],
  };
}

/** The groups of a provider that are not ready; none when it cannot say. */
export function readUnready(provider: ToolProvider): readonly UnreadyGroup[] {
  return attempt(() => provider.unreadyGroups?.()) ?? [];
}

/** Listens to a provider; one that cannot be listened to is read when somebody reads. */
export function listenToProvider(provider: ToolProvider, listener: () => void): readonly Subscription[] {
  const subscription = attempt(() => provider.onToolsChanged(listener));
  return subscription === undefined ? [] : [subscription];
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
