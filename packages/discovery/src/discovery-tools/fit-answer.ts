import type { JsonObject } from "@hostside/core";
import { estimateTokens } from "../tokens/token-counter.ts";
import type { GroupAnswer, OmittedNames, ToolAnswer } from "./answers.ts";

// Room for member names, brackets and counts around what is measured.
const overheadBytes = 512;
const frame = {
  tools: [],
  groups: [],
  total_tools: 1000,
  omitted_tools: { names: [], total: 1000 },
  not_declared: { names: [], total: 1000 },
  next: { group: "", after: "" },
};

/** How large an answer may be. */
export interface AnswerLimit {
  readonly max: number;
  /** Size of a value in the units of `max`. */
  readonly sizeOf: (value: unknown) => number;
}

/** A limit of UTF-8 bytes of JSON and of tokens, whichever is reached first. */
export function limitBytes(maxBytes: number, maxTokens: number = Number.POSITIVE_INFINITY): AnswerLimit {
  if (maxTokens === Number.POSITIVE_INFINITY) return { max: maxBytes, sizeOf: jsonBytes };
  const bytesPerToken = maxBytes / maxTokens;
  return {
    max: maxBytes,
    sizeOf: (value) => Math.max(jsonBytes(value), estimateTokens(JSON.stringify(value)) * bytesPerToken),
  };
}

/** A part of a limit. */
export function partOfLimit({ max, sizeOf }: AnswerLimit, share: number): AnswerLimit {
  return { max: max * share, sizeOf };
}

/** The parts to be fitted, in order of importance. */
export interface AnswerParts {
  readonly tools: readonly ToolAnswer[];
  readonly groups: readonly GroupAnswer[];
  /** Ids of groups without an entry. Default: none. */
  readonly unshown?: readonly string[];
  /** Shortens a tool that does not fit. Default: its name alone. */
  readonly shorten?: (tool: ToolAnswer) => ToolAnswer | undefined;
}

/** The parts that fitted, and the names of those that did not. */
export interface FittedParts extends Pick<AnswerParts, "tools" | "groups"> {
  readonly omittedTools: OmittedNames | undefined;
  readonly omittedGroups: OmittedNames | undefined;
}

/**
 * Fits an answer into a limit. Every tool is at least named, as long as names alone fit into half
 * of the room; beyond that, they are counted. Groups give way before tools do: first their lists of
 * members, from the end, then their advice, then themselves.
 */
export function fitAnswer({ tools, groups, unshown = [], shorten }: AnswerParts, limit: AnswerLimit): FittedParts {
  const room = createRoom(limit);
  const fittedTools = fitItems(tools, { nameOf: ({ name }) => name, shorten, room, maxNames: limit.max / 2 });
  const versions = groups.map((group) => {
    const { instructions: _instructions, ...bare } = { ...group, members: [] };
    const shares = [1 / 2, 1 / 4, 1 / 8, 0].map((share) => Math.floor(group.members.length * share));
    return [
      group,
      ...Array.from(new Set(shares), (count) => ({ ...group, members: group.members.slice(0, count) })),
      bare,
    ];
  });
  const shownGroups: GroupAnswer[] = [];
  const omittedGroups: string[] = [];
  for (const choices of versions) {
    const fitting = choices.find((version) => room.take(version));
    if (fitting !== undefined) shownGroups.push(fitting);
    else omittedGroups.push(...choices.slice(0, 1).map(({ id }) => id));
  }
  return {
    tools: fittedTools.fitted,
    omittedTools: fittedTools.omitted,
    groups: shownGroups,
    omittedGroups: nameIn(room, [...omittedGroups, ...unshown]),
  };
}

/** Fits a list of one kind of thing, by the same rule. */
export function fitList<Item extends JsonObject>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  limit: AnswerLimit,
): { readonly fitted: readonly Item[]; readonly omitted: OmittedNames | undefined } {
  return fitItems(items, { nameOf, room: createRoom(limit), maxNames: limit.max / 2 });
}

/** As many of the names as fit, and how many there are; `undefined` when there are none. */
export function fitNames(names: readonly string[], limit: AnswerLimit): OmittedNames | undefined {
  return nameIn(roomOf(limit.max, limit), names);
}

/** UTF-8 bytes of a value as JSON. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

interface Room {
  /** Takes the room of a value if there is as much. */
  take(value: unknown): boolean;
  give(value: unknown): void;
  readonly sizeOf: (value: unknown) => number;
}

function createRoom(limit: AnswerLimit): Room {
  return roomOf(limit.max - Math.max(overheadBytes, limit.sizeOf(frame)), limit);
}

function roomOf(size: number, limit: AnswerLimit): Room {
  let left = size;
  // One more for the comma.
  const sizeOf = (value: unknown): number => limit.sizeOf(value) + 1;
  return {
    sizeOf,
    take(value) {
      const wanted = sizeOf(value);
      if (wanted > left) return false;
      left -= wanted;
      return true;
    },
    give(value) {
      left += sizeOf(value);
    },
  };
}

interface FitRule<Item> {
  readonly nameOf: (item: Item) => string;
  readonly shorten?: ((item: Item) => Item | undefined) | undefined;
  readonly room: Room;
  readonly maxNames: number;
}

function fitItems<Item>(
  items: readonly Item[],
  { nameOf, shorten, room, maxNames }: FitRule<Item>,
): { readonly fitted: readonly Item[]; readonly omitted: OmittedNames | undefined } {
  // Names first: each item then trades the room of its name for that of itself, if there is enough.
  const named = new Set<string>();
  let nameSize = 0;
  for (const name of items.map(nameOf)) {
    nameSize += room.sizeOf(name);
    if (nameSize > maxNames || !room.take(name)) break;
    named.add(name);
  }
  const fitted: Item[] = [];
  const omitted: string[] = [];
  for (const item of items) {
    const name = nameOf(item);
    if (named.has(name)) room.give(name);
    const fits = [item, shorten?.(item)].find((version) => version !== undefined && room.take(version));
    if (fits !== undefined) {
      fitted.push(fits);
    } else {
      if (named.has(name)) room.take(name);
      omitted.push(name);
    }
  }
  if (omitted.length === 0) return { fitted, omitted: undefined };
  for (const name of omitted) if (!named.has(name) && room.take(name)) named.add(name);
  return { fitted, omitted: { names: omitted.filter((name) => named.has(name)), total: omitted.length } };
}

function nameIn(room: Room, names: readonly string[]): OmittedNames | undefined {
  if (names.length === 0) return undefined;
  return { names: names.filter((name) => room.take(name)), total: names.length };
}
