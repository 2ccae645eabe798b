import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { compareText, isJsonObject } from "@hostside/core/implement";
import { parseLock, type ToolLock } from "@hostside/policy";
import type { CommandContext } from "../command-context.ts";
import { messageOf, usageError } from "../exit-codes.ts";

/**
 * Locks of all servers of a configuration, by their ids. The file is
 * `{ "lockVersion": 1, "servers": { "<id>": <lock> } }`; `servers` is what the option `pins.locks`
 * of a policy takes, as it is.
 */
export type ServersLock = ReadonlyMap<string, ToolLock>;

/** The path of a lock file. Default: `hostside-lock.json` in the working folder. */
export function lockPath(file: string | undefined, { terminal }: Pick<CommandContext, "terminal">): string {
  return resolve(terminal.cwd, file ?? "hostside-lock.json");
}

/**
 * Reads a lock file; `undefined` when there is none. Throws a usage error for one that cannot be
 * read, so that nothing is written over it.
 */
export async function readLockFile(path: string): Promise<ServersLock | undefined> {
  try {
    return parseServersLock(await readFile(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw usageError(`${path}: ${messageOf(error)}`);
  }
}

/**
 * The text of a lock file, with servers in the order of their ids, so that two of the same offers
 * are the same.
 */
export function formatServersLock(locks: ServersLock): string {
  const entries = Array.from(locks).sort(([a], [b]) => compareText(a, b));
  return `${JSON.stringify({ lockVersion: 1, servers: Object.fromEntries(entries) }, null, 2)}\n`;
}

/**
 * Reads the text of a lock file. Throws an error that says what is wrong with it, and of which
 * server; also when a hash is not that of its definition.
 */
export function parseServersLock(text: string): ServersLock {
  const data: unknown = JSON.parse(text);
  if (!isJsonObject(data) || data["lockVersion"] !== 1) throw new TypeError("it is no lock file of version 1");
  const { servers } = data;
  if (Array.isArray(data["tools"])) throw new TypeError("it is the lock of one server; hostside wants one of all");
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
