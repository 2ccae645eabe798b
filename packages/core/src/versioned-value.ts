import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { HostsideError } from "./hostside-error.ts";

/** What a value in a {@linkcode Store} is of. */
export interface ValueVersion {
  /** Which value, for errors: "the pins of the policy". */
  readonly what: string;
  /**
   * The format that this version of Hostside writes: 1, 2, … What a reader may overlook is no new
   * format.
   */
  readonly version: number;
}

/** A value as it is kept, with the version of its format. */
export function writeVersioned(value: JsonValue, { version }: ValueVersion): JsonObject {
  return { version, value };
}

/**
 * What {@linkcode writeVersioned} was given; `undefined` when nothing is kept. Throws
 * `store_failed` for a value of a later version, which nobody may write over, and for anything else
 * that is no such value. An earlier format is `upgrade`'s to read; without it there is none.
 */
export function readVersioned(
  stored: unknown,
  { what, version }: ValueVersion,
  upgrade?: (value: JsonValue, from: number) => JsonValue,
): JsonValue | undefined {
  if (stored === undefined || stored === null) return undefined;
  if (!isJsonObject(stored) || !Number.isSafeInteger(stored["version"]) || stored["value"] === undefined) {
    throw unreadable(`what the store has of ${what} is not what was kept there`);
  }
  const { version: from, value } = stored as { readonly version: number; readonly value: JsonValue };
  if (from === version) return value;
  if (from > version) {
    throw unreadable(
      `${what} were written by a later version of Hostside (format ${from}, this one knows ${version}), and are left as they are`,
    );
  }
  if (upgrade === undefined) throw unreadable(`what the store has of ${what} is of format ${from}, which is not known`);
  return upgrade(value, from);
}

function unreadable(message: string): HostsideError {
  return new HostsideError(message, { code: "store_failed", retryable: false });
}
