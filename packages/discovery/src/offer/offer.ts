import { type Diagnostic, type ToolDefinition, cleanText } from "@hostside/core";
import { foldCase } from "@hostside/core/implement";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { createDeclarations } from "./declarations.ts";
import type { PermittedPart } from "./permitted.ts";

/** What one conversation has declared and selected. */
export interface Offer {
  /** What to declare next, for no more than `maxToolTokens` tokens in all. */
  tools(maxToolTokens: number): readonly ToolDefinition[];
  /** Whether the product declares what the view says. */
  readonly isDeclared: boolean;
  /** `maxToolTokens` of the latest declaration. */
  readonly maxToolTokens: number;
  readonly maxSelected: number;
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
  readonly selected: readonly string[];
  compact(): void;
}

/** What an offer is made from. */
interface OfferInit {
  readonly permitted: () => PermittedPart;
  readonly tokens: TokenCounter;
  readonly helperTools: readonly ToolDefinition[];
  readonly alwaysVisible: readonly string[];
  readonly selection: readonly string[];
  readonly maxSelected: number;
  /** Declares the helpers also while every tool would fit. */
  readonly alwaysHelpers: () => boolean;
  readonly onDiagnostic: (diagnostic: Diagnostic) => void;
}

/** An offer of which nothing was declared yet. */
export function createOffer(init: OfferInit): Offer {
  const { permitted, tokens, helperTools, alwaysVisible, maxSelected, alwaysHelpers } = init;
  const declarations = createDeclarations();
  const selection = createSelection(maxSelected);
  selection.add(init.selection);
  const called = new Set<string>();
  let isDeclared = false;
  let declaresAll = !alwaysHelpers();
  let lastMaxToolTokens = Number.POSITIVE_INFINITY;
  const warn = warnOnce(init.onDiagnostic);

  const fixed = (): readonly ToolDefinition[] => [...helperTools, ...findAll(permitted(), alwaysVisible)];
  const costOfAll = (definitions: readonly ToolDefinition[]): number =>
    definitions.reduce((sum, definition) => sum + tokens.costOf(definition), 0);
  const worthOf = (key: string): number => {
    if (permitted().find(key) === undefined) return 0;
    return called.has(key) ? 2 : 1;
  };
  const declareSome = (maxToolTokens: number): readonly ToolDefinition[] => {
    const always = fixed();
    const alwaysKeys = new Set(always.map(({ name }) => foldCase(name)));
    const cost = costOfAll(always);
    if (cost > maxToolTokens) warn(maxToolTokens, cost);
    const costOf = (name: string): number => {
      const definition = alwaysKeys.has(foldCase(name)) ? undefined : permitted().find(name)?.definition;
      return definition === undefined ? 0 : tokens.costOf(definition);
    };
    const selected = selection.latest(Math.max(0, maxToolTokens - cost), costOf);
    return [...always, ...findAll(permitted(), selected)];
  };

  return {
    get isDeclared() {
      return isDeclared;
    },
    get maxToolTokens() {
      return lastMaxToolTokens;
    },
    get selected() {
      return selection.names;
    },
    tools(maxToolTokens) {
      isDeclared = true;
      lastMaxToolTokens = maxToolTokens;
      const all = permitted().definitions;
      declaresAll &&= tokens.fits(all, maxToolTokens);
      const wanted = declaresAll ? all : declareSome(maxToolTokens);
      return declarations.declare(wanted, { maxToolTokens, costOf: tokens.costOf, worthOf });
    },
    maxSelected,
    place(found) {
      const always = fixed();
      const { chosen, ...placement } = placeTools(found, {
        free: new Set(isDeclared && declaresAll ? found : always),
        room: isDeclared ? Math.max(0, lastMaxToolTokens - costOfAll(always)) : Number.POSITIVE_INFINITY,
        places: maxSelected,
        costOf: tokens.costOf,
      });
      selection.add(chosen);
      return placement;
    },
    touch(name) {
      selection.touch(name);
      called.add(foldCase(name));
    },
    show: (definition) => declarations.show(definition),
    shown: (name) => declarations.shown(name),
    has: (name) => declarations.has(name),
    compact() {
      declaresAll = !alwaysHelpers();
      declarations.clear();
    },
  };
}

function findAll(part: PermittedPart, names: readonly string[]): readonly ToolDefinition[] {
  return names.flatMap((name) => part.find(name)?.definition ?? []);
}

function warnOnce(onDiagnostic: (diagnostic: Diagnostic) => void): (maxToolTokens: number, cost: number) => void {
  let warned: number | undefined;
  return (maxToolTokens, cost) => {
    if (warned === maxToolTokens) return;
    warned = maxToolTokens;
    const message = `the discovery helpers and what is always visible cost about ${cost} tokens, more than maxToolTokens of ${maxToolTokens}`;
    onDiagnostic({ kind: "over-budget", serverId: "", message: cleanText(message) });
  };
}

/** Where tools that were found go. */
interface Placement {
  /** Names of those that the next declaration has. */
  readonly placed: ReadonlySet<string>;
  /** Those that alone cost more than there is room for. No declaration will ever have them. */
  readonly tooLarge: ReadonlySet<ToolDefinition>;
}

/** What there is room for. */
interface PlaceLimits {
  /** Declared anyway. */
  readonly free: ReadonlySet<ToolDefinition>;
  /** Tokens for all others. */
  readonly room: number;
  /** How many others. */
  readonly places: number;
  readonly costOf: (definition: ToolDefinition) => number;
}

/**
 * Places those of `found` that have room, the first ones first. One that is too large costs no
 * other its place. `chosen` are the names to select, at most as many as there are places.
 */
function placeTools(
  found: readonly ToolDefinition[],
  { free, room, places, costOf }: PlaceLimits,
): Placement & { readonly chosen: readonly string[] } {
  const placed = new Set<string>();
  const chosen: string[] = [];
  let left = room;
  let taken = 0;
  const tooLarge = new Set<ToolDefinition>();
  for (const definition of found) {
    if (!free.has(definition)) {
      const cost = costOf(definition);
      if (cost > room) tooLarge.add(definition);
      if (taken >= places) break;
      if (cost > left) continue;
      left -= cost;
      taken += 1;
    }
    placed.add(definition.name);
    if (chosen.length < places) chosen.push(definition.name);
  }
  return { placed, tooLarge, chosen };
}

/** The tools that one agent selected so far, up to a limit. */
interface Selection {
  /** In order of use, the latest last. */
  readonly names: readonly string[];
  /**
   * Adds names as the latest. When the limit is passed, those that were not used for the longest
   * time give way.
   */
  add(names: readonly string[]): void;
  /** Notes that a tool was used. */
  touch(name: string): void;
  /**
   * Those used last that cost no more than `room` together, in order of use. The others stay
   * selected, for when there is room.
   */
  latest(room: number, costOf: (name: string) => number): readonly string[];
}

/** A selection of at most `limit` names. */
function createSelection(limit: number): Selection {
  const names = new Set<string>();
  return {
    get names() {
      return Array.from(names);
    },
    add(more) {
      for (const name of more) {
        names.delete(name);
        names.add(name);
      }
      for (const name of names) {
        if (names.size <= limit) break;
        names.delete(name);
      }
    },
    touch(name) {
      if (names.delete(name)) names.add(name);
    },
    latest(room, costOf) {
      const order = Array.from(names);
      let left = room;
      let start = order.length;
      for (const name of order.toReversed()) {
        left -= costOf(name);
        if (left < 0) break;
        start -= 1;
      }
      return order.slice(start);
    },
  };
}
