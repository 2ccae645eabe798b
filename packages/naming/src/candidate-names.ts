import { hashIdentity } from "./hash-identity.ts";
import { isLegalName, toolNamePrefix, type NamingStrategy } from "./naming-strategy.ts";
import { stripServerPrefix } from "./strip-server-prefix.ts";
import { appendHash } from "./append-hash.ts";
import type { ReservedNames } from "./reserved-names.ts";
import type { ToolIdentity } from "./tool-identity.ts";

/**
 * What one tool may be called. A plain object without functions: an assignment has one for each
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
  reservedNames: ReservedNames,
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
    const found = fits ? reservedNames.find(serverId, plain) : undefined;
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
  /** What the names of its tools start with. */
  readonly prefix: string;
  /** Whether it shows the server id unchanged, or none. */
  readonly exact: boolean;
  /** What is left out in front of its tools' names, if anything is. */
  readonly echo: string | undefined;
}

function serverSegment(serverId: string, strategy: NamingStrategy): ServerSegment {
  return {
    prefix: toolNamePrefix(serverId, strategy),
    exact: !strategy.showServer || strategy.sanitize(serverId) === serverId,
    echo: strategy.showServer && strategy.omitEcho === true ? strategy.sanitize(serverId) : undefined,
  };
}
