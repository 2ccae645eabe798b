import { isJsonObject } from "@hostside/core/implement";
import { parseLock, type ToolLock } from "@hostside/policy/lock";

/**
 * What the servers of a configuration offered at one time. The file is
 * `{ "lockVersion": 1, "servers": { "<id>": <lock> } }`, each lock as `hostside-conformance lock`
 * writes one; so `servers` is what the option `pins.locks` of a policy takes, as it is.
 */
export type ServersLock = ReadonlyMap<string, ToolLock>;

/**
 * The text of a lock file, with servers in the order of their ids, so that two of the same offers
 * are the same.
 */
export function formatServersLock(locks: ServersLock): string {
  const entries = Array.from(locks).sort(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({ lockVersion: 1, servers: Object.fromEntries(entries) }, null, 2)}\n`;
}

/**
 * Reads a lock file. Throws a `TypeError` that says what is wrong with it, and of which server;
 * also when a hash is not that of its definition.
 */
export function parseServersLock(text: string): ServersLock {
  const data = parseJson(text);
  if (!isJsonObject(data) || data["lockVersion"] !== 1) throw new TypeError("it is no lock file of version 1");
  const { servers } = data;
  if (Array.isArray(data["tools"]))
    throw new TypeError("it is the lock of one server, as hostside-conformance writes it; hostside wants one of all");
  if (!isJsonObject(servers)) throw new TypeError("servers must be an object by server id");
  return new Map(
    Object.entries(servers).map(([id, lock]) => {
      try {
        return [id, parseLock(JSON.stringify(lock, null, 2))];
      } catch (cause) {
        // Lines of the part are not those of the file.
        const message = messageOf(cause).replace(/ \(line \d+\)/, "");
        throw new TypeError(`servers[${JSON.stringify(id)}]: ${message}`, { cause });
      }
    }),
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new TypeError(`it is no JSON: ${messageOf(cause)}`, { cause });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
