import type {
  Diagnostic,
  QuarantinedTool,
  Subscription,
  ToolDefinition,
  ToolGroup,
  ToolProvider,
  UnreadyGroup,
} from "@hostside/core";
import { inspectDefinition } from "./inspect-definition.ts";

/** The tools and groups that a provider shows now. */
export interface ProviderListing {
  readonly definitions: readonly ToolDefinition[];
  readonly groups: readonly ToolGroup[];
  /** The tools that it holds back itself. */
  readonly quarantined: readonly QuarantinedTool[];
}

/**
 * Reads a provider that may be the product's own. A list that it cannot give, or that has something
 * else in it, is reported, and counts as empty.
 */
export function readProvider(provider: ToolProvider, report: (diagnostic: Diagnostic) => void): ProviderListing {
  const read = <Entry>(
    kind: keyof ToolProvider,
    list: () => readonly Entry[],
    isSound: (entry: Entry) => boolean,
  ): readonly Entry[] => {
    const entries = attemptList(list);
    let sound = 0;
    const count = (entry: Entry): boolean => isSound(entry) && (sound += 1) > 0;
    if (entries !== undefined && attempt(() => entries.every(count)) === true) return entries;
    const fault = entries === undefined ? "no list" : `a list whose entry ${sound} lacks what it must have`;
    const message = `provider ${JSON.stringify(provider.name)} is at fault: ${kind}() gave ${fault}`;
    report({ kind: "defect", serverId: "", message });
    return [];
  };
  return {
    definitions: read("tools", () => provider.tools(), isTool),
    groups: read("groups", () => provider.groups(), isGroup),
    quarantined: read(
      "quarantined",
      () => provider.quarantined?.() ?? [],
      ({ definition }) => isTool(definition),
    ),
  };
}

/** The groups of a provider that are not ready; none when it cannot say. */
export function readUnready(provider: ToolProvider): readonly UnreadyGroup[] {
  return attemptList(() => provider.unreadyGroups?.() ?? []) ?? [];
}

/** Listens to a provider; one that cannot be listened to is read when somebody reads. */
export function listenToProvider(provider: ToolProvider, listener: () => void): readonly Subscription[] {
  const subscription = attempt(() => provider.onToolsChanged(listener));
  return subscription === undefined ? [] : [subscription];
}

function isTool(definition: ToolDefinition): boolean {
  const { name, origin } = definition;
  return isText(name) && isText(origin?.serverId ?? "") && isText(inspectDefinition(definition).description);
}

function isGroup({ id, title, description, instructions = "", members }: ToolGroup): boolean {
  return [id, title, description, instructions, ...members].every(isText);
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function attemptList<Entry>(list: () => readonly Entry[]): readonly Entry[] | undefined {
  const entries = attempt(list);
  return Array.isArray(entries) ? entries : undefined;
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
