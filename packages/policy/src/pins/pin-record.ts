import type { JsonValue } from "@hostside/core";
import { isJsonObject, storeFailed, type ValueVersion } from "@hostside/core/implement";

/** The fingerprints by which one tool is known. */
export interface ToolPin {
  /** The fingerprint from the first use of its server. */
  readonly trusted: string | undefined;
  /** Fingerprints that somebody approved, the latest last. */
  readonly approved: readonly string[];
}

/** By remote name. A server that has one is known: its first use is over. */
export type ServerPins = ReadonlyMap<string, ToolPin>;

/** By `pinKey()`. Never changes; each function here gives another one. */
export type PinRecord = ReadonlyMap<string, ServerPins>;

/** A tool as it was looked at. */
export type ToolPrint = readonly [toolName: string, fingerprint: string];

/** Fingerprints by remote name. */
export type Fingerprints = ReadonlyMap<string, string>;

/** The format in which a record is kept. */
export const pinsFormat: ValueVersion = { what: "the pins of the policy", version: 1 };

/** A change of a record. */
export type PinChange = (record: PinRecord) => PinRecord;

// Replicas of one server may differ for as long as they are being replaced; what was approved long
// ago is to be looked at again.
const mostApproved = 8;

/**
 * Adds a first use: of a server that is not known, these are its tools from now on. A server that
 * is known stays as it is.
 */
export function withFirstUse(record: PinRecord, serverId: string, tools: Fingerprints): PinRecord {
  if (record.has(serverId)) return record;
  const pins = Array.from(tools, ([name, trusted]): [string, ToolPin] => [name, { trusted, approved: [] }]);
  return new Map(record).set(serverId, new Map(pins));
}

/** These tools may be used as they are. */
export function withApproved(record: PinRecord, serverId: string, tools: Iterable<ToolPrint>): PinRecord {
  const pins = new Map(record.get(serverId));
  for (const [name, fingerprint] of tools) {
    const { trusted, approved } = pins.get(name) ?? { trusted: undefined, approved: [] };
    const others = approved.filter((one) => one !== fingerprint);
    pins.set(name, { trusted, approved: [...others, fingerprint].slice(-mostApproved) });
  }
  return new Map(record).set(serverId, pins);
}

/**
 * Nothing is known of these tools any more, by default of all of a server; it stays known, so that
 * there is no first use again.
 */
export function withoutPins(record: PinRecord, serverId: string, toolNames: readonly string[] | undefined): PinRecord {
  const pins = new Map(toolNames === undefined ? [] : record.get(serverId));
  for (const name of toolNames ?? []) pins.delete(name);
  return new Map(record).set(serverId, pins);
}

/** As a store keeps it. Names are items of lists and never members: servers chose them. */
export function writePinRecord(record: PinRecord): JsonValue {
  return {
    servers: Array.from(record, ([serverId, pins]) => [
      serverId,
      Array.from(pins, ([name, { trusted = null, approved }]) => [name, trusted, approved]),
    ]),
  };
}

/**
 * Reads what a store kept; `undefined` is an empty one. Throws `store_failed` for anything that was
 * not written here.
 */
export function readPinRecord(value: unknown): PinRecord {
  if (value === undefined || value === null) return new Map();
  const servers = listOf(isJsonObject(value) ? value["servers"] : undefined).map(listOf);
  return new Map(
    servers.map(([serverId, tools]) => {
      const pins = listOf(tools)
        .map(listOf)
        .map(([name, trusted, approved]): [string, ToolPin] => [
          textOf(name),
          { trusted: trusted === null ? undefined : textOf(trusted), approved: listOf(approved).map(textOf) },
        ]);
      return [textOf(serverId), new Map(pins)];
    }),
  );
}

function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw storeFailed(`what the store has of ${pinsFormat.what} is not what was kept there`);
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  throw storeFailed(`what the store has of ${pinsFormat.what} is not what was kept there`);
}

/**
 * The name under which the pins of a server are kept: its id, and its registration where it has
 * one.
 */
export function pinKey(serverId: string, registration: string | undefined): string {
  return registration === undefined ? serverId : JSON.stringify([serverId, registration]);
}

/** The names under which pins of this server are kept, of whatever registration. */
export function pinKeysOf(record: PinRecord | undefined, serverId: string): readonly string[] {
  const begin = `${JSON.stringify([serverId]).slice(0, -1)},`;
  return Array.from(record?.keys() ?? []).filter((key) => key === serverId || key.startsWith(begin));
}
