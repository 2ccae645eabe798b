import { HostsideError } from "@hostside/core";
import { compareText, foldCase, isJsonObject, quoteText } from "@hostside/core/implement";
import { emptyNames, NameDraft, type NameTable } from "./name-table.ts";
import { hostsideNaming, assertNamingStrategy, isLegalName, type NamingStrategy } from "./naming-strategy.ts";

/**
 * Names as JSON, to be kept over a restart. Arrays of pairs, so that no server or tool name is ever
 * a key of an object.
 */
export interface SavedNames {
  readonly version: 1;
  /** Server id with its tools, each a remote name with its local name. Sorted. */
  readonly servers: readonly (readonly [serverId: string, tools: readonly (readonly [string, string])[]])[];
}

/**
 * The names of a table as plain JSON data. Equal tables give equal data.
 *
 * @example
 * const text = JSON.stringify(saveNames(names));
 */
export function saveNames(names: NameTable): SavedNames {
  const servers = Array.from(
    names.servers,
    ([serverId, tools]) => [serverId, Array.from(tools).sort(byFirst)] as const,
  ).sort(byFirst);
  return { version: 1, servers };
}

/**
 * Reads what {@linkcode saveNames} wrote, after `JSON.parse`. Trusts nothing of it: throws
 * `invalid_names` when it has another shape or version, names a pair twice, gives one name to two
 * pairs, or has a name that is not legal for the strategy; `TypeError` when the strategy breaks a
 * rule of its own.
 *
 * @example
 * const names = loadNames(JSON.parse(text));
 */
export function loadNames(saved: unknown, strategy: NamingStrategy = hostsideNaming): NameTable {
  assertNamingStrategy(strategy);
  const draft = new NameDraft(emptyNames);
  const taken = new Set<string>();
  if (!isJsonObject(saved) || saved["version"] !== 1) throw invalidNames("the data is not of version 1");
  for (const [serverId, tools] of readPairs(saved["servers"], "servers")) {
    if (typeof serverId !== "string") throw invalidNames("a server id is not a string");
    for (const [toolName, localName] of readPairs(tools, `the tools of ${quote(serverId)}`)) {
      if (typeof toolName !== "string" || typeof localName !== "string") {
        throw invalidNames(`a name of ${quote(serverId)} is not a string`);
      }
      const identity = { serverId, toolName };
      const folded = foldCase(localName);
      if (!isLegalName(localName, strategy)) throw invalidNames(`${quote(localName)} is not a legal name`);
      if (taken.has(folded)) throw invalidNames(`${quote(localName)} is given twice`);
      if (draft.nameOf(identity) !== undefined) {
        throw invalidNames(`${quote(toolName)} of ${quote(serverId)} has two names`);
      }
      draft.give(identity, localName);
      taken.add(folded);
    }
  }
  return draft.finish();
}

function readPairs(value: unknown, what: string): readonly (readonly [unknown, unknown])[] {
  if (Array.isArray(value) && value.every(isPair)) return value;
  throw invalidNames(`${what} must be an array of pairs`);
}

function isPair(value: unknown): value is readonly [unknown, unknown] {
  return Array.isArray(value) && value.length === 2;
}

function invalidNames(problem: string): HostsideError {
  return new HostsideError(`saved tool names: ${problem}`, { code: "invalid_names" });
}

function quote(text: string): string {
  return quoteText(text, 80);
}

function byFirst(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return compareText(a[0], b[0]);
}
