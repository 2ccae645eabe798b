import type { CredentialStore, OAuth, OAuthOptions, SealingKey } from "@hostside/auth";
import type { LoadConfigOptions, LoadedConfig } from "@hostside/config/node";
import type {
  Admit,
  Connector,
  Diagnostic,
  Event,
  Interceptor,
  Lock,
  Notices,
  RequestInterceptor,
  ServerSpec,
  Store,
  Subscription,
  ToolProvider,
} from "@hostside/core";
import type { ResourceToolsOptions, StaticTool, ToolboxOptions } from "@hostside/discovery";
import type { Policy, PolicyOptions } from "@hostside/policy";
import type { SharedProvidersOptions } from "@hostside/cluster";
import type { McpProvider, ProviderOptions } from "@hostside/provider";
import type { Resources, ResourcesOptions } from "@hostside/provider/resources";
import type { Results, ResultsOptions } from "@hostside/results";
import type { ConnectorOptions } from "@hostside/transports";
import type { HostServerEntry } from "./server-entries.ts";
import type { SharedServers } from "./shared-servers.ts";

/** Observes a host; `createTelemetry()` of `@hostside/otel` makes one. */
export interface HostTelemetry {
  /** Stands around the toolbox, before everything else. */
  readonly interceptor: Interceptor;
  /** Stands around each request of a provider that is no call, before everything else. */
  readonly requestInterceptor: RequestInterceptor;
  /**
   * Is handed each part when it is made. The returned function is called when that part has ended.
   */
  watch(parts: {
    readonly provider?: McpProvider | undefined;
    readonly policy?: Policy | undefined;
    readonly resources?: Resources | undefined;
  }): Subscription;
}

/** Configurations as a host uses them. */
export interface ConfigOptions extends Omit<LoadConfigOptions, "signal" | "check"> {
  /** `true`: edits of the files are taken over. Default `true`. */
  readonly watch?: boolean | undefined;
  /**
   * Selects the servers that are used; the others are as if they were not configured. Default: all.
   */
  readonly allow?: ((serverId: string) => boolean) | undefined;
  /**
   * Changes each server of the configuration, as it would start: it, another one of the same id, or
   * `undefined`: it is as if nobody had configured it. Asked anew for each edit, of settings alone,
   * too; `config` is what the files say now. Must not throw. Default: each as it is.
   */
  readonly revise?: ((server: ServerSpec, config: LoadedConfig) => ServerSpec | undefined) | undefined;
}

/**
 * A place for everything that outlives the process. `createRedisState(client)` and
 * `createPostgresState(pool)` of `@hostside/cluster` make such a state: all replicas that have it
 * are one product.
 */
export interface HostState {
  /**
   * Approvals, pins, decisions about trust (unless `config` has a `trust` of its own), names that
   * were given, catalogues, and handles of results.
   */
  readonly store: Store;
  /** Makes a change exclusive among all that share `store`. Default: in this process. */
  readonly lock?: Lock | undefined;
  /** Tells the others of a change at once. Default: they see it when they look next. */
  readonly notices?: Notices | undefined;
  /**
   * Sign-ins. Default: in `store`, sealed with `keys`; without keys, in the memory of this process,
   * which a diagnostic says.
   */
  readonly credentials?: CredentialStore | undefined;
  /**
   * Seal sign-ins before they are written to `store`; the first seals, all open. They need a
   * `lock`, and go with no `credentials`.
   */
  readonly keys?: readonly SealingKey[] | undefined;
  /**
   * Counts what limits of the policy are used up, for all replicas. Default: each counts for
   * itself.
   */
  readonly limitStore?: NonNullable<PolicyOptions["state"]>["limitStore"];
  /** Events of the engine, which `onDiagnostic` of `createHost()` gets. */
  readonly onDiagnostic?: Event<{ readonly kind: "engine-down" | "engine-back"; readonly message: string }> | undefined;
  /** Is there where a state has an end, and never called: whoever made it closes it. */
  readonly close?: (() => unknown) | undefined;
}

/**
 * How many connections there may be that not all conversations share, and how long they stay
 * unused: as `createSharedProviders()` has it.
 */
export type PoolOptions = Omit<SharedProvidersOptions, "make" | "servers">;

/**
 * Options of {@linkcode createHost}. Everything has a default; what is handed in ready-made is used
 * as it is, and stays open when the host closes.
 */
