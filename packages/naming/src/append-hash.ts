import { foldCase } from "@hostside/core/implement";
import { isLegalName, lastResortHead, toolNamePrefix, type NamingStrategy } from "./naming-strategy.ts";

/**
 * A name with its hash at the end, cut to what the strategy allows; never in the middle of a
 * character.
 */
export function appendHash(plain: string, hash: string, strategy: NamingStrategy): string {
  const { hashSeparator, maxLength, trimCut } = strategy;
  const suffix = `${hashSeparator}${hash}`;
  // Never between the halves of a surrogate pair.
  const head =
    plain.length + suffix.length > maxLength
      ? plain.slice(0, maxLength - suffix.length).replace(/[\uD800-\uDBFF]$/, "")
      : plain;
  const name = `${trimCut ? head.replace(/_+$/, "") : head}${suffix}`;
  return isLegalName(name, strategy) ? name : `${lastResortHead(strategy)}${suffix}`;
}

/** Says whether a name, with A to Z lower-cased, has what may be a hash at its end. */
export function endsLikeHash(name: string, { hashLength, hashSeparator }: NamingStrategy): boolean {
  const end = name.slice(-hashLength);
  return name.endsWith(`${foldCase(hashSeparator)}${end}`) && /^[0-9a-f]+$/.test(end);
}

/**
 * Says whether {@linkcode assignNames} can give this name to a tool of this server, whatever that
 * is called and whoever else is there. For who looks for a name before the server has listed;
 * regardless of ASCII case. `true` promises nothing, and with a strategy that does not show the
 * server it says little. Names that somebody else gave, such as those that were saved, are not
 * looked at.
 */
export function isPossibleName(name: string, serverId: string, strategy: NamingStrategy): boolean {
  const folded = foldCase(name);
  const prefix = foldCase(toolNamePrefix(serverId, strategy));
  if (folded.startsWith(prefix)) return true;
  if (!endsLikeHash(folded, strategy)) return false;
  const { hashLength, hashSeparator } = strategy;
  const head = folded.slice(0, -(hashLength + hashSeparator.length));
  // Of a long server id, and where `_` was dropped at the end, a name with a hash has the beginning
  // alone; where nothing can be kept, not even that.
  return head === foldCase(lastResortHead(strategy)) || (head !== "" && prefix.startsWith(head));
}
