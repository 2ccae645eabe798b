import {
  type CallOptions,
  type Cancel,
  type Diagnostic,
  type Event,
  HostsideError,
  type InitOptions,
  type QuarantinedTool,
  type ToolDefinition,
  type ToolGroup,
  type ToolOutcome,
  type ToolsChange,
  isHostsideError,
} from "@hostside/core";
import {
  assertInitOptions,
  assertNames,
  assertRefreshOptions,
  assertToolName,
  compareText,
  foldCase,
} from "@hostside/core/implement";
import { createToolAdmission } from "./catalog/admit-tools.ts";
import { createCatalogSearch } from "./catalog/catalog-search.ts";
import { type FollowedSources, followSources } from "./catalog/follow-sources.ts";
import { startStaticTool } from "./catalog/static-tool.ts";
import { createToolboxCalls } from "./catalog/toolbox-calls.ts";
import { helperNames } from "./discovery-tools/helper-definitions.ts";
import type { EmbeddingRanker } from "./ranking/rank-tools.ts";
import { estimateDefinitionTokens } from "./tokens/token-counter.ts";
import { type ToolboxOptions, assertStaticTools, assertToolboxOptions, inNameOrder } from "./toolbox-options.ts";
import { type ToolboxView, type ViewOptions, createView } from "./view/view.ts";

/** Static tools and providers as one set. Reads are synchronous and see one immutable snapshot. */
export interface Toolbox {
  /** Grows whenever `tools()` or `groups()` answer differently. */
  readonly revision: number;
  /**
   * Without `names`: all, static tools first, in an order that only depends on the sources. With
   * `names`: those, in that order, each looked up ASCII-case-insensitively; unknown names are left
   * out.
   */
  tools(names?: readonly string[]): readonly ToolDefinition[];
  /**
   * The directory of groups, without stale or shadowed members. Group texts come from servers:
   * data, never instructions.
   */
  groups(): readonly ToolGroup[];
  /** Says whether a call by this name would find a tool; ASCII-case-insensitive. */
  has(name: string): boolean;
  /**
   * Calls a tool by name. `null` or absent arguments are `{}`. Throws `unknown_tool`,
   * `invalid_arguments`, `closed` when the toolbox is or the provider that had the tool, and the
   * errors of the call; a tool's own failure is a value (`isError`). With `wait: "servers"` a tool
   * that is not there yet is waited for, within the time of the call.
   */
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolOutcome>;
  /**
   * One agent's or conversation's way to look at the tools. Views share everything but their own
   * choices; a view needs no closing.
   */
  view(options?: ViewOptions): ToolboxView;
  /**
   * About how many tokens all definitions cost a model. Within 15 % on real tools; see
   * docs/reference/discovery.md.
   */
  estimateTokens(): number;
  /** Diagnostics of the current snapshot: shadowed names, odd texts. */
  diagnostics(): readonly Diagnostic[];
  /**
   * Starts all static tools, then all providers, and waits for none in between. A failure stops
   * nothing else: rejects after all are done, with the failure if there is one, and with
   * `refresh_failed` and every failure if there are several. Tools are there all the same. Bounded
   * by `timeoutMs`, 10,000 by default, but for what a provider is required to wait for.
   */
  init(options?: InitOptions): Promise<void>;
  /**
   * Refreshes all providers. Strict: rejects after all are done, as {@linkcode Toolbox.init} does.
   */
  refresh(options?: Pick<InitOptions, "signal" | "timeoutMs">): Promise<void>;
  /**
   * The tools that `admit`, or a provider's own, holds back, sorted by name. A call of theirs is
   * refused with `tool_quarantined`.
   */
  quarantined(): readonly QuarantinedTool[];
  /**
   * Asks `admit` once more about every tool, without asking a server: one change, in one event. For
   * a rule whose answer has changed. Throws `closed`, and an `Error` when `admit` itself calls it.
   */
  readmit(): void;
  /** Fires after the tools of a provider changed in a way that shows here. */
  readonly onToolsChanged: Event<ToolsChange>;
  /**
   * Stops listening to the providers and refuses further calls, also those that wait for a tool or
   * are with an interceptor; what is with its tool may finish. `reason` is in the errors. The
   * providers stay open: who made them closes them. Idempotent.
   */
  close(reason?: string): void;
}

/**
 * Merges static tools and providers into one set of tools with one way to call them. Nothing
 * starts.
 *
 * Throws `TypeError` for an option that is unknown or of a wrong type, for a static tool or a
 * provider that lacks a member or has one of a wrong type, and when two static tools or two
 * providers have the same name, or a name is not legal or a helper's.
 *
 * @example
 * const toolbox = createToolbox({ providers: [provider] });
 * const view = toolbox.view({ maxToolTokens: 8000 });
 * const outcome = await view.call("tools_search", { query: "create issue" });
 */