export interface HostOptions {
  /**
   * `"auto"`: the configurations that the user has (`findConfigFiles`). Else one file, several, or
   * all options. Default: no file is read.
   */
  readonly config?: string | readonly string[] | ConfigOptions | undefined;
  /**
   * Servers by their names: entries as in `mcpServers` files, with the further members of
   * `hostside.json`. They win over servers of `config` and `sharedServers` with the same name.
   * Values are used as they are; `${NAME}` is expanded in files alone.
   *
   * @example
   * { files: { command: "npx", args: ["-y", "some-server"], required: true } }
   */
  readonly servers?: Readonly<Record<string, HostServerEntry>> | undefined;
  /**
   * Servers of all replicas, which `createSharedServers()` keeps in their store; one that is
   * changed there is changed here. Default: none.
   */
  readonly sharedServers?: SharedServers | undefined;
  /**
   * The place of sign-ins, trust, approvals and names. `"user"`: in the user's own folder, shared
   * with the command line; nothing is written there before there is something to keep. `"memory"`:
   * until the process ends. Default: `"user"` with `config: "auto"`, else `"memory"`.
   */
  readonly state?: "user" | "memory" | HostState | undefined;
  /**
   * `true`: listings of servers are kept in the store of `state`: at the next start, and when a
   * connection of `pool` is made again, their tools are on offer at once, and the first call
   * connects. A server that is `required`, or has `startup: "background"`, connects at once all the
   * same. With `provider.savedCatalog`, none are kept here. Default: `true` with a state that was
   * handed in, and with `pool`; else `false`.
   */
  readonly savedCatalogs?: boolean | undefined;
  /**
   * Keeps conversations and users apart: a server whose `sharing` is `"principal"`, as by default
   * that of one with credentials or with a sign-in, or `"conversation"` has a connection for each
   * of these, which `conversation()` uses. `{}` has the bounds that `createSharedProviders()` has.
   * Default: all conversations share all connections.
   */
  readonly pool?: PoolOptions | undefined;
  /**
   * The product's own tools. `createHost()` calls their `init()`; a failure is a diagnostic.
   * Default none.
   */
  readonly tools?: readonly StaticTool[] | undefined;
  /**
   * Further sources of tools. `createHost()` initialises them within `timeoutMs`, and rejects where
   * one of them requires a server that failed or is late. They stay open when the host closes.
   * Default none.
   */
  readonly providers?: readonly ToolProvider[] | undefined;
  /**
   * Opens connections. A connector that is made here waits for tasks of servers (`tasks: true`).
   * `auth` is not used with one that is handed in.
   */
  readonly connector?: Connector | Omit<ConnectorOptions, "authProvider"> | undefined;
  /** With `savedNames`, no names are kept here. */
  readonly provider?: Omit<ProviderOptions, "connector" | "servers" | "admit" | "requestSeam" | "onElicit"> | undefined;
  /** `interceptors` stand before the policy, around all that it decides. */
  readonly toolbox?: Omit<ToolboxOptions, "tools" | "providers" | "admit" | "onDiagnostic"> | undefined;
  /**
   * A policy, or options for one: what may run, and who is asked. With options, the tools of
   * servers whose entry says `approval: "always"` are asked about. Default: `{}`.
   */
  // Both have an `onEvent`, and a callback whose type may be either has a parameter of no type.
  readonly policy?: Omit<Policy, "onEvent"> | PolicyOptions | undefined;
  /**
   * Decides beside `policy`, by which each tool of `toolbox` has to be on offer, too. Is asked
   * again by `recheckTools()`. Default: every tool is.
   */
  readonly allowTool?: Admit | undefined;
  /**
   * How servers are signed in to: options beside the defaults, an `OAuth` or a function of your
   * own, or `false`: not at all.
   */
  readonly auth?: OAuth | OAuthOptions | NonNullable<ConnectorOptions["authProvider"]> | false | undefined;
  /**
   * `true`: a model gets a tool for each server that its user has to sign in to. Default `false`.
   */
  readonly authenticateTools?: boolean | undefined;
  /**
   * Options for what a model reads of results, and a place for the rest. Default: 64 MiB in memory.
   */
  readonly results?: Results | Partial<ResultsOptions> | undefined;
  /** Resources and prompts of the servers. `tools: false`: a model gets no tools for them. */
  readonly resources?: (ResourcesOptions & { readonly tools?: ResourceToolsOptions | false | undefined }) | undefined;
  /**
   * Answers questions that servers ask a human. Default none: elicitation is not offered to
   * servers.
   */
  readonly onElicit?: ProviderOptions["onElicit"];
  /**
   * Traces and metrics of all that is done with servers. `true`: what `createTelemetry()` of
   * `@hostside/otel` makes without options, which writes to the SDK of OpenTelemetry that the
   * application registers; else one that was made with options.
   * Default: none, and nothing of it is loaded.
   */
  readonly telemetry?: true | HostTelemetry | undefined;
  /** Hears of what a developer wants to know and what stops nobody. Must not throw. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /**
   * How long `createHost()` waits for servers, in milliseconds; who is late comes later, but for
   * those that are `required`: without them it rejects. 0 waits for nobody, and requires nobody.
   * Configurations are read for so long, or 10,000 if that is more. Default 10,000.
   */
  readonly timeoutMs?: number | undefined;
  /** Ends `createHost()` with `aborted`. A later abort closes the host, as `close()` does. */
  readonly signal?: AbortSignal | undefined;
}
