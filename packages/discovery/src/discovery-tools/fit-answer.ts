import type { JsonObject } from "@toolport/core";
import type { GroupAnswer, OmittedNames, ToolAnswer } from "./answers.ts";

// Room for member names, brackets and counts around what is measured.
const overheadBytes = 512;

/** What is to be fitted, in order of importance. */
export interface AnswerParts {
  readonly tools: readonly ToolAnswer[];
  readonly groups: readonly GroupAnswer[];
}

/** What fitted, and the names of what did not. */
export interface FittedParts extends AnswerParts {
  readonly omittedTools: OmittedNames | undefined;
  readonly omittedGroups: OmittedNames | undefined;
}

/**
 * Fits an answer into `maxBytes` of JSON (AN-79). Every tool is at least named, as long as names alone fit into half of the room;
 * beyond that, they are counted. Groups give way before tools do: first their lists of members, then their advice, then themselves.
 */
export function fitAnswer({ tools, groups }: AnswerParts, maxBytes: number): FittedParts {
  const room = createRoom(maxBytes - overheadBytes);
  const fittedTools = fitItems(tools, { nameOf: ({ name }) => name, room, maxNameBytes: maxBytes / 2 });
  const versions = groups.map((group) => {
    const { instructions: _instructions, ...bare } = { ...group, members: [] };
    return [group, { ...group, members: [] }, bare];
  });
  const shownGroups: GroupAnswer[] = [];
  const omittedGroups: string[] = [];
  for (const choices of versions) {
    const fitting = choices.find((version) => room.take(jsonBytes(version) + 1));
    if (fitting !== undefined) shownGroups.push(fitting);
    else omittedGroups.push(...choices.slice(0, 1).map(({ id }) => id));
  }
  return {
    tools: fittedTools.fitted,
    omittedTools: fittedTools.omitted,
    groups: shownGroups,
    omittedGroups: nameIn(room, omittedGroups),
  };
}

/** Fits a list of one kind of thing into `maxBytes` of JSON, by the same rule. */
export function fitList<Item extends JsonObject>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  maxBytes: number,
): { readonly fitted: readonly Item[]; readonly omitted: OmittedNames | undefined } {
  return fitItems(items, { nameOf, room: createRoom(maxBytes - overheadBytes), maxNameBytes: maxBytes / 2 });
}

/** As many of the names as fit into `maxBytes` of JSON, and how many there are; `undefined` when there are none. */
export function fitNames(names: readonly string[], maxBytes: number): OmittedNames | undefined {
  return nameIn(createRoom(maxBytes), names);
}

/** UTF-8 bytes of a value as JSON. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

interface Room {
  /** Takes bytes if there are that many. */
  take(bytes: number): boolean;
  give(bytes: number): void;
}

function createRoom(bytes: number): Room {
  let left = bytes;
  return {
    take(wanted) {
      if (wanted > left) return false;
      left -= wanted;
      return true;
    },
    give(returned) {
      left += returned;
    },
  };
}

interface FitRule<Item> {
  readonly nameOf: (item: Item) => string;
  readonly room: Room;
  readonly maxNameBytes: number;
}

function fitItems<Item>(
  items: readonly Item[],
  { nameOf, room, maxNameBytes }: FitRule<Item>,
): { readonly fitted: readonly Item[]; readonly omitted: OmittedNames | undefined } {
  // Names first: each item then trades the room of its name for that of itself, if there is enough.
  const named = new Set<string>();
  let nameBytes = 0;
  for (const name of items.map(nameOf)) {
    nameBytes += bytesOfName(name);
    if (nameBytes > maxNameBytes || !room.take(bytesOfName(name))) break;
    named.add(name);
  }
  const fitted: Item[] = [];
  const omitted: string[] = [];
  for (const item of items) {
    const reserved = named.has(nameOf(item)) ? bytesOfName(nameOf(item)) : 0;
    room.give(reserved);
    if (room.take(jsonBytes(item) + 1)) {
      fitted.push(item);
    } else {
      room.take(reserved);
      omitted.push(nameOf(item));
    }
  }
  if (omitted.length === 0) return { fitted, omitted: undefined };
  for (const name of omitted) if (!named.has(name) && room.take(bytesOfName(name))) named.add(name);
  return { fitted, omitted: { names: omitted.filter((name) => named.has(name)), total: omitted.length } };
}

function nameIn(room: Room, names: readonly string[]): OmittedNames | undefined {
  if (names.length === 0) return undefined;
  return { names: names.filter((name) => room.take(bytesOfName(name))), total: names.length };
}

function bytesOfName(name: string): number {
  return jsonBytes(name) + 1;
}
