import type { AdmissionServer, QuarantinedTool } from "./admission.ts";
import type { CallOptions } from "./connection.ts";
import type { ToolDefinition, ToolGroup, ToolOutcome } from "./tool.ts";
import type { Event } from "./event.ts";
import type { HostsideErrorCode } from "./hostside-error.ts";

/**
 * Which local names changed between two snapshots, each list sorted. All are empty when only groups
 * changed.
 */
export interface ToolsChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Still there under the same name, with another definition. */
  readonly changed: readonly string[];
}

/** Options of `init()`. */
export interface InitOptions {
  /** Ends the wait, with `aborted`; what was started goes on. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long to wait for what is not required, in milliseconds. Default 10,000: longer than a
   * server needs that is there, and about as long as a person waits. Late servers arrive by event.
   */
  readonly timeoutMs?: number | undefined;
  /**
   * Whether what failed before is tried again now, whatever its back-off says. Default `true`.
   * `false` is for who needs a tool that is not there: it starts what was not started, also what is
   * otherwise started by a call alone, and waits for that and for what is on its way.
   */
  readonly retryFailed?: boolean | undefined;
  /**
   * The local name of the tool that is missing: where nothing that is still to come can have a tool
   * by this name, nothing is started or waited for. A provider that cannot tell ignores it.
   * Default: all is.
   */
  readonly toolName?: string | undefined;
}

/** Options of `refresh()`. */
export interface RefreshOptions {
  /** Ends the wait, with `aborted`; what was started goes on. */
  readonly signal?: AbortSignal | undefined;
  /** How long to wait, in milliseconds. Default: as long as the sources' own timeouts allow. */
  readonly timeoutMs?: number | undefined;
}

/**
 * A group whose server is not ready: its tools are not known yet, or calling them may take longer
 * or fail.
 */
export interface UnreadyGroup {
  /** Id of the group, whether `groups()` has it or not. */
  readonly id: string;
  readonly title: string;
  readonly serverId: string;
  /**
   * As the server's status says: `connecting`, `down`, `failed`, `needs-auth`; `idle` when nothing
   * was asked of it so far.
   */
  readonly state: string;
  /** Code of what it failed with. */
  readonly code?: HostsideErrorCode | undefined;
}

/**
 * A source of tools. Knows nothing of MCP: a product can write its own. Reads are synchronous and
 * see one immutable snapshot; everything that may wait is asynchronous.
 */
export interface ToolProvider {
  /** Identifies the provider among others; compared ASCII-case-insensitively. */
  readonly name: string;
  /**
   * The principal of calls whose context names none: a toolbox says so to its interceptors, too.
   * Default: nobody's.
   */
  readonly principal?: string | undefined;
  /**
   * Grows by at least one whenever `tools()`, `groups()` or `quarantined()` would answer
   * differently.
   */
  readonly revision: number;
  /**
   * Without `names`: all, sorted by local name. With `names`: those, in that order, each looked up
   * ASCII-case-insensitively; unknown names are left out.
   */
  tools(names?: readonly string[]): readonly ToolDefinition[];
  groups(): readonly ToolGroup[];
  /**
   * Groups whose servers are not ready now, sorted by id. Default: none; for a source that is
   * always there.
   */
  unreadyGroups?(): readonly UnreadyGroup[];
  /**
   * Tools that it holds back: a call of theirs is refused with `tool_quarantined`. Default none.
   */
  quarantined?(): readonly QuarantinedTool[];
  /** Whether a call by this name would find a tool; ASCII-case-insensitive. */
  has(name: string): boolean;
  /**
   * Gets ready. Tolerant: a part that fails is reported by status, not thrown, unless it is
   * required: then throws `refresh_failed`. Bounded: resolves after `timeoutMs` with what is there;
   * only what is required is waited for longer, as long as its own timeouts allow.
   */
  init(options?: InitOptions): Promise<void>;
  /**
   * Brings the snapshot up to date. Strict: throws `refresh_failed` with every failure, after
   * publishing what succeeded; what is not there after `timeoutMs` is one of them.
   */
  refresh(options?: RefreshOptions): Promise<void>;
  /**
   * Calls a tool by its local name. `args` is what a model API or framework handed over: any object
   * is taken as JSON, `null` or absent is `{}`. Throws `TypeError` for options that are unknown or
   * of a wrong type, `closed` after {@linkcode close}, `unknown_tool`, `invalid_arguments` and the
   * errors of the call; a tool's own failure is a value (`isError`).
   */
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolOutcome>;
  /**
   * How long a call of this tool may take when its options do not say, in milliseconds; `undefined`
   * for a name that no tool has. A provider that has this method keeps the time of its calls
   * itself: each settles by its `timeoutMs`, `deadline` and `signal`, whatever its tools do.
   * Without it, whoever merges providers bounds each call, by 10 minutes where its options do not
   * say.
   */
  callTimeoutMs?(name: string): number | undefined;
  /**
   * The server of this id in the host's own words, for whoever decides about its tools. Default:
   * its id is all that is known.
   */
  describeServer?(serverId: string): AdmissionServer | undefined;
  /** Fires after a new snapshot is in place. */
  readonly onToolsChanged: Event<ToolsChange>;
  /** Whether {@linkcode close} was called. A closed provider shows nothing. */
  readonly closed: boolean;
  /**
   * Releases everything; idempotent. `reason` is for the errors of what is still under way, and may
   * be sent to those it is under way with.
   */
  close(reason?: string): Promise<void>;
}
