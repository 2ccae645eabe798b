import { compareText, foldCase } from "@hostside/core/implement";
import { toolNamePrefix, type NamingStrategy } from "./naming-strategy.ts";
import { endsLikeHash } from "./append-hash.ts";

/**
 * Says why a tool of a server cannot have a plain name: the id of the server to which every such
 * name belongs, or `true` when it reads like a name with a hash. `undefined` when it can.
 */
export type FindReserved = (serverId: string, plain: string) => string | true | undefined;

interface KnownServer {
  readonly id: string;
  /** The start of its names, A to Z lower-cased. */
  readonly prefix: string;
  /** The least that is left of it in a name that was cut for its hash. */
  readonly reach: string;
}

interface Neighbours {
  /** The servers whose names all start like some of this server's, the most particular first. */
  readonly inner: readonly KnownServer[];
  /** Says whether any name of another server can start as one of this server's does. */
  readonly any: boolean;
}

/**
 * Decides by server ids alone. Names that start with the prefix of several servers belong to the
 * one with the longest prefix: with servers `github` and `github_prod`, `mcp_github_prod_list` is
 * never a tool of `github`. If there are such neighbours, a plain name that ends like a hash is
 * nobody's, so that no server can list a name which another one's tool gets by its hash.
 *
 * So the names of two servers never meet, and it does not matter which of them is listed first. A
 * strategy that does not show the server leaves ids nothing to decide: nothing is reserved.
 */
export function createReservedNames(strategy: NamingStrategy, serverIds: Iterable<string>): FindReserved {
  const neighbours = new Map<string, Neighbours>();
  let servers: readonly KnownServer[] | undefined;
  return (serverId, plain) => {
    let around = neighbours.get(serverId);
    if (around === undefined) {
      servers ??= strategy.showServer ? Array.from(new Set(serverIds), (id) => knownServer(id, strategy)) : [];
      around = findNeighbours(knownServer(serverId, strategy), servers);
      neighbours.set(serverId, around);
    }
    if (!around.any) return undefined;
    const folded = foldCase(plain);
    const owner = around.inner.find(({ prefix }) => folded.startsWith(prefix));
    if (owner !== undefined) return owner.id;
    return endsLikeHash(folded, strategy) ? true : undefined;
  };
}

function knownServer(id: string, strategy: NamingStrategy): KnownServer {
  const { hashLength, hashSeparator, maxLength, trimCut } = strategy;
  const prefix = foldCase(toolNamePrefix(id, strategy));
  const head = prefix.slice(0, maxLength - hashLength - hashSeparator.length);
  return { id, prefix, reach: trimCut ? head.replace(/_+$/, "") : head };
}

function findNeighbours(server: KnownServer, all: readonly KnownServer[]): Neighbours {
  const others = all.filter(({ id }) => id !== server.id);
  const inner = others.filter(({ prefix }) => prefix.startsWith(server.prefix));
  return {
    inner: inner.sort((a, b) => b.prefix.length - a.prefix.length || compareText(a.id, b.id)),
    any: others.some(({ reach }) => reach.startsWith(server.reach) || server.reach.startsWith(reach)),
  };
}
