import { isLegalName, toolNamePrefix, type NamingStrategy, appendHash, endsLikeHash } from "./naming-strategy.ts";
import type { ToolIdentity } from "./name-table.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import { foldCase, compareText } from "@hostside/core/implement";

/**
 * The possible names of one tool. A plain object without functions: an assignment has one for each
 * tool.
 */
export interface NameCandidate {
  readonly identity: ToolIdentity;
  /** The name without a hash, legal or not. */
  readonly plain: string;
  /** The server to which every such plain name belongs, if there is one. */
  readonly owner: string | undefined;
  /** The name that it would have now: the plain one first, if that is fit for use. */
  name: string;
  /** How many hashes were tried, the one in `name` included. */
  attempts: number;
}

/**
 * Finds what each tool of one assignment may be called; what is found out about a server is kept
 * for its next tool.
 */
export function candidatesOf(
  strategy: NamingStrategy,
  findReserved: FindReserved,
): (identity: ToolIdentity) => NameCandidate {
  // By server id: how the names of its tools begin, and whether they show its id as it is, or none.
  const servers = new Map<string, { readonly prefix: string; readonly isExact: boolean }>();
  return (identity) => {
    const { serverId, toolName } = identity;
    let server = servers.get(serverId);
    if (server === undefined) {
      const isExact = !strategy.showServer || strategy.sanitize(serverId) === serverId;
      server = { prefix: toolNamePrefix(serverId, strategy), isExact };
      servers.set(serverId, server);
    }
    const tool = strategy.sanitize(toolName);
    const plain = `${server.prefix}${tool}`;
    const isExact = server.isExact && tool === toolName;
    const fits = isLegalName(plain, strategy) && (isExact || strategy.repaired === "keep");
    const found = fits ? findReserved(serverId, plain) : undefined;
    const owner = typeof found === "string" ? found : undefined;
    const candidate: NameCandidate = { identity, plain, owner, name: plain, attempts: 0 };
    if (!fits || found !== undefined) tryNextHash(candidate, strategy);
    return candidate;
  };
}

/** The next name that the tool may get: one hash after another, without end. */
export function tryNextHash(candidate: NameCandidate, strategy: NamingStrategy): void {
  const { identity, plain } = candidate;
  candidate.attempts += 1;
  candidate.name = appendHash(plain, hashIdentity(identity, candidate.attempts, strategy.hashLength), strategy);
}

const encoder = new TextEncoder();
const separator = Uint8Array.of(0);
// "Modified UTF-8" for a NUL inside a server id: the first zero byte of a key is always the
// separator.
const escapedNul = Uint8Array.of(0xc0, 0x80);

/**
 * The first `length` hex digits of SHA-256 over the identity's key: `serverId NUL toolName`,
 * followed by `#n` from the second attempt on.
 *
 * The key is unambiguous: it is UTF-8, except that a NUL inside the server id is `C0 80` and a lone
 * surrogate its three WTF-8 bytes, so two different pairs never have the same key.
 */
export function hashIdentity(identity: ToolIdentity, attempt: number, length: number): string {
  const digest = sha256(keyOf(identity, attempt));
  return bytesToHex(digest.subarray(0, Math.ceil(length / 2))).slice(0, length);
}

function keyOf({ serverId, toolName }: ToolIdentity, attempt: number): Uint8Array {
  const suffix = attempt > 1 ? `#${attempt}` : "";
  if (!serverId.includes("\0")) return encode(`${serverId}\0${toolName}${suffix}`);
  const id = serverId.split("\0").flatMap((part, index) => (index === 0 ? [encode(part)] : [escapedNul, encode(part)]));
  return concatBytes(...id, separator, encode(`${toolName}${suffix}`));
}

function encode(text: string): Uint8Array {
  if (text.isWellFormed()) return encoder.encode(text);
  // TextEncoder writes every lone surrogate as U+FFFD, which would make different names equal.
  return concatBytes(...Array.from(text, encodeCodePoint));
}

function encodeCodePoint(character: string): Uint8Array {
  const code = character.charCodeAt(0);
  if (character.isWellFormed()) return encoder.encode(character);
  return Uint8Array.of(0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f));
}

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
