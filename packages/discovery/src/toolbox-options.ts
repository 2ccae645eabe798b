import type { Admit, Diagnostic, Interceptor, ToolProvider, UnreadyGroup } from "@hostside/core";
import { type Fields, assertKnownOptions, compareText, foldCase, isJsonObject, kindOf } from "@hostside/core/implement";
import { assertMembers, isFunction, isListOf, type Check } from "./catalog/checks.ts";
import { type Precedence, assertPrecedence } from "./catalog/settle-name-clash.ts";
import { type StaticTool, assertStaticTool } from "./catalog/static-tool.ts";
import type { EmbeddingRanker } from "./ranking/rank-tools.ts";

/** The options of a toolbox. */
export interface ToolboxOptions {
  /** The product's own tools, in the order in which they are listed. Default none. */
  readonly tools?: readonly StaticTool[];
  /**
   * Sources of further tools. Their order here does not matter: they are used in the order of their
   * names. Default none.
   */
  readonly providers?: readonly ToolProvider[];
  /** The owner of a name that a static tool and a provider both have. Default `"static"`. */
  readonly precedence?: Precedence;
  /**
   * Layers around every call of a tool, the product's own and any provider's alike; the first is
   * the outermost. They stand around those that a provider has itself, and each runs once, within
   * the time of the call; a fallback is a call of its own. The discovery helpers call no tool, and
   * pass none of them. Default none.
   */
  readonly interceptors?: readonly Interceptor[];
  /**
   * Decides which tools are on offer, the product's own and any provider's: `"offer"`, `"hide"` or
   * `"quarantine"`. Asked once about each definition, when a snapshot is made, and again by
   * `readmit()` of the toolbox; listing, search, views and calls obey the answer. A name whose tool
   * is not on offer is nobody's: no other source's tool answers to it. Other labels of a server are
   * no news here. Providers may have one themselves, and what they hide is not asked about here.
   * Default: every tool is on offer.
   */
  readonly admit?: Admit;
  /**
   * Returns what a model is to read of a group whose server is not ready, beside what its state
   * means: how to mend that, in the host's words. Must not throw. Default: nothing more.
   */
  readonly noteUnready?: (group: UnreadyGroup) => string | undefined;
  /** A second opinion on searches, by meaning; fused by score with the index. Default none. */
  readonly embeddingRanker?: EmbeddingRanker;
  /**
   * Told what is odd and stops nobody: a ranker that failed, a fallback that was taken, an `admit`
   * that failed. Must not throw.
   */
  readonly onDiagnostic?: (diagnostic: Diagnostic) => void;
}

const optionFields: Fields<ToolboxOptions> = {
  tools: true,
  providers: true,
  precedence: true,
  interceptors: true,
  admit: true,
  noteUnready: true,
  embeddingRanker: true,
  onDiagnostic: true,
};

/**
 * Throws a `TypeError` that names the option that is unknown or of a wrong type. The tools and
 * providers themselves are not checked.
 */
export function assertToolboxOptions(caller: string, options: ToolboxOptions): void {
  assertKnownOptions(caller, options, optionFields);
  const { precedence } = options;
  if (precedence !== undefined) assertPrecedence(precedence);
  assertMembers(options, optionChecks);
}

const optionChecks: readonly Check[] = [
  ["tools", Array.isArray, "an array"],
  ["providers", Array.isArray, "an array"],
  ["interceptors", isListOf(isFunction), "an array of functions"],
  ["admit", isFunction, "a function"],
  ["noteUnready", isFunction, "a function"],
  ["embeddingRanker", isFunction, "a function"],
  ["onDiagnostic", isFunction, "a function"],
];

/** Throws a `TypeError` for a static tool that could not be used, and for two of one name. */
export function assertStaticTools(tools: readonly StaticTool[], reserved: ReadonlySet<string>): void {
  const names = new Set<string>();
  for (const [index, tool] of Array.from(tools).entries()) {
    assertStaticTool(tool, index);
    const { name } = tool.definition;
    const key = foldCase(name);
    if (reserved.has(key)) throw new TypeError(`tool name "${name}" is the name of a discovery helper`);
    if (names.has(key)) throw new TypeError(`static tool "${name}" is given twice`);
    names.add(key);
  }
}

const isName = (value: unknown): boolean => typeof value === "string" && value !== "";
const providerMethods = ["tools", "groups", "has", "init", "refresh", "call", "onToolsChanged"] as const;
const providerChecks: readonly Check[] = [
  ["name", isName, "a text that is not empty", "needed"],
  ...providerMethods.map((method): Check => [method, isFunction, "a function", "needed"]),
];

/**
 * The providers in the order of their names. Throws a `TypeError` for what is no provider, and for
 * two of one name.
 */
export function inNameOrder(providers: readonly ToolProvider[]): readonly ToolProvider[] {
  const byName = new Map<string, ToolProvider>();
  for (const [index, provider] of Array.from(providers).entries()) {
    const place = `providers[${index}]`;
    if (!isJsonObject(provider)) throw new TypeError(`${place} must be a tool provider, not ${kindOf(provider)}`);
    assertMembers(provider, providerChecks, ` of ${place}`);
    const key = foldCase(provider.name);
    if (byName.has(key)) throw new TypeError(`tool provider "${provider.name}" is given twice`);
    byName.set(key, provider);
  }
  return Array.from(byName)
    .sort(([a], [b]) => compareText(a, b))
    .map(([, provider]) => provider);
}
