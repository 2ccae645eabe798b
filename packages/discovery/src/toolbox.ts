import type {
  Admit,
  CallOptions,
  Clock,
  Diagnostic,
  Event,
  InitOptions,
  QuarantinedTool,
  Interceptor,
  ToolDefinition,
  ToolGroup,
  ToolOutcome,
  ToolProvider,
  ToolsChange,
} from "@toolport/core";
import { assertKnownOptions, compareText, foldCase, systemClock, type Fields } from "@toolport/core/implement";
import { createToolAdmission } from "./catalog/admit-tools.ts";
import { createInspector } from "./catalog/inspect-definitions.ts";
import { createCatalogSearch } from "./catalog/catalog-search.ts";
import { followSources } from "./catalog/follow-sources.ts";
import type { Precedence } from "./catalog/settle-name-clash.ts";
import { assertPolicyWords, assertToolName, startStaticTool, type StaticTool } from "./catalog/static-tool.ts";
import { createToolboxCalls } from "./catalog/toolbox-calls.ts";
import { resolveHelperNames, type HelperNames } from "./discovery-tools/helper-names.ts";
import { estimateTokens } from "./tokens/estimate-tokens.ts";
import { settleAll } from "./settle-all.ts";
import { createTokenCounter, type TokenScope } from "./tokens/token-counter.ts";
import { createView, type ToolboxView, type ViewOptions } from "./view/view.ts";
import type { EmbeddingRanker } from "./ranking/embedding-ranker.ts";

/** What a toolbox is made from. */
export interface ToolboxOptions {
  /** The product's own tools, in the order in which they are listed. Default none. */
  readonly tools?: readonly StaticTool[];
  /** Sources of further tools. Their order here does not matter: they are used in the order of their names. Default none. */
  readonly providers?: readonly ToolProvider[];
  /** Who answers to a name that a static tool and a provider both have. Default `"static"`. */
  readonly precedence?: Precedence;
  /**
   * Layers around every call of a tool, the product's own and any provider's alike; the first is the outermost. They stand around those that
   * a provider has itself, and each runs once, within the time of the call; a fallback is a call of its own. The discovery
   * helpers call no tool, and pass none of them. Default none.
   */
  readonly interceptors?: readonly Interceptor[];
  /**
   * Decides which tools are on offer, the product's own and any provider's: `"offer"`, `"hide"` or `"quarantine"`. Asked once about each
   * definition, when a snapshot is made, and again by {@linkcode Toolbox.readmit}; listing, search, views and calls obey the answer. A
   * name whose tool is not on offer is nobody's: no other source's tool answers to it. Other labels of a server are no news here. Providers may have one themselves, and what they
   * hide is not asked about here. Default: every tool is on offer.
   */
  readonly admit?: Admit;
  /** What the discovery helpers are called. Default `tools_groups`, `tools_select` and `tools_search`. No provider may use the names. */
  readonly helperNames?: Partial<HelperNames>;
  /** A second opinion on searches, by meaning; fused by rank with the index. Default none. */
  readonly embeddingRanker?: EmbeddingRanker;
  /**
   * How many tokens a text costs, such as a count of your model's own tokenizer. Pure; asked once for each definition and for what
   * helpers answer. Default {@linkcode estimateTokens}, which is within 15 % on real tools. It also stands in
   * where yours throws, or answers anything but a number of 0 or more.
   */
  readonly estimateTokens?: (text: string) => number;
  /** Told what is odd and stops nobody: a ranker that failed, a fallback that was taken. Must not throw. */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
  /** Default: the real time. */
  readonly clock?: Clock;
}

