import {
  type CallContext,
  type CallOptions,
  cleanText,
  type Event,
  type HostsideError,
  type ToolDefinition,
  type ToolGroup,
  type ToolOutcome,
  type ToolsChange,
  type UnreadyGroup,
} from "@hostside/core";
import {
  assertCallContext,
  assertKnownOptions,
  assertSignal,
  assertTimeoutMs,
  assertToolName,
  type Fields,
  foldCase,
  sameDefinition,
  unknownToolError,
  withDefaults,
} from "@hostside/core/implement";
import { changedTool, quarantinedTool, removedTool } from "../catalog/changed-tool.ts";
import { assertMembers, type Check, isFlag, isFunction, isListOf, isText } from "../catalog/checks.ts";
import { createGroupSummaries } from "../catalog/summarize-group.ts";
import type { ToolboxCalls } from "../catalog/toolbox-calls.ts";
import type { ToolboxCatalog, ToolboxTool } from "../catalog/toolbox-catalog.ts";
import { findAbsent } from "../catalog/wait-for-tool.ts";
import type { GroupsAnswer, ToolsAnswer } from "../discovery-tools/answers.ts";
import { createHelpers, type Helpers } from "../discovery-tools/discovery-tools.ts";
import type { HelperOptions } from "../discovery-tools/helper-context.ts";
import { helperDefinitions } from "../discovery-tools/helper-definitions.ts";
import type { GroupsInput } from "../discovery-tools/tools-groups.ts";
import type { SearchInput } from "../discovery-tools/tools-search.ts";
import type { SelectInput } from "../discovery-tools/tools-select.ts";
import { assertDenied, createDenial, type Denial, type DeniedTool } from "../offer/denial.ts";
import { createOffer, type Offer } from "../offer/offer.ts";
import { createPermitted, type PermittedPart } from "../offer/permitted.ts";
import type { ModelToolSelector, RankContext } from "../ranking/rank-tools.ts";

/** One agent's choices. */
export interface ViewOptions {
  /**
   * Tools that are declared from the start, whatever `maxToolTokens`; keep it to the three or five
   * that are always needed. When they and the helpers alone cost more than `maxToolTokens`,
   * `onDiagnostic` hears of it (`over-budget`), as of a name that no tool has when all servers have
   * listed theirs (`unmatched-name`). Default none.
   */
  readonly alwaysVisible?: readonly string[];
  /**
   * `maxToolTokens` of every {@linkcode ToolboxView.tools} that names
   * none: for who hands the view on. Default: no limit.
   */
  readonly maxToolTokens?: number;
  /**
   * Tools that were selected before, such as {@linkcode ToolboxView.selection} of a conversation
   * that goes on. Default none.
   */
  readonly selection?: readonly string[];
  /**
   * Tools that do not exist for this agent: not declared, not found, not callable, not even as a
   * fallback. A name denies every tool that it may be meant for, whatever case, punctuation or hash
   * its local name has now; an identity denies exactly that tool. An entry that meets no tool when
   * all servers have listed theirs is a diagnostic (`unmatched-name`). Default none.
   */
  readonly deny?: readonly DeniedTool[];
  /**
   * The only tools that exist for this agent, by local name, ASCII-case-insensitively: every other
   * one is as if it were `deny`, also one that comes later. For who exposes tools to somebody else,
   * and lists each. Default: all that are not denied.
   */
  readonly allow?: readonly string[];
  /**
   * Declares the helpers, what is always visible and what was selected, also while every tool would
   * fit `maxToolTokens`. For a host that is to see few tools at first. Default `false`.
   */
  readonly alwaysHelpers?: boolean;
  /**
   * When answers of `tools_select` and `tools_search` have schemas: `"when-undeclared"` (default),
   * for tools whose schema the model does not get by declaration with the next request; `"always"`,
   * for a product that does not declare what {@linkcode ToolboxView.tools} says.
   */
  readonly answerSchemas?: "when-undeclared" | "always";
  /**
   * Says whether a call is refused with `tool_changed` when the tool is not what the model read of
   * it last, by declaration or in an answer. Default `true`. `selected` of a call, where there is
   * one, goes first.
   */
  readonly refuseChanged?: boolean;
  /**
   * The caller of every call and search of this view, for the host alone: no server gets it. A
   * call's own context goes first, member by member. Default none. Has no `approval`, which is for
   * one call.
   */
  readonly context?: Omit<CallContext, "approval">;
  /**
   * Lets a model choose among the ranked tools of a `tools_select` query longer than 3 characters.
   * Default: the ranking decides.
   */
  readonly selector?: ModelToolSelector;
}

