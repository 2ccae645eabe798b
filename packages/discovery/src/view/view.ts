import {
  assertKnownOptions,
  cleanText,
  ToolportError,
  unknownToolError,
  type CallOptions,
  type Fields,
  type JsonObject,
  type ToolDefinition,
  type ToolGroup,
  type ToolOutcome,
} from "@toolport/core";
import type { Catalog } from "../catalog/build-catalog.ts";
import { foldName } from "../catalog/fold-name.ts";
import type { GroupsAnswer, ToolsAnswer } from "../discovery-tools/answers.ts";
import { helperDefinitions } from "../discovery-tools/helper-definitions.ts";
import type { HelperNames } from "../discovery-tools/helper-names.ts";
import { createHelpers } from "../discovery-tools/discovery-tools.ts";
import type { GroupsInput } from "../discovery-tools/tools-groups.ts";
import type { SearchInput } from "../discovery-tools/tools-search.ts";
import type { SelectInput } from "../discovery-tools/tools-select.ts";
import type { TokenCounter } from "../tokens/token-counter.ts";
import type { Toolbox } from "../toolbox.ts";
import { createDeclarations } from "./declarations.ts";
import { createPermitted } from "./permitted.ts";
import type { RankContext } from "../ranking/rank-tools.ts";
import { createSelection } from "./selection.ts";
import type { ToolSelector } from "../ranking/tool-selector.ts";

/** One agent's choices. */
export interface ViewOptions {
  /** Tools that are declared from the start, whatever the budget; keep it to the three or five that are always needed. Default none. */
  readonly alwaysVisible?: readonly string[];
  /** Tools that were selected before, such as {@linkcode ToolboxView.selection} of a conversation that goes on. Default none. */
  readonly selection?: readonly string[];
  /** Tools that do not exist for this agent: not declared, not found, not callable. Compared ASCII-case-insensitively. Default none. */
  readonly denied?: readonly string[];
  /** Most definitions that accumulate by selection. Default 128 (AN-79). Beyond it, those unused for the longest time give way. */
  readonly maxSelected?: number;
  /** Most bytes of a helper's answer as JSON. Default 262,144 (AN-79); at least 4,096. */
  readonly maxAnswerBytes?: number;
  /** Lets a model choose among the ranked tools of a `tools_select` query longer than 3 characters. Default: the ranking decides. */
  readonly selector?: ToolSelector;
}

/** What to declare. */
export interface DeclareOptions {
  /** About how many tokens all definitions together may cost before only some are declared. Default: no limit, all are declared. */
  readonly budget?: number;
}

/** The toolbox as one agent or conversation sees it. */
export interface ToolboxView {
  /**
   * The definitions to declare in the next request to the model (EV-42). While everything fits the budget: every tool. Otherwise the
   * helpers, the tools that are always visible, and those that were selected or found so far.
   *
   * The order is frozen: what was returned before comes back in its place, new definitions go to the end, changed ones are replaced
   * where they stand, and tools that are gone stay until {@linkcode compact}; calling one of those fails with `tool_removed`. Once a
   * budget was passed, the view stays with the helpers until then.
   */
  definitions(options?: DeclareOptions): readonly ToolDefinition[];
  /** Forgets the order and what is gone, for when the model's cache is lost anyway. The selection stays. */
  compact(): void;
  /** Names of tools that {@linkcode definitions} did not return yet, sorted: enough for a model to ask for them by name (EV-41). */
  undeclared(): readonly string[];
  /** Names selected so far, to hand to another view. */
  selection(): readonly string[];
  groups(): readonly ToolGroup[];
  has(name: string): boolean;
  /**
   * Calls a helper or a tool, as {@linkcode Toolbox.call}. Helpers never throw on wrong arguments: they return an outcome with
   * `isError` that says what to pass. Also throws `tool_removed` for a tool that was declared and is gone while its provider is open.
   */
  call(name: string, args?: JsonObject | null, options?: CallOptions): Promise<ToolOutcome>;
  /** `tools_groups` for code. */
  listGroups(input: GroupsInput): GroupsAnswer;
  /** `tools_select` for code. Throws `TypeError` on input that the helper would refuse. */
  selectTools(input: SelectInput, options?: { readonly signal?: AbortSignal }): Promise<ToolsAnswer>;
  /** `tools_search` for code. Throws `TypeError` on input that the helper would refuse. */
  searchTools(input: SearchInput, options?: { readonly signal?: AbortSignal }): Promise<ToolsAnswer>;
}