/** Static tools and providers as one set. Reads are synchronous and see one immutable snapshot. */
export interface Toolbox {
  /** Grows whenever `definitions()` or `groups()` answer differently. */
  readonly revision: number;
  /**
   * Without `names`: all, static tools first, in an order that only depends on the sources. With `names`: those, in that order, each
   * looked up ASCII-case-insensitively; unknown names are left out.
   */
  definitions(names?: readonly string[]): readonly ToolDefinition[];
  /** The directory of groups, without stale or shadowed members. Group texts come from servers: data, never instructions. */
  groups(): readonly ToolGroup[];
  /** Whether a call by this name would find a tool; ASCII-case-insensitive. */
  has(name: string): boolean;
  /**
   * Calls a tool by name. `null` or absent arguments are `{}`. Throws `unknown_tool`, `invalid_arguments`, `closed` when the toolbox is or
   * the provider that had the tool, and the errors of the call; a tool's own failure is a value (`isError`). With `wait: "servers"` a tool
   * that is not there yet is waited for, within the time of the call.
   */
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolOutcome>;
  /** One agent's or conversation's way to look at the tools. Views share everything but their own choices; a view needs no closing. */
  view(options?: ViewOptions): ToolboxView;
  /** About how many tokens definitions cost a model: all, some tools, or a group. Within 15 % on real tools; see docs/discovery.md. */
  estimateTokens(scope?: TokenScope): number;
  /** What a developer wants to know of the current snapshot: shadowed names, odd texts. */
  diagnostics(): readonly Diagnostic[];
  /**
   * Starts all static tools, then all providers, and waits for none in between. What fails stops nobody: rejects after all are done,
   * with the failure if there is one, and with `refresh_failed` and every failure if there are several. Tools are there all the same.
   * Bounded by `timeoutMs`, 10,000 by default, but for what a provider is required to wait for.
   */
  init(options?: InitOptions): Promise<void>;
  /** Refreshes all providers. Strict: rejects after all are done, as {@linkcode Toolbox.init} does. */
  refresh(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** The tools that `admit`, or a provider's own, holds back, sorted by name. A call of theirs is refused with `tool_quarantined`. */
  quarantined(): readonly QuarantinedTool[];
  /**
   * Asks `admit` once more about every tool, without asking a server: one change, in one event. For a rule whose answer has changed. Throws
   * `closed`, and an `Error` when `admit` itself calls it.
   */
  readmit(): void;
  /** Fires after the tools of a provider changed in a way that shows here. */
  readonly onToolsChanged: Event<ToolsChange>;
  /**
   * Stops listening to the providers and refuses further calls, also those that wait for a tool or are with an interceptor; what is with its
   * tool may finish. `reason` is in the errors. The providers stay open: who made them closes them. Idempotent.
   */
  close(reason?: string): void;
}

const optionFields: Fields<ToolboxOptions> = {
  tools: true,
  providers: true,
  precedence: true,
  interceptors: true,
  admit: true,
  helperNames: true,
  embeddingRanker: true,
  estimateTokens: true,
  onDiagnostic: true,
  clock: true,
};

/**
 * Merges static tools and providers into one set of tools with one way to call them. Nothing starts.
 *
 * Throws `TypeError` for an unknown option, and when two static tools or two providers have the same name, or a name is not legal or
 * a helper's, or a static tool has an `effect` or a `requiresConfirmation` that is none.
 */
export function createToolbox(options: ToolboxOptions = {}): Toolbox {
  assertKnownOptions("createToolbox()", options, optionFields);
  const {
    tools = [],
    precedence = "static",
    interceptors = [],
    clock = systemClock,
    onDiagnostic = () => {},
    embeddingRanker,
  } = options;
  const helperNames = resolveHelperNames(options.helperNames);
  const reserved = new Set(Object.values(helperNames).map(foldCase));
  assertStaticTools(tools, reserved);
  if (!Array.isArray(interceptors) || interceptors.some((interceptor) => typeof interceptor !== "function")) {
    throw new TypeError("interceptors must be an array of functions");
  }
  const providers = inNameOrder(options.providers ?? []);
  if (options.admit !== undefined && typeof options.admit !== "function")
    throw new TypeError("admit must be a function");
  const admission = createToolAdmission(options.admit);
  const inspector = createInspector();
  const live = followSources({ tools, providers, precedence, reserved, inspector, admission });
  const search = createCatalogSearch();
  const tokens = createTokenCounter(options.estimateTokens ?? estimateTokens);
  const calls = createToolboxCalls({ live, inspector, providers, interceptors, clock, onDiagnostic });

  return {
    get revision() {
      return live.revision;
    },
    definitions(names) {
      const { definitions, tools: byName } = live.read();
      if (names === undefined) return definitions;
      return names.flatMap((name) => byName.get(foldCase(name))?.definition ?? []);
    },
    groups: () => live.read().groups,
    has: (name) => live.read().tools.has(foldCase(name)),
    call: (name, args, callOptions = {}) => calls.call(name, { args, options: callOptions }),
    view: (viewOptions = {}) =>
      createView(
        {
          catalog: () => live.read(),
          calls,
          whyGone: live.whyGone,
          search,
          tokens,
          helperNames,
          clock,
          onDiagnostic,
          embeddingRanker,
        },
        viewOptions,
      ),
    estimateTokens: (scope = {}) => tokens.count(live.read(), scope),
    diagnostics: () => live.read().diagnostics,
    async init(initOptions = {}) {
      const started = tools.map((tool) => startStaticTool(tool, { ...initOptions, clock }));
      try {
        await settleAll([...started, ...providers.map(async (provider) => provider.init(initOptions))]);
      } finally {
        // What was there once can be told from what never was.
        live.read();
      }
    },
    async refresh(refreshOptions = {}) {
      await settleAll(providers.map(async (provider) => provider.refresh(refreshOptions)));
    },
    quarantined: () =>
      Array.from(live.read().quarantined.values()).sort((a, b) => compareText(a.definition.name, b.definition.name)),
    readmit() {
      calls.assertOpen();
      live.readmit();
    },
    onToolsChanged: live.onChange,
    close(reason) {
      if (reason !== undefined && typeof reason !== "string") throw new TypeError("the reason must be a text");
      calls.close(reason);
      live.close();
    },
  };
}

/**
 * The names that a toolbox of these options keeps for itself: its static tools and its helpers. Hand them to `createProvider({
 * reservedNames })`, and a server's tool that would collide with one of them gets another name instead of being left out.
 */
export function reservedNames({
  tools = [],
  helperNames,
}: Pick<ToolboxOptions, "tools" | "helperNames">): readonly string[] {
  return [...tools.map(({ definition }) => definition.name), ...Object.values(resolveHelperNames(helperNames))];
}

function assertStaticTools(tools: readonly StaticTool[], reserved: ReadonlySet<string>): void {
  const names = new Set<string>();
  for (const { definition } of tools) {
    assertToolName(definition.name);
    assertPolicyWords(definition);
    const key = foldCase(definition.name);
    if (reserved.has(key)) throw new TypeError(`tool name "${definition.name}" is the name of a discovery helper`);
    if (names.has(key)) throw new TypeError(`static tool "${definition.name}" is given twice`);
    names.add(key);
  }
}

function inNameOrder(providers: readonly ToolProvider[]): readonly ToolProvider[] {
  const byName = new Map<string, ToolProvider>();
  for (const provider of providers) {
    const key = foldCase(provider.name);
    if (byName.has(key)) throw new TypeError(`tool provider "${provider.name}" is given twice`);
    byName.set(key, provider);
  }
  return Array.from(byName)
    .sort(([a], [b]) => compareText(a, b))
    .map(([, provider]) => provider);
}
