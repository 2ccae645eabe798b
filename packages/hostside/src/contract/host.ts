/// <reference lib="esnext.disposable" preserve="true" />
import type { OAuth } from "@hostside/auth";
import type { ConfigReport, LoadedConfig } from "@hostside/config/node";
import type {
  CallContext,
  CallOptions,
  Diagnostic,
  Event,
  FrameworkApproval,
  ServerLog,
  ServerNotification,
  ToolDefinition,
  ToolOutcome,
  ToolsChange,
} from "@hostside/core";
import type { Toolbox, ToolboxView, ViewOptions } from "@hostside/discovery";
import type { Policy } from "@hostside/policy";
import type { SharedProviders } from "@hostside/cluster";
import type { EndOptions, ServerStatus, UserOperationOptions } from "@hostside/provider";
import type { HostServerEntry } from "./server-entries.ts";
import type { Resources } from "@hostside/provider/resources";
import type { ResultPresenter, Results } from "@hostside/results";
import type { PendingSignIn } from "../sign-ins/pending-sign-ins.ts";

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

/**
 * Administers the servers of a host while it runs. Servers of files and shared servers are changed
 * where they are written: an edit of one source never changes the servers of another.
 */
export interface HostServers {
  /**
   * Adds a server, connects to it and lists its tools. If that fails, nothing of the server is
   * left. A server that conversations do not share (`pool`) connects when a conversation needs it.
   * Edits of files keep what was added.
   *
   * Rejects with `duplicate_server` if the name is in use, `invalid_spec` or
   * `unsupported_transport` for a wrong entry, `aborted`, `closed`, and with the error of the
   * connection.
   *
   * @example
   * await host.servers.add("files", { command: "npx", args: ["-y", "some-server"] });
   */
  add(name: string, entry: HostServerEntry, options?: UserOperationOptions): Promise<void>;
  /**
   * Gives a server of `servers` or of {@linkcode add} another entry. Only what changed is done
   * again. Calls under way have 5 seconds to finish. The new entry stays if the connection fails.
   *
   * Rejects with `unknown_server` if another source has the server, and else as {@linkcode add}
   * does.
   */
  update(name: string, entry: HostServerEntry, options?: UserOperationOptions): Promise<void>;
  /**
   * Removes a server of `servers` or of {@linkcode add}. Resolves with `true` when nothing of it is
   * left, or `false` if there is no server of this name. Rejects with `unknown_server` if another
   * source has it.
   */
  remove(name: string, options?: EndOptions): Promise<boolean>;
  /**
   * Ends all connections to a server and connects again, whatever source it is from. Calls under
   * way are ended with `server_removed`. Connections that conversations do not share are made again
   * by the next call.
   *
   * Rejects with `unknown_server`, `server_disabled`, `aborted`, `closed`, and with the error of
   * the connection.
   */
  restart(name: string, options?: UserOperationOptions): Promise<void>;
  /** Fires for each line that a server logs. Untrusted. */
  readonly onLog: Event<ServerLog & { readonly serverId: string }>;
  /** Fires for each notification that no request waits for; of a flood only some. Untrusted. */
  readonly onNotification: Event<ServerNotification & { readonly serverId: string }>;
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
