import { isLegalName, toolNamePrefix, type NamingStrategy } from "./naming-strategy.ts";
import { appendHash } from "./append-hash.ts";
import type { FindReserved } from "./reserved-names.ts";
import type { ToolIdentity } from "./tool-identity.ts";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import { foldCase } from "@hostside/core/implement";

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
  const servers = new Map<string, ServerSegment>();
  return (identity) => {
    const { serverId, toolName } = identity;
    let server = servers.get(serverId);
    if (server === undefined) {
      server = serverSegment(serverId, strategy);
      servers.set(serverId, server);
    }
    const tool = strategy.sanitize(toolName);
    const plain = `${server.prefix}${server.echo === undefined ? tool : stripServerPrefix(tool, server.echo)}`;
    const exact = server.exact && tool === toolName;
    const fits = isLegalName(plain, strategy) && (exact || strategy.repaired === "keep");
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

interface ServerSegment {
  /** The start of the names of its tools. */
  readonly prefix: string;
  /** Says whether it shows the server id unchanged, or none. */
  readonly exact: boolean;
  /** A prefix that is left out of its tools\' names. */
  readonly echo: string | undefined;
}

function serverSegment(serverId: string, strategy: NamingStrategy): ServerSegment {
  return {
    prefix: toolNamePrefix(serverId, strategy),
    exact: !strategy.showServer || strategy.sanitize(serverId) === serverId,
    echo: strategy.showServer && strategy.omitEcho === true ? strategy.sanitize(serverId) : undefined,
  };
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

// What stands between the words of a segment, whichever scheme made it.
const separators = "_-";

/**
 * A tool's segment without the server's in front of it: `firecrawl_search` of server `firecrawl` is
 * `search`. Something is always left. Two tools whose segments become the same this way collide
 * like any others.
 */
export function stripServerPrefix(toolSegment: string, serverSegment: string): string {
  const rest = toolSegment.slice(serverSegment.length);
  const isEcho =
    serverSegment !== "" &&
    foldCase(toolSegment).startsWith(foldCase(serverSegment)) &&
    separators.includes(rest.charAt(0)) &&
    /^[_-]+[A-Za-z0-9]/.test(rest);
  return isEcho ? rest.replace(/^[_-]+/, "") : toolSegment;
}
