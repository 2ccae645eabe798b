import type {
  Diagnostic,
  QuarantinedTool,
  ToolDefinition,
  ToolGroup,
  ToolProvider,
  Subscription,
  UnreadyGroup,
} from "@hostside/core";
import { isJsonObject, isToolEffect } from "@hostside/core/implement";

/** What a provider shows now. */
export interface ProviderListing {
  readonly definitions: readonly ToolDefinition[];
  readonly groups: readonly ToolGroup[];
  /** What it holds back itself. */
  readonly quarantined: readonly QuarantinedTool[];
}

/** Hears what is wrong with a listing. */
export type ReportFault = (diagnostic: Diagnostic) => void;

/** Objects that were found to be what they are said to be; they are not looked at twice. */
const sound = new WeakSet<object>();

/**
 * Reads a provider that may be the product's own, and broken: what throws or is no definition or
 * group costs itself, is reported, and never touches another provider. Entries that pass are the
 * very objects that the provider has.
 */
export function readProvider(provider: ToolProvider, report: ReportFault): ProviderListing {
  const read = <T>(kind: ListKind, list: () => readonly T[], isSound: (entry: unknown) => boolean): readonly T[] => {
    const fault = (what: string): void => report(faultOf(provider, `${what}; it was left out`, kind));
    const entries = attempt(list);
    if (!Array.isArray(entries)) {
      fault(`what ${kind}() answers is no list`);
      return [];
    }
    return entries.filter((entry, index) => {
      if (isKnownSound(entry, isSound)) return true;
      fault(`entry ${index + 1} of ${kind}() is not what it should be`);
      return false;
    });
  };
  return {
    definitions: read("tools", () => provider.tools(), isDefinition),
    groups: read("groups", () => provider.groups(), isGroup),
    quarantined:
      provider.quarantined === undefined ? [] : read("quarantined", () => provider.quarantined?.() ?? [], isHeldTool),
  };
}

type ListKind = "tools" | "groups" | "quarantined";

/** The groups of a provider that are not ready; none when it cannot say. */
export function readUnready(provider: ToolProvider): readonly UnreadyGroup[] {
  const groups: unknown = attempt(() => provider.unreadyGroups?.());
  return Array.isArray(groups) ? groups.filter((group) => isKnownSound(group, isUnreadyGroup)) : [];
}

/** A provider's revision; one that cannot say never has another. */
export function readRevision(provider: ToolProvider): number {
  return attempt(() => provider.revision) ?? Number.NaN;
}

/** Whether a provider was closed; one that cannot say was not. */
export function isClosed(provider: ToolProvider): boolean {
  return attempt(() => provider.closed) === true;
}

/** Listens to a provider; one that cannot be listened to is read when somebody reads. */
export function listenToProvider(provider: ToolProvider, listener: () => void): readonly Subscription[] {
  try {
    return [provider.onToolsChanged(listener)];
  } catch {
    return [];
  }
}

/** A fault of a provider as a whole. */
function faultOf({ name }: ToolProvider, what: string, kind?: ListKind): Diagnostic {
  const message = `provider ${JSON.stringify(name)} is at fault: ${what}`;
  return { kind: kind === "tools" ? "tool-dropped" : "defect", serverId: "", message };
}

function isKnownSound(entry: unknown, isSound: (entry: unknown) => boolean): boolean {
  if (typeof entry !== "object" || entry === null) return false;
  if (sound.has(entry)) return true;
  // A getter may throw.
  if (attempt(() => isSound(entry)) !== true) return false;
  sound.add(entry);
  return true;
}

function isDefinition(entry: unknown): boolean {
  if (!isJsonObject(entry)) return false;
  const { name, title, description, inputSchema, outputSchema, annotations, origin, groupIds, flags } = entry;
  const { effect, requireApproval } = entry;
  return (
    isText(name) &&
    name !== "" &&
    isText(description) &&
    isJsonObject(inputSchema) &&
    isAbsentOr(title, isText) &&
    isAbsentOr(outputSchema, isJsonObject) &&
    isAbsentOr(annotations, isJsonObject) &&
    isAbsentOr(effect, isToolEffect) &&
    isAbsentOr(requireApproval, isFlag) &&
    isAbsentOr(origin, isOrigin) &&
    isAbsentOr(groupIds, isTexts) &&
    isAbsentOr(flags, isTexts)
  );
}

function isGroup(entry: unknown): boolean {
  if (!isJsonObject(entry)) return false;
  const { id, title, description, instructions, members } = entry;
  return isText(id) && isText(title) && isText(description) && isAbsentOr(instructions, isText) && isTexts(members);
}

function isHeldTool(entry: unknown): boolean {
  return isJsonObject(entry) && isDefinition(entry["definition"]);
}

function isUnreadyGroup(entry: unknown): boolean {
  return isJsonObject(entry) && ["id", "title", "serverId", "state"].every((member) => isText(entry[member]));
}

function isOrigin(value: unknown): boolean {
  return isJsonObject(value) && ["serverId", "toolName", "qualifiedName"].every((member) => isText(value[member]));
}

function isAbsentOr(value: unknown, isSound: (value: unknown) => boolean): boolean {
  return value === undefined || isSound(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isFlag(value: unknown): value is boolean {
  return typeof value === "boolean";
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
