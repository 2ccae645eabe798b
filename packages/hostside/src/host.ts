/// <reference lib="esnext.disposable" preserve="true" />
import type { OAuth } from "@hostside/auth";
import type { ConfigReport, LoadedConfig } from "@hostside/config/node";
import type {
  CallContext,
  CallOptions,
  Diagnostic,
  Event,
  FrameworkApproval,
  ToolDefinition,
  ToolOutcome,
  ToolsChange,
} from "@hostside/core";
import type { Toolbox, ToolboxView, ViewOptions } from "@hostside/discovery";
import type { Policy } from "@hostside/policy";
import type { SharedProviders } from "@hostside/cluster";
import type { ServerStatus } from "@hostside/provider";
import type { Resources } from "@hostside/provider/resources";
import type { ResultPresenter, Results } from "@hostside/results";
import type { PendingSignIn } from "./sign-ins/pending-sign-ins.ts";
import type { HostServers } from "./servers/host-servers.ts";

/** Options of one conversation. */
export interface ConversationOptions extends ViewOptions {
  /**
   * Names the conversation in approvals, limits and kept results; a name that is given again goes
   * on where that one was. Default: a random one.
   */
  readonly id?: string | undefined;
  /**
   * On whose behalf: whose sign-ins, limits and connections are used. The same as
   * `context.principal`. Default: the principal of the provider, else nobody in particular.
   */
  readonly principal?: string | undefined;
}

/**
 * One conversation of a model with all tools. Any adapter takes it as it is:
 * `createAiSdkTools(conversation)`. Its calls wait for a server that is still on its way.
 */
export interface Conversation extends ToolboxView, AsyncDisposable {
  readonly id: string;
  readonly context: Omit<CallContext, "approval">;
  /** Lets frameworks ask before calls, where the policy has no handler; adapters use it. */
  readonly approval: FrameworkApproval;
  /** Makes of results what this conversation's model reads; adapters use it by themselves. */
  readonly presenter: ResultPresenter;
  /**
   * Lists the servers that its user has to sign in to. Makes connections that the pool ended.
   * Rejects with `closed`, and as {@linkcode Host.conversation} does.
   */
  signIns(): Promise<readonly PendingSignIn[]>;
  /**
   * Lists the servers that it may use, as its user's connections have them: `needs-auth` is a
   * server that this user has to sign in to. Makes connections that the pool ended. Rejects with
   * `closed`, and as {@linkcode Host.conversation} does.
   */
  statuses(): Promise<readonly ServerStatus[]>;
  /**
   * Forgets what was kept for it: results and approvals; and ends the connections that were its
   * own. Every member that reads or calls fails with `closed` from then on. Idempotent.
   */
  close(): Promise<void>;
}

/** All that a product needs of many servers, composed. */
export interface Host extends AsyncDisposable {
  /** Adds, updates, removes and restarts servers. */
  readonly servers: HostServers;
  readonly toolbox: Toolbox;
  readonly policy: Policy;
  readonly resources: Resources;
  readonly results: Results;
  /** Signs in and out; `undefined` where `auth` is not of this package's making. */
  readonly oauth: OAuth | undefined;
  /**
   * The configuration as the files say it now, with every problem and its place; `undefined`
   * without `config`.
   */
  readonly config: LoadedConfig | undefined;
  /**
   * Opens a conversation over all that it may use. Without `pool`, that is everything. With `pool`,
   * it is what all share, the connections of its principal, and its own. These connections are made
   * now, within `timeoutMs`, and end when they are unused for `ttlMs`. The next call makes them
   * again; meanwhile their tools stay on offer.
   *
   * Rejects with a `TypeError` for wrong options, `overloaded` when the pool is full,
   * `refresh_failed` when a `required` server of its own cannot be used, and `closed`.
   */
  conversation(options?: ConversationOptions): Promise<Conversation>;
  /** The connections that not all share; `undefined` without `pool`. */
  readonly pool: Pick<SharedProviders, "dispose" | "statuses" | "onEvent"> | undefined;
  /**
   * Asks `allowTool` and the policy about every tool anew, for when their answers may have changed.
   */
  recheckTools(): void;
  /** Every tool, whatever the conversation. */
  tools(names?: readonly string[]): readonly ToolDefinition[];
  call(name: string, args?: unknown, options?: CallOptions): Promise<ToolOutcome>;
  /** Lists the servers that all share; {@linkcode Conversation.statuses} has those of one user. */
  statuses(): readonly ServerStatus[];
  readonly onStatusChanged: Event<ServerStatus>;
  readonly onToolsChanged: Event<ToolsChange>;
  /**
   * Fires for each edit of the configuration that was taken over, or could not be. Never without
   * `config`.
   */
  readonly onConfigReport: Event<ConfigReport>;
  readonly onDiagnostic: Event<Diagnostic>;
  /** Ends all that was made here, at most once. Parts that were handed in stay open. */
  close(reason?: string): Promise<void>;
}
