import { type Diagnostic, type ToolDefinition, cleanText } from "@hostside/core";
import { foldCase, sameDefinition } from "@hostside/core/implement";
import { estimateDefinitionTokens, fitTokens } from "../tokens/token-counter.ts";
import type { PermittedPart } from "./permitted.ts";

/** How many tools accumulate by selection. */
export const mostSelected = 128;

/** The places of tools that were found. */
interface Placement {
  /** Names of those that the next declaration has. */
  readonly placed: ReadonlySet<string>;
  /** Tools that alone cost more than there is room for. No declaration will ever have them. */
  readonly tooLarge: ReadonlySet<ToolDefinition>;
}

/**
 * The tools that one conversation has declared and selected. The order of the declared tools only
 * ever grows at the end: a prompt that starts with it stays in the cache of the model's provider
 * while tools come and go. `maxToolTokens` comes first: what gives way to it leaves a gap.
 */
export interface Offer {
  /**
   * Declares what is wanted and returns everything declared, for no more than `maxToolTokens`
   * tokens in all. New tools go to the end; what changed is replaced in its place, because a wrong
   * schema costs more than a missed cache; what is not wanted any more stays, as long as there is
   * room.
   */
  tools(maxToolTokens: number): readonly ToolDefinition[];
  /** Says whether the product declares what the view says. */
  readonly isDeclared: boolean;
  /** `maxToolTokens` of the latest declaration. */
  readonly maxToolTokens: number;
  /**
   * Selects tools for the next declaration: the first ones that have room beside what is always
   * there. None of them pushes out another.
   */
  place(found: readonly ToolDefinition[]): Placement;
  /** Notes that a tool was called. */
  touch(name: string): void;
  /** Notes that the model read a definition in an answer. */
  show(definition: ToolDefinition): void;
  /** The definition that the model read last under this name. */
  shown(name: string): ToolDefinition | undefined;
  has(name: string): boolean;
  /** In order of use, the latest last. */
  readonly selected: readonly string[];
  compact(): void;
}

