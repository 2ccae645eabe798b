import type { PinRecord } from "./pin-record.ts";

/**
 * Under which name the pins of a server are kept: its id, and its registration where it has one.
 */
export function pinKey(serverId: string, registration: string | undefined): string {
  return registration === undefined ? serverId : JSON.stringify([serverId, registration]);
}

/** The names under which pins of this server are kept, of whatever registration. */
export function pinKeysOf(record: PinRecord | undefined, serverId: string): readonly string[] {
  const begin = `${JSON.stringify([serverId]).slice(0, -1)},`;
  return Array.from(record?.keys() ?? []).filter((key) => key === serverId || key.startsWith(begin));
}
