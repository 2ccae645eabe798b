import { foldCase } from "@hostside/core/implement";
import { lastResortHead, toolNamePrefix, type NamingStrategy } from "./naming-strategy.ts";
import { endsLikeHash } from "./append-hash.ts";

/**
 * Whether {@linkcode assignNames} can give this name to a tool of this server, whatever that is
 * called and whoever else is there. For who looks for a name before the server has listed;
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
