import type { Clock } from "@hostside/core";
import { foldCase, resultWithin } from "@hostside/core/implement";
import { isLegalName, hostsideNaming, type NamingStrategy, type SavedNames } from "@hostside/naming";
import type { AgreeOnNames } from "@hostside/provider";
import { distinct } from "./merge-names.ts";

/** Whom to ask about names that one replica kept, and by what time. */
export interface SettleMeans {
  readonly agree: AgreeOnNames;
  readonly clock: Clock;
  readonly naming: NamingStrategy | undefined;
}

// Who does not answer is asked again when tools are listed that have no name yet.
const longestMs = 2000;

/**
 * The names that hold among all replicas, in place of those that one of them kept: it may have
 * given them while it could not ask. What another tool has by now is left out, and is named anew.
 * Never rejects: of whom nothing is heard in time, what was kept stands.
 */
export async function settleNames(
  kept: SavedNames,
  { agree, clock, naming = hostsideNaming }: SettleMeans,
): Promise<SavedNames> {
  if (kept.servers.length === 0) return kept;
  const late = new AbortController();
  const agreed = await resultWithin(agree(kept, late.signal), longestMs, clock).catch(() => undefined);
  late.abort();
  if (agreed === undefined) return kept;
  const known = new Map(agreed.servers.map(([serverId, tools]) => [serverId, new Map(tools)]));
  const taken = new Set(agreed.servers.flatMap(([, tools]) => tools.map(([, name]) => foldCase(name))));
  const given = new Set<string>();
  const servers = kept.servers.map(([serverId, tools]) => {
    const names = tools.flatMap(([toolName, name]): (readonly [string, string])[] => {
      const holds = known.get(serverId)?.get(toolName);
      if (holds !== undefined) return [[toolName, holds]];
      return taken.has(foldCase(name)) ? [] : [[toolName, name]];
    });
    // A store may have anything in it.
    const legal = names.filter(([, name]) => isLegalName(name, naming));
    return [serverId, distinct(legal, given)] as const;
  });
  return { version: 1, servers: servers.filter(([, names]) => names.length > 0) };
}
