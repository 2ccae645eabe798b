import { hashIdentity } from "./hash-identity.ts";
import { isLegalName, toolNamePrefix, type NamingStrategy } from "./naming-strategy.ts";
import { omitEcho } from "./omit-echo.ts";
import { putHashOn } from "./put-hash-on.ts";
import type { ReservedNames } from "./reserved-names.ts";
import type { ToolIdentity } from "./tool-identity.ts";

/** The names that one tool may get, the best first. */
export interface CandidateNames {
  readonly identity: ToolIdentity;
  /** The name for a round: the plain one first, if that is fit for use; then one hash after another, without end. */
  nameAt(round: number): string;
  /** The plain name that it would get, were it not another server's; with that server. */
  readonly reserved: { readonly name: string; readonly serverId: string } | undefined;
}

/** Finds the names that each tool of one assignment may get; what it finds out about a server is kept for its next tool. */
export function candidatesOf(
  strategy: NamingStrategy,
  reservedNames: ReservedNames,
): (identity: ToolIdentity) => CandidateNames {
  const servers = new Map<string, ServerSegment>();
  return (identity) => {
    const { serverId, toolName } = identity;
    let server = servers.get(serverId);
    if (server === undefined) {
      server = serverSegment(serverId, strategy);
      servers.set(serverId, server);
    }
    const tool = strategy.sanitize(toolName);
    const plain = `${server.prefix}${server.echo === undefined ? tool : omitEcho(tool, server.echo)}`;
    const exact = server.exact && tool === toolName;
    const fits = isLegalName(plain, strategy) && (exact || strategy.repaired === "keep");
    const owner = fits ? reservedNames.find(serverId, plain) : undefined;
    const firstAttempt = fits && owner === undefined ? 0 : 1;
    return {
      identity,
      reserved: typeof owner === "string" ? { name: plain, serverId: owner } : undefined,
      nameAt(round) {
        const attempt = round + firstAttempt;
        return attempt === 0 ? plain : putHashOn(plain, hashIdentity(identity, attempt, strategy.hashLength), strategy);
      },
    };
  };
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
