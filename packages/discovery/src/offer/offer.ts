import { cleanText, type Diagnostic, type ToolDefinition } from "@hostside/core";
import { foldCase } from "@hostside/core/implement";
import type { TokenCounter } from "../tokens/token-counter.ts";
import { createDeclarations } from "./declarations.ts";
import type { PermittedPart } from "./permitted.ts";
import { placeTools, type Placement } from "./place-tools.ts";
import { createSelection } from "./selection.ts";

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
export interface OfferInit {
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
