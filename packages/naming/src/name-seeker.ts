import { hashIdentity } from "./hash-identity.ts";
import { isLegalName, lastResortHead, toolNamePrefix, type NamingStrategy } from "./naming-strategy.ts";
import type { ToolIdentity } from "./tool-identity.ts";

/** A tool that looks for a name. */
export interface NameSeeker {
  readonly identity: ToolIdentity;
  /** The name it wants in a round: its plain one first, if that is fit for use; then one hash after another, without end. */
  nameAt(round: number): string;
}

/** Makes seekers for one strategy. */
export function createNamer(strategy: NamingStrategy): (identity: ToolIdentity) => NameSeeker {
  const { sanitize, showServer, repaired } = strategy;
  const servers = new Map<string, { readonly prefix: string; readonly exact: boolean }>();
  const serverPartOf = (serverId: string): { readonly prefix: string; readonly exact: boolean } => {
    const known = servers.get(serverId);
    if (known !== undefined) return known;
    const part = {
      prefix: toolNamePrefix(serverId, strategy),
      exact: !showServer || sanitize(serverId) === serverId,
    };
    servers.set(serverId, part);
    return part;
  };
  return (identity) => {
    const server = serverPartOf(identity.serverId);
    const tool = sanitize(identity.toolName);
    const plain = `${server.prefix}${tool}`;
    const exact = server.exact && tool === identity.toolName;
    const firstAttempt = isLegalName(plain, strategy) && (exact || repaired === "keep") ? 0 : 1;
    return {
      identity,
      nameAt(round) {
        const attempt = round + firstAttempt;
        return attempt === 0 ? plain : withHash(plain, hashIdentity(identity, attempt, strategy.hashLength), strategy);
      },
    };
  };
}

function withHash(plain: string, hash: string, strategy: NamingStrategy): string {
  const { hashSeparator, maxLength, trimCut } = strategy;
  const suffix = `${hashSeparator}${hash}`;
  const head = cut(plain, maxLength - suffix.length);
  const name = `${trimCut ? head.replace(/_+$/, "") : head}${suffix}`;
  return isLegalName(name, strategy) ? name : `${lastResortHead(strategy)}${suffix}`;
}

// Never between the halves of a surrogate pair.
function cut(text: string, length: number): string {
  const head = text.slice(0, length);
  return head.length < text.length && isHighSurrogate(head.charCodeAt(length - 1)) ? head.slice(0, -1) : head;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
