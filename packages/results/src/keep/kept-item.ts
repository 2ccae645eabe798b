import type { JsonObject, JsonValue } from "@hostside/core";
import { isPlainObject, readVersioned, writeVersioned, type ValueVersion } from "@hostside/core/implement";
import type { TextIndex } from "./text-index.ts";

const itemVersion: ValueVersion = { what: "a handle", version: 1 };

/** Whose a handle is: no other conversation, and no other principal, finds anything by it. */
export interface HandleOwner {
  /** What stands for the conversation in a store. */
  readonly scope: string;
  readonly principal: string | undefined;
}

/** What is known of something that was kept. */
export interface KeptItem {
  /** Of the sink. */
  readonly key: string;
  /** The type that its server gave, normal; `text/plain` for texts. */
  readonly mimeType: string;
  readonly bytes: number;
  /** Absent for what is no text. */
  readonly text?: TextIndex | undefined;
  /** Which tool it came from. */
  readonly serverId: string;
  readonly toolName: string;
  /**
   * Who kept it: a random name of one presenter. Bytes that another one kept may be out of reach
   * here.
   */
  readonly keptBy: string;
}

/** An item as a store has it. */
export function writeItem(item: KeptItem, { scope, principal }: HandleOwner): JsonObject {
  const { text, ...rest } = item;
  const value = { ...rest, scope, principal: principal ?? null, ...(text && { text: { ...text } }) };
  return writeVersioned(value, itemVersion);
}

/**
 * Reads what a store had; `undefined` for what is of somebody else, `"unreadable"` for what a later
 * version of Hostside or somebody else has written.
 */
export function readItem(stored: unknown, owner: HandleOwner): KeptItem | "unreadable" | undefined {
  try {
    return itemOf(readVersioned(stored, itemVersion), owner);
  } catch {
    return "unreadable";
  }
}

function itemOf(value: JsonValue | undefined, owner: HandleOwner): KeptItem | undefined {
  if (!isPlainObject(value)) return undefined;
  if (value["scope"] !== owner.scope || value["principal"] !== (owner.principal ?? null)) return undefined;
  const { key, mimeType, bytes, text, serverId, toolName, keptBy } = value;
  if (typeof key !== "string" || typeof mimeType !== "string" || typeof bytes !== "number") return undefined;
  if (typeof serverId !== "string" || typeof toolName !== "string" || typeof keptBy !== "string") return undefined;
  const item = { key, mimeType, bytes, serverId, toolName, keptBy };
  if (text === undefined) return item;
  return isTextIndex(text) ? { ...item, text } : undefined;
}

function isTextIndex(value: unknown): value is TextIndex {
  if (!isPlainObject(value)) return false;
  const { characters, stride, marks } = value;
  return (
    typeof characters === "number" &&
    typeof stride === "number" &&
    Array.isArray(marks) &&
    marks.every((mark) => typeof mark === "number")
  );
}