/** The limits of a declaration. */
export interface ViewDeclareOptions {
  /**
   * About how many tokens the definitions may cost in all, helpers included. Default: that of the
   * view, else no limit: every tool is declared.
   */
  readonly maxToolTokens?: number;
}

/** How long servers are waited for. */
export interface WhenListedOptions {
  /** In milliseconds, from when somebody waited for a server first. Default 5,000. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** The toolbox as one agent or conversation sees it. */
export interface ToolboxView {
  /**
   * The definitions to declare in the next request to the model. While everything fits
   * `maxToolTokens`: every tool. Otherwise the helpers, the tools that are always visible, and
   * those that were selected or found so far, as far as `maxToolTokens` goes: those unused for the
   * longest time are not declared any more. Only the helpers and what is always visible may cost
   * more than it.
   *
   * Short of that, the order is frozen: what was returned before comes back in its place, new
   * definitions go to the end, changed ones are replaced where they stand, and tools that are gone
   * stay until {@linkcode compact}; calling one of those fails with `tool_removed`. Once the limit
   * was passed, the view stays with the helpers until then. Throws `TypeError` for a limit that is
   * no number of at least 0.
   */
  tools(options?: ViewDeclareOptions): readonly ToolDefinition[];
  /**
   * Forgets the order and what is gone, for when the model's cache is lost anyway. The selection
   * stays.
   */
  compact(): void;
  /**
   * Names of tools that {@linkcode tools} did not return yet, sorted: enough for a model to
   * ask for them by name.
   */
  undeclared(): readonly string[];
  /** Names selected so far, to hand to another view. */
  selection(): readonly string[];
  groups(): readonly ToolGroup[];
  has(name: string): boolean;
  /**
   * The definition of the tool that a call by this name reaches, declared or not; of helpers none.
   */
  find(name: string): ToolDefinition | undefined;
  /**
   * Calls a helper or a tool, as {@linkcode Toolbox.call}. Helpers never throw on wrong arguments:
   * they return an outcome with `isError` that says what to pass. Also throws `tool_removed` for a
   * tool that was declared and is gone while its provider is open, and `tool_changed` for one that
   * is not what the model read of it last: declare {@linkcode tools} again and let it choose
   * anew.
   */
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolOutcome>;
  /**
   * Starts what was not started, and waits for servers of which no tool is known and that are on
   * their way: for who declares tools once. Late servers come by {@linkcode onToolsChanged}, and
   * are waited for no more. A call of a helper with `wait: "servers"` waits so, too. Rejects with
   * `aborted` and `closed`.
   */
  whenListed(options?: WhenListedOptions): Promise<void>;
  /** Fires after the tools of the toolbox changed, whether this view shows those or not. */
  readonly onToolsChanged: Event<ToolsChange>;
  /** `tools_groups` for code. */
  listGroups(input?: GroupsInput): GroupsAnswer;
  /** `tools_select` for code. Throws `TypeError` on input that the helper would refuse. */
  selectTools(input: SelectInput, options?: HelperOptions): Promise<ToolsAnswer>;
  /** `tools_search` for code. Throws `TypeError` on input that the helper would refuse. */
  searchTools(input: SearchInput, options?: HelperOptions): Promise<ToolsAnswer>;
}

/** The part of a view that is its toolbox's. */
export interface ViewContext extends RankContext {
  readonly catalog: () => ToolboxCatalog;
  readonly onToolsChanged: Event<ToolsChange>;
  readonly calls: ToolboxCalls;
  readonly noteUnready: ((group: UnreadyGroup) => string | undefined) | undefined;
}

/** The options of a view, for those whose options are a view's and more. */
export const viewOptionFields: Fields<ViewOptions> = {
  alwaysVisible: true,
  maxToolTokens: true,
  selection: true,
  deny: true,
  allow: true,
  alwaysHelpers: true,
  answerSchemas: true,
  refuseChanged: true,
  selector: true,
  context: true,
};
/**
 * Makes a view. Throws a `TypeError` that names the option that is unknown, of a wrong type or out
 * of range.
 */
export function createView(context: ViewContext, options: ViewOptions): ToolboxView {
  assertViewOptions(options);
  const { catalog, onDiagnostic, calls } = context;
  const { alwaysVisible = [], refuseChanged = true, answerSchemas = "when-undeclared" } = options;
  const contextOf = createContextGiver(options.context);
  const denial = createDenial(options.deny ?? []);
  const only = options.allow && new Set(options.allow.map(foldCase));
  const permittedIn = createPermitted(denial, only);
  const permitted = (): ReturnType<typeof permittedIn> => permittedIn(catalog());
  const offer = createOffer({
    permitted,
    onDiagnostic,
    helperTools: Object.values(helperDefinitions),
    alwaysVisible,
    selection: options.selection ?? [],
    alwaysHelpers: options.alwaysHelpers ?? false,
  });
  const helpers = createHelpers({
    ...context,
    permitted,
    offer,
    about: createGroupSummaries((name) => permitted().find(name)?.definition),
    unready: () => calls.unready(),
    answerSchemas,
    selector: options.selector,
  });
  // A tool that is denied by name now is denied by identity later.
  permitted();
  const reportUnmatched = createUnmatchedReport({ denial, permitted, alwaysVisible, calls, onDiagnostic });
  return {
    tools(declareOptions = {}) {
      const definitions = offer.tools(readMaxToolTokens(declareOptions, options.maxToolTokens));
      reportUnmatched();
      return definitions;
    },
    compact: () => offer.compact(),
    undeclared: () =>
      permitted()
        .definitions.map(({ name }) => name)
        .filter((name) => !offer.has(name))
        .sort(),
    selection: () => offer.selected,
    async whenListed(listOptions = {}) {
      assertKnownOptions("whenListed()", listOptions, whenListedFields);
      const { timeoutMs = serversWaitMs, signal } = listOptions;
      assertTimeoutMs(timeoutMs);
      if (signal !== undefined) assertSignal(signal);
      calls.assertOpen();
      await calls.waitForServers({ waitMs: timeoutMs, signal });
    },
    onToolsChanged: context.onToolsChanged,
    groups: () => permitted().groups,
    has(name) {
      assertToolName("has()", name);
      return helpers.has(name) || permitted().find(name) !== undefined;
    },
    find: (name) => (assertToolName("find()", name), permitted().find(name)?.definition),
    call: createViewCalls({ ...context, permitted, offer, helpers, refuseChanged, contextOf }),
    listGroups: (input) => helpers.listGroups(input),
    async selectTools(input, selectOptions = {}) {
      assertHelperOptions("selectTools()", selectOptions);
      return await helpers.selectTools(input, { ...selectOptions, context: contextOf(selectOptions.context) });
    },
    async searchTools(input, searchOptions = {}) {
      assertHelperOptions("searchTools()", searchOptions);
      return await helpers.searchTools(input, { ...searchOptions, context: contextOf(searchOptions.context) });
    },
  };
}

/** Puts the context of a view under that of a call. */
function createContextGiver(
  context: CallContext | undefined,
): (given: CallContext | undefined) => CallContext | undefined {
  if (context === undefined) return (given) => given;
  const own = Object.freeze({ ...context });
  return (given) => (given === undefined ? own : withDefaults(own, given));
}

const helperFields: Fields<HelperOptions> = { signal: true, context: true };

function assertHelperOptions(owner: string, options: HelperOptions): void {
  assertKnownOptions(owner, options, helperFields);
  if (options.context !== undefined) assertCallContext(options.context);
  if (options.signal !== undefined) assertSignal(options.signal);
}

const whenListedFields: Fields<WhenListedOptions> = { timeoutMs: true, signal: true };

const declareFields: Fields<ViewDeclareOptions> = { maxToolTokens: true };

function readMaxToolTokens(options: ViewDeclareOptions, ofView: number = Number.POSITIVE_INFINITY): number {
  assertKnownOptions("tools()", options, declareFields);
  assertMembers(options, [maxToolTokensCheck]);
  return options.maxToolTokens ?? ofView;
}

const isTokenCount = (value: unknown): boolean => typeof value === "number" && value >= 0;
const maxToolTokensCheck: Check = ["maxToolTokens", isTokenCount, "a number of tokens, at least 0"];
const optionChecks: readonly Check[] = [
  maxToolTokensCheck,
  ["alwaysVisible", isListOf(isText), "an array of strings"],
  ["selection", isListOf(isText), "an array of strings"],
  ["allow", isListOf(isText), "an array of strings"],
  ["alwaysHelpers", isFlag, "true or false"],
  ["refuseChanged", isFlag, "true or false"],
  ["selector", isFunction, "a function"],
  ["answerSchemas", (value) => value === "when-undeclared" || value === "always", '"when-undeclared" or "always"'],
];

function assertViewOptions(options: ViewOptions): void {
  assertKnownOptions("view()", options, viewOptionFields);
  assertMembers(options, optionChecks);
  const { context, deny } = options;
  if (context !== undefined) assertViewContext(context);
  if (deny !== undefined) assertDenied(deny);
}

function assertViewContext(context: CallContext): void {
  assertCallContext(context);
  if (context.approval !== undefined) throw new TypeError("context.approval is for one call, not for a view");
}

/** The parts of such a report. */
interface UnmatchedReportInit extends Pick<ViewContext, "calls" | "onDiagnostic"> {
  readonly denial: Denial;
  readonly permitted: () => PermittedPart;
  readonly alwaysVisible: readonly string[];
}

/**
 * Reports names among a view's choices that no tool has: with a letter wrong, a tool would go on to
 * be callable that was to be denied. Nothing is wrong with a name as long as a server may still
 * list it. Each is reported once.
 */
function createUnmatchedReport(init: UnmatchedReportInit): () => void {
  const { denial, permitted, alwaysVisible, calls, onDiagnostic } = init;
  const reported = new Set<string>();
  const report = (entry: DeniedTool, option: string): void => {
    const shown = typeof entry === "string" ? entry : `${entry.toolName} of ${entry.serverId}`;
    const key = JSON.stringify([option, entry]);
    if (reported.has(key)) return;
    reported.add(key);
    const message = `${option} has ${JSON.stringify(cleanText(shown, 200))}, which no tool is called`;
    onDiagnostic({ kind: "unmatched-name", serverId: "", message });
  };
  return () => {
    if (denial.isEmpty && alwaysVisible.length === 0) return;
    const missing = alwaysVisible.filter((name) => permitted().find(name) === undefined);
    const unmet = denial.unmet();
    if (missing.length + unmet.length === 0 || calls.unready().length > 0) return;
    for (const name of missing) report(name, "alwaysVisible");
    for (const entry of unmet) report(entry, "deny");
  };
}

/** The parts of the calls of a view. */
interface ViewCallsInit {
  readonly catalog: () => ToolboxCatalog;
  readonly calls: ToolboxCalls;
  /** The error for a tool that cannot be there any more, if that is known. */
  readonly permitted: () => PermittedPart;
  readonly offer: Offer;
  readonly helpers: Helpers;
  readonly refuseChanged: boolean;
  /** Puts the context of the view under that of a call. */
  readonly contextOf: (given: CallContext | undefined) => CallContext | undefined;
}

type AllOptions = { readonly [Name in keyof Required<CallOptions>]: CallOptions[Name] };

const noOptions: CallOptions = {};

/**
 * How long servers are waited for that are not known yet: most that come at all have come by then,
 * and a model that waits longer may be given up.
 */
const serversWaitMs = 5000;

/** Makes the calls of one view: of helpers, and of what is permitted, as the model read it. */
function createViewCalls(
  init: ViewCallsInit,
): (name: string, args?: unknown, options?: CallOptions) => Promise<ToolOutcome> {
  const { calls, permitted, offer, helpers, contextOf } = init;
  // One promise and one copy of the options in all: each more is paid with every call.
  return async (name, args, given = noOptions) => {
    calls.check(name, given);
    const context = contextOf(given.context);
    if (helpers.has(name)) {
      if (given.wait === "servers") await calls.waitForServers({ ...given, waitMs: serversWaitMs });
      return await helpers.call(name, args, { ...given, context });
    }
    let options = given;
    let tool = permitted().find(name);
    if (tool === undefined && given.wait === "servers" && mayCome(name, permitted())) {
      options = await calls.waitForTool(name, given);
      tool = permitted().find(name);
    }
    if (tool === undefined) throw whyMissing(name, init);
    const { selected = readLast(name, tool, init) } = given;
    offer.touch(tool.definition.name);
    const { signal, timeoutMs, wait, meta, onProgress, deadline, observer } = options;
    // Written out: all that comes after it reads objects of one shape faster than copies.
    const whole: AllOptions = { signal, timeoutMs, selected, wait, meta, context, onProgress, deadline, observer };
    return await calls.run(tool, name, { args, options: whole });
  };
}

function mayCome(name: string, { allows, findHeld }: PermittedPart): boolean {
  return allows(name) && findHeld(name) === undefined;
}

function whyMissing(name: string, { permitted, offer, calls, catalog }: ViewCallsInit): HostsideError {
  const held = permitted().findHeld(name);
  if (held !== undefined) return quarantinedTool(held);
  if (offer.has(name)) return removedTool(name);
  return unknownToolError(name, permitted().definitions, findAbsent(calls.unready(), catalog()));
}

/** Returns the definition that the call is held to, unless the caller says. */
function readLast(
  name: string,
  { definition }: ToolboxTool,
  { refuseChanged, offer }: ViewCallsInit,
): ToolDefinition | undefined {
  const last = refuseChanged ? offer.shown(name) : undefined;
  if (last !== undefined && !sameDefinition(last, definition)) throw changedTool(name, definition);
  return last;
}