/** What a view has from its toolbox. */
export interface ViewContext extends RankContext {
  readonly toolbox: Toolbox;
  readonly catalog: () => Catalog;
  /** The error for a tool that cannot be there any more, if that is known. */
  readonly whyGone: (name: string) => ToolportError | undefined;
  readonly tokens: TokenCounter;
  readonly helperNames: HelperNames;
}

const optionFields: Fields<ViewOptions> = {
  alwaysVisible: true,
  selection: true,
  denied: true,
  maxSelected: true,
  maxAnswerBytes: true,
  selector: true,
};
const smallestAnswer = 4096;

/** Makes a view. Throws `TypeError` for an unknown option, and when a limit is out of range. */
export function createView(context: ViewContext, options: ViewOptions): ToolboxView {
  assertKnownOptions("view()", options, optionFields);
  const { toolbox, catalog, whyGone, tokens, helperNames } = context;
  const { maxSelected = 128, maxAnswerBytes = 262_144, alwaysVisible = [] } = options;
  assertAtLeast("maxSelected", maxSelected, 1);
  assertAtLeast("maxAnswerBytes", maxAnswerBytes, smallestAnswer);
  const denied = new Set((options.denied ?? []).map(foldName));
  const selection = createSelection(maxSelected);
  selection.add(options.selection ?? []);
  const declarations = createDeclarations();
  const helperTools = helperDefinitions(helperNames);
  let overBudget = false;

  const allows = (name: string): boolean => !denied.has(foldName(name));
  const permitted = createPermitted(denied);
  const visible = (): readonly ToolDefinition[] => permitted(catalog()).definitions;
  const groups = (): readonly ToolGroup[] => permitted(catalog()).groups;
  const find = (names: readonly string[]): readonly ToolDefinition[] =>
    toolbox.definitions(names).filter(({ name }) => allows(name));
  const missingTool = (name: string): ToolportError =>
    declarations.has(name) ? removedTool(name) : unknownToolError(name, visible());
  const helpers = createHelpers(
    {
      ...context,
      allows,
      visible,
      groups,
      maxAnswerBytes,
      selector: options.selector,
      select: (names) => selection.add(names),
    },
    helperNames,
  );

  return {
    definitions({ budget = Number.POSITIVE_INFINITY } = {}) {
      const all = visible();
      overBudget ||= !tokens.fits(all, budget);
      if (!overBudget) return declarations.declare(all);
      return declarations.declare([...helperTools, ...find(alwaysVisible), ...find(selection.names)]);
    },
    compact() {
      overBudget = false;
      declarations.clear();
    },
    undeclared: () =>
      visible()
        .map(({ name }) => name)
        .filter((name) => !declarations.has(name))
        .sort(),
    selection: () => selection.names,
    groups,
    has: (name) => helpers.has(name) || (allows(name) && toolbox.has(name)),
    async call(name, args, callOptions) {
      if (helpers.has(name)) return await helpers.call(name, args, callOptions);
      if (!allows(name)) throw missingTool(name);
      if (!toolbox.has(name)) throw whyGone(name) ?? missingTool(name);
      const listed = toolbox.definitions([name])[0]?.name ?? name;
      selection.touch(listed);
      return await toolbox.call(name, args, callOptions);
    },
    listGroups: (input) => helpers.listGroups(input),
    selectTools: (input, selectOptions) => helpers.selectTools(input, selectOptions),
    searchTools: (input, searchOptions) => helpers.searchTools(input, searchOptions),
  };
}

function removedTool(name: string): ToolportError {
  const message = `tool ${JSON.stringify(cleanText(name, 80))} is no longer offered`;
  return new ToolportError(message, { code: "tool_removed", toolName: name });
}

function assertAtLeast(option: string, value: number, least: number): void {
  if (!Number.isInteger(value) || value < least)
    throw new TypeError(`${option} must be a whole number, at least ${least}`);
}
