import { foldCase } from "@hostside/core/implement";
import { extendNames, indexNames, type NameTable } from "./name-table.ts";
import { isLegalName, type NamingStrategy } from "./naming-strategy.ts";
import { readSavedNames, type SavedName } from "./saved-names.ts";
import type { ToolIdentity } from "./tool-identity.ts";

/** A name that a tool cannot have. */
export interface RefusedName extends SavedName {
  readonly problem: "illegal" | "reserved" | "taken";
}

/** How names that somebody else gave are taken over. */
export interface AdoptNamesOptions {
  readonly strategy: NamingStrategy;
  /** Who may get one of them; whatever else is said of names is not heard. */
  readonly tools: readonly ToolIdentity[];
  /** Names that are somebody else's, with A to Z lower-cased. */
  readonly reservedNames: ReadonlySet<string>;
}

/**
 * The table with the names that `saved` has for those of `tools` that have none yet; what one of
 * them cannot have comes back, and stays without. Throws `invalid_names` when `saved` is not of the
 * form that {@linkcode saveNames} writes, however little it says.
 */
export function adoptNames(
  names: NameTable,
  saved: unknown,
  { strategy, tools, reservedNames }: AdoptNamesOptions,
): { readonly names: NameTable; readonly refused: readonly RefusedName[] } {
  const wanted = new Set(tools.map(keyOf));
  const draft = extendNames(names);
  const owners = indexNames(names);
  const refused: RefusedName[] = [];
  for (const given of readSavedNames(saved)) {
    const { identity, localName } = given;
    if (!wanted.has(keyOf(identity)) || draft.nameOf(identity) !== undefined) continue;
    const folded = foldCase(localName);
    if (!isLegalName(localName, strategy)) refused.push({ ...given, problem: "illegal" });
    else if (reservedNames.has(folded)) refused.push({ ...given, problem: "reserved" });
    else if (owners.has(folded)) refused.push({ ...given, problem: "taken" });
    else {
      draft.give(identity, localName);
      owners.set(folded, identity);
    }
  }
  return { names: draft.finish(), refused };
}

function keyOf({ serverId, toolName }: ToolIdentity): string {
  return JSON.stringify([serverId, toolName]);
}