export function createToolbox(options: ToolboxOptions = {}): Toolbox {
  assertToolboxOptions("createToolbox()", options);
  const { tools = [], precedence = "static", interceptors = [], onDiagnostic = () => {} } = options;
  const reserved = new Set(helperNames);
  assertStaticTools(tools, reserved);
  const providers = inNameOrder(options.providers ?? []);
  const admission = createToolAdmission(options.admit, onDiagnostic);
  const live = followSources({ tools, providers, precedence, reserved, admission });
  const search = createCatalogSearch();
  const calls = createToolboxCalls({ live, providers, interceptors, onDiagnostic });

  const viewContext = {
    catalog: () => live.read(),
    onToolsChanged: live.onChange,
    calls,
    search,
    noteUnready: options.noteUnready,
    onDiagnostic,
    embeddingRanker: options.embeddingRanker,
  };
  const unfollow = followedBy(options.embeddingRanker, live, onDiagnostic);
  return {
    get revision() {
      return live.revision;
    },
    tools(names) {
      const { definitions, tools: byName } = live.read();
      if (names === undefined) return definitions;
      assertNames("tools(): names", names);
      return names.flatMap((name) => byName.get(foldCase(name))?.definition ?? []);
    },
    groups: () => live.read().groups,
    has(name) {
      assertToolName("has()", name);
      return live.read().tools.has(foldCase(name));
    },
    call: (name, args, callOptions = {}) => calls.call(name, { args, options: callOptions }),
    view: (viewOptions = {}) => createView(viewContext, viewOptions),
    estimateTokens: () =>
      live.read().definitions.reduce((sum, definition) => sum + estimateDefinitionTokens(definition), 0),
    diagnostics: () => live.read().diagnostics,
    async init(initOptions = {}) {
      assertInitOptions(initOptions);
      const started = tools.map((tool) => startStaticTool(tool, initOptions));
      try {
        await settleAll([...started, ...providers.map(async (provider) => provider.init(initOptions))]);
      } finally {
        // What was there once can be told from what never was.
        live.read();
      }
    },
    async refresh(refreshOptions = {}) {
      assertRefreshOptions(refreshOptions);
      await settleAll(providers.map(async (provider) => provider.refresh(refreshOptions)));
    },
    quarantined: () => inOrder(live.read().quarantined.values()),
    readmit() {
      calls.assertOpen();
      live.readmit();
    },
    onToolsChanged: live.onChange,
    close(reason) {
      if (reason !== undefined && typeof reason !== "string") throw new TypeError("the reason must be a text");
      calls.close(reason);
      unfollow();
      live.close();
    },
  };
}

function followedBy(
  ranker: EmbeddingRanker | undefined,
  live: FollowedSources,
  report: (diagnostic: Diagnostic) => void,
): Cancel {
  const source = { tools: () => live.read().definitions, onToolsChanged: live.onChange, report };
  return ranker?.follow?.(source) ?? (() => {});
}

function inOrder(held: Iterable<QuarantinedTool>): readonly QuarantinedTool[] {
  return Array.from(held).sort((a, b) => compareText(a.definition.name, b.definition.name));
}

/**
 * The names that a toolbox of these options keeps for itself: its static tools and its helpers.
 * Hand them to `createProvider({ reservedNames })`, and a server's tool that would collide with one
 * of them gets another name instead of being left out. Throws a `TypeError` as
 * {@linkcode createToolbox} does.
 *
 * @example
 * const provider = createProvider({ connector, reservedNames: reservedNames({ tools }) });
 */
export function reservedNames(options: Pick<ToolboxOptions, "tools">): readonly string[] {
  assertToolboxOptions("reservedNames()", options);
  const { tools = [] } = options;
  assertStaticTools(tools, new Set());
  return [...tools.map(({ definition }) => definition.name), ...helperNames];
}

/**
 * Waits for all work, whatever becomes of it. Rejects with the failure if there is one, and with
 * `refresh_failed` and every failure, in the order of the work, if there are several.
 */
async function settleAll(work: readonly Promise<void>[]): Promise<void> {
  const results = await Promise.allSettled(work);
  const reasons = results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  if (reasons.length === 0) return;
  if (reasons.length === 1) throw reasons[0];
  const failures = reasons.map(toFailure);
  throw new HostsideError(failures.map(({ rawMessage }) => rawMessage).join("; "), {
    code: "refresh_failed",
    retryable: failures.some(({ retryable }) => retryable),
    details: { failures: failures.flatMap((failure) => failure.details.failures ?? [failure]) },
  });
}

function toFailure(reason: unknown): HostsideError {
  if (isHostsideError(reason)) return reason;
  return new HostsideError("a source of tools failed in a way of its own", { code: "internal_error", cause: reason });
}