/** The parts of an offer. */
interface OfferInit {
  readonly permitted: () => PermittedPart;
  readonly helperTools: readonly ToolDefinition[];
  readonly alwaysVisible: readonly string[];
  readonly selection: readonly string[];
  /** Declares the helpers also while every tool would fit. */
  readonly alwaysHelpers: boolean;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/** Makes an offer of which nothing was declared yet. */
export function createOffer(init: OfferInit): Offer {
  const { permitted, helperTools, alwaysVisible, alwaysHelpers } = init;
  const declared = new Map<string, ToolDefinition>();
  const equal = new Map<string, ToolDefinition>();
  // What was read since it was declared, or is not declared any more: of all others that is what
  // was declared last.
  const shown = new Map<string, ToolDefinition>();
  const selected = new Set<string>();
  const called = new Set<string>();
  let isDeclared = false;
  let declaresAll = !alwaysHelpers;
  let lastMaxToolTokens = Number.POSITIVE_INFINITY;
  let lastWanted: readonly ToolDefinition[] | undefined;
  const warn = warnOnce(init.onDiagnostic);

  const find = (names: readonly string[]): readonly ToolDefinition[] =>
    names.flatMap((name) => permitted().find(name)?.definition ?? []);
  const fixed = (): readonly ToolDefinition[] => [...helperTools, ...find(alwaysVisible)];
  const worthOf = (key: string): number => (permitted().find(key) === undefined ? 0 : called.has(key) ? 2 : 1);
  // What is always there, and the selected tools that were used last and fit beside it.
  const declareSome = (maxToolTokens: number): readonly ToolDefinition[] => {
    const always = fixed();
    const isAlways = new Set(always.map(({ name }) => foldCase(name)));
    const cost = costOfAll(always);
    if (cost > maxToolTokens) warn(maxToolTokens, cost);
    let left = Math.max(0, maxToolTokens - cost);
    const latest = find(Array.from(selected)).toReversed();
    const tooMany = latest.findIndex((definition) => {
      left -= isAlways.has(foldCase(definition.name)) ? 0 : estimateDefinitionTokens(definition);
      return left < 0;
    });
    const fitting = tooMany === -1 ? latest : latest.slice(0, tooMany);
    return [...always, ...fitting.toReversed()];
  };
  selectIn(selected, init.selection);

  return {
    get isDeclared() {
      return isDeclared;
    },
    get maxToolTokens() {
      return lastMaxToolTokens;
    },
    get selected() {
      return Array.from(selected);
    },
    tools(maxToolTokens) {
      const all = permitted().definitions;
      declaresAll &&= fitTokens(all, maxToolTokens);
      const wanted = declaresAll ? all : declareSome(maxToolTokens);
      const isUnchanged = wanted === lastWanted && maxToolTokens === lastMaxToolTokens && shown.size === 0;
      if (!isUnchanged) declareTools({ declared, equal, shown }, wanted, { maxToolTokens, worthOf });
      isDeclared = true;
      lastMaxToolTokens = maxToolTokens;
      lastWanted = wanted;
      return Array.from(declared.values());
    },
    place(found) {
      const always = fixed();
      const placement = placeTools(found, {
        free: new Set(isDeclared && declaresAll ? found : always),
        room: isDeclared ? Math.max(0, lastMaxToolTokens - costOfAll(always)) : Number.POSITIVE_INFINITY,
      });
      selectIn(selected, Array.from(placement.placed).slice(0, mostSelected));
      return placement;
    },
    touch(name) {
      if (selected.delete(name)) selected.add(name);
      called.add(foldCase(name));
    },
    show: (definition) => void shown.set(foldCase(definition.name), definition),
    shown(name) {
      const key = foldCase(name);
      return shown.get(key) ?? equal.get(key) ?? declared.get(key);
    },
    has: (name) => declared.has(foldCase(name)),
    compact() {
      declaresAll = !alwaysHelpers;
      declared.clear();
      equal.clear();
      shown.clear();
      lastWanted = undefined;
    },
  };
}

function costOfAll(definitions: readonly ToolDefinition[]): number {
  return definitions.reduce((sum, definition) => sum + estimateDefinitionTokens(definition), 0);
}

// Beyond the limit, those that were not used for the longest time give way.
function selectIn(selected: Set<string>, names: readonly string[]): void {
  for (const name of names) {
    selected.delete(name);
    selected.add(name);
  }
  for (const name of selected) if (selected.size > mostSelected) selected.delete(name);
}

// A server that gives its tools other names all the time would fill every request to a model.
const mostGone = 128;

/** The limits of one declaration. */
interface DeclareLimits {
  readonly maxToolTokens: number;
  /** How much it matters that a tool that is not wanted stays declared, by folded name. */
  readonly worthOf: (key: string) => number;
}

interface ReadTools {
  /** As first declared, so that the JSON of an equal one stays the same to the byte. */
  readonly declared: Map<string, ToolDefinition>;
  /** The object that one was compared with last, where that is another one. */
  readonly equal: Map<string, ToolDefinition>;
  readonly shown: Map<string, ToolDefinition>;
}

// Wanted tools stay, whatever they cost: the caller has counted them.
function declareTools(
  { declared, equal, shown }: ReadTools,
  wanted: readonly ToolDefinition[],
  { maxToolTokens, worthOf }: DeclareLimits,
): void {
  const kept = new Set<string>();
  for (const tool of wanted) {
    const key = foldCase(tool.name);
    kept.add(key);
    shown.delete(key);
    const before = declared.get(key);
    if (before !== undefined && (equal.get(key) ?? before) === tool) continue;
    const isSame = before !== undefined && sameDefinition(before, tool);
    if (isSame) equal.set(key, tool);
    else {
      equal.delete(key);
      declared.set(key, tool);
    }
  }
  if (declared.size - kept.size > mostGone) {
    const gone = Array.from(declared.keys()).filter((key) => !kept.has(key) && worthOf(key) === 0);
    for (const key of gone.slice(0, -mostGone)) {
      declared.delete(key);
      equal.delete(key);
    }
  }
  if (maxToolTokens === Number.POSITIVE_INFINITY) return;
  let total = costOfAll(Array.from(declared.values()));
  // The least worth first, and from the end, so that as much as can be of the prompt's beginning
  // stays.
  const spare = Array.from(declared).filter(([key]) => !kept.has(key));
  for (const [key, left] of spare.toReversed().sort(([a], [b]) => worthOf(a) - worthOf(b))) {
    if (total <= maxToolTokens) break;
    total -= estimateDefinitionTokens(left);
    if (!shown.has(key)) shown.set(key, equal.get(key) ?? left);
    declared.delete(key);
    equal.delete(key);
  }
}

/** The room for tools. */
interface PlaceLimits {
  /** Declared anyway. */
  readonly free: ReadonlySet<ToolDefinition>;
  /** Tokens for all others. */
  readonly room: number;
}

// The first ones have room first. One that is too large costs no other its place.
function placeTools(found: readonly ToolDefinition[], { free, room }: PlaceLimits): Placement {
  const placed = new Set<string>();
  const tooLarge = new Set<ToolDefinition>();
  let left = room;
  let taken = 0;
  for (const definition of found) {
    if (!free.has(definition)) {
      const cost = estimateDefinitionTokens(definition);
      if (cost > room) tooLarge.add(definition);
      if (taken >= mostSelected) break;
      if (cost > left) continue;
      left -= cost;
      taken += 1;
    }
    placed.add(definition.name);
  }
  return { placed, tooLarge };
}

// Once for each limit in turn.
function warnOnce(onDiagnostic: (diagnostic: Diagnostic) => void): (maxToolTokens: number, cost: number) => void {
  let warned: number | undefined;
  return (maxToolTokens, cost) => {
    if (warned === maxToolTokens) return;
    warned = maxToolTokens;
    const message = `the discovery helpers and what is always visible cost about ${cost} tokens, more than maxToolTokens of ${maxToolTokens}`;
    onDiagnostic({ kind: "over-budget", serverId: "", message: cleanText(message) });
  };
}
