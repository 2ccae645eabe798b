import type { CallContext, CallOptions, FrameworkApproval, ToolDefinition, ToolOutcome } from "@hostside/core";
import { assertCallContext, assertKnownOptions, type Fields } from "@hostside/core/implement";
import type { ResultPresenter } from "@hostside/results";

/**
 * The source of an adapter's tools: a view of a toolbox, which is what a conversation should have,
 * a toolbox, or a provider. The result of `tools()` is declared with the next request, in that
 * order.
 */
export interface ToolSource {
  tools(): readonly ToolDefinition[];
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolOutcome>;
  /** Waits for servers that are on their way, as a view does. */
  readonly whenListed?: (() => Promise<void>) | undefined;
  /** Has tools declared that are there, as a view does. */
  readonly selectTools?: ((input: { readonly tools: readonly string[] }) => Promise<unknown>) | undefined;
  /**
   * Makes of a result what the model gets. The `presenter` of an adapter's options goes before it.
   */
  readonly presenter?: ResultPresenter | undefined;
  /**
   * Lets the framework ask before calls: a conversation's, or `policy.frameworkApproval()`.
   * Default: it asks before calls of tools whose definition says `requireApproval`.
   */
  readonly approval?: FrameworkApproval | undefined;
}

/** Options of every adapter. */
export interface AdapterOptions {
  /**
   * Makes of a result what the model gets. Default: the presenter of the source, else one that cuts
   * what is too big and says so.
   */
  readonly presenter?: ResultPresenter | undefined;
  /**
   * On whose behalf the model calls, in every call of this adapter. A call's own context goes
   * first, member by member. Default: nobody's.
   */
  readonly context?: Omit<CallContext, "approval"> | undefined;
  /**
   * Most tools of one request, the product's own that the adapter knows of included; those behind
   * are left out. Default: what the API is known to take. `Infinity` sends them all.
   */
  readonly maxTools?: number | undefined;
}

/** The fields of {@linkcode AdapterOptions}, for adapters whose options have more. */
export const adapterFields: Fields<AdapterOptions> = {
  presenter: true,
  context: true,
  maxTools: true,
};

/**
 * Throws a `TypeError` that names the option that is unknown or of a wrong type. `fields` are the
 * known ones; `owner` is the function that takes them, such as `"createChatTools()"`.
 */
export function assertAdapterOptions(
  owner: string,
  options: AdapterOptions,
  fields: Readonly<Record<string, true>>,
): void {
  assertKnownOptions(owner, options, fields);
  const { presenter, context, maxTools } = options;
  if (presenter !== undefined) assertPresenter("presenter", presenter);
  if (context !== undefined) {
    assertCallContext(context);
    if (context.approval !== undefined) throw new TypeError("context.approval is for one call; give it with the call");
  }
  if (maxTools !== undefined && !(typeof maxTools === "number" && maxTools >= 1)) {
    throw new TypeError("maxTools must be a number of at least 1");
  }
}

/**
 * Throws a `TypeError` for what is no source, such as a promise of one, or one with a presenter
 * that is none.
 */
export function assertToolSource(source: ToolSource | null | undefined): void {
  if (typeof source?.tools !== "function" || typeof source.call !== "function") {
    throw new TypeError("source must be a view, a toolbox or a provider: it needs tools() and call()");
  }
  const { presenter, approval } = source;
  if (presenter !== undefined) assertPresenter("the presenter of source", presenter);
  if (approval === undefined) return;
  if ((["requires", "note", "answer"] as const).every((name) => typeof approval?.[name] === "function")) return;
  throw new TypeError("the approval of source must have requires(), note() and answer()");
}

function assertPresenter(owner: string, value: ResultPresenter | null): void {
  if (typeof value?.present === "function" && typeof value.presentError === "function") return;
  throw new TypeError(`${owner} must have present() and presentError()`);
}

/**
 * Throws a `TypeError` that says what to install when a framework is older than what an adapter is
 * written for. Any version may be installed beside the package, because npm would refuse to install
 * it otherwise; an older one would run tools and ask nobody, or show their results to nobody.
 * `peer` has the first version that the adapter was tried with, such as `ai@7`; `has` is an export
 * of it that an earlier generation does not have.
 */
export function assertPeer(where: string, peer: string, has: unknown): void {
  if (has !== undefined) return;
  throw new TypeError(`${where} is written for ${peer} and later, and what is installed is older: npm install ${peer}`);
}
