import { foldCase } from "@hostside/core/implement";
import { readNamesOptions, type AuthenticateNamesOptions } from "./authenticate-options.ts";

/** Gives tools their names, and each server the same one as long as it is there. */
export interface AuthenticateToolNames {
  /**
   * The names of the tools of these servers, all that there are. `isTaken`: somebody else's tool
   * has this name now.
   */
  give(serverIds: readonly string[], isTaken?: (name: string) => boolean): ReadonlyMap<string, string>;
}

const longestName = 64;

/**
 * The names that the tools of `createAuthenticateTools` will have for these servers. For
 * `createProvider({ reservedNames })`, so that a server's own tool that would be called so gets
 * another name; without it, the tool of this package does. Throws a `TypeError` for an option that
 * cannot be used.
 */
export function authenticateToolNames(
  serverIds: readonly string[],
  options: AuthenticateNamesOptions = {},
): readonly string[] {
  const owner = "authenticateToolNames()";
  if (!(Array.isArray(serverIds) && serverIds.every((id) => typeof id === "string"))) {
    throw new TypeError(`${owner} takes the ids of servers as an array of texts`);
  }
  return [...createToolNames(readNamesOptions(owner, options)).give(serverIds).values()].sort();
}

/** Makes names by a convention: legal for every model API, and one for each server. */
export function createToolNames(nameOf: (serverId: string) => string): AuthenticateToolNames {
  let given = new Map<string, string>();
  return {
    give(serverIds, isTaken = () => false) {
      const preferred = new Map(serverIds.map((id) => [id, legalName(nameOf(id), id)]));
      const kept = new Map([...given].filter(([id, name]) => preferred.has(id) && !isTaken(name)));
      const used = new Set([...kept.values()].map(foldCase));
      const isFree = (name: string): boolean => !used.has(foldCase(name)) && !isTaken(name);
      const counts = new Map<string, number>();
      for (const [id, name] of preferred) {
        if (!kept.has(id)) counts.set(foldCase(name), (counts.get(foldCase(name)) ?? 0) + 1);
      }
      for (const [id, requested] of preferred) {
        if (kept.has(id)) continue;
        // All that collide get a hash, whichever comes first.
        let name = isFree(requested) && counts.get(foldCase(requested)) === 1 ? requested : putHash(requested, id);
        for (let round = 1; !isFree(name); round += 1) name = putHash(requested, `${id}\0${round}`);
        used.add(foldCase(name));
        kept.set(id, name);
      }
      given = kept;
      return given;
    },
  };
}

function legalName(name: string, serverId: string): string {
  const legal = name.replaceAll(/[^A-Za-z0-9_-]/gu, "_");
  return legal.length <= longestName ? legal : putHash(legal, serverId);
}

function putHash(name: string, key: string): string {
  const suffix = `_${hash(key)}`;
  return `${name.slice(0, longestName - suffix.length).replace(/_+$/, "")}${suffix}`;
}

// FNV-1a, 32 bits: ids are the host's, and two that are the same cost one more round.
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, "0");
}
