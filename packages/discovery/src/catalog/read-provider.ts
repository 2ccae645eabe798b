import type {
  Diagnostic,
  QuarantinedTool,
  Subscription,
  ToolDefinition,
  ToolGroup,
  ToolProvider,
  UnreadyGroup,
} from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";

/** The tools and groups that a provider shows now. */
export interface ProviderListing {
  readonly definitions: readonly ToolDefinition[];
  readonly groups: readonly ToolGroup[];
  /** The tools that it holds back itself. */
  readonly quarantined: readonly QuarantinedTool[];
}

// Not looked at twice.
const sound = new WeakSet<object>();

/**
 * Reads a provider that may be the product's own, and broken: what throws or is no definition or
 * group is left out and reported, and never touches another provider. Entries that pass are the
 * very objects that the provider has.
 */
export function readProvider(provider: ToolProvider, report: (diagnostic: Diagnostic) => void): ProviderListing {
  const read = (kind: "tools" | "groups", isSound: (entry: unknown) => boolean): readonly object[] => {
    const entries: unknown = attempt(() => provider[kind]());
    if (!Array.isArray(entries)) {
      report(faultOf(provider, kind, `${kind}() gave no list`));
      return [];
    }
    return (entries as readonly object[]).filter((entry, index) => {
      const isKnown = sound.has(entry) || attempt(() => isSound(entry)) === true;
      if (isKnown) sound.add(entry);
      else report(faultOf(provider, kind, `entry ${index + 1} of ${kind}() is not what it should be; it was left out`));
      return isKnown;
    });
  };
  return {
    definitions: read("tools", isDefinition) as readonly ToolDefinition[],
    groups: read("groups", isGroup) as readonly ToolGroup[],
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

function faultOf({ name }: ToolProvider, kind: "tools" | "groups", what: string): Diagnostic {
  const message = `provider ${JSON.stringify(name)} is at fault: ${what}`;
  return { kind: kind === "tools" ? "tool-dropped" : "defect", serverId: "", message };
}

function isDefinition(entry: unknown): boolean {
  if (!isJsonObject(entry)) return false;
  const { name, description, inputSchema, origin } = entry;
  const isKnown = origin === undefined || (isJsonObject(origin) && areTexts(origin["serverId"], origin["toolName"]));
  return areTexts(name, description) && name !== "" && isJsonObject(inputSchema) && isKnown;
}

function isGroup(entry: unknown): boolean {
  if (!isJsonObject(entry)) return false;
  const { id, title, description, members } = entry;
  return areTexts(id, title, description) && Array.isArray(members);
}

function areTexts(...values: readonly unknown[]): boolean {
  return values.every((value) => typeof value === "string");
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
