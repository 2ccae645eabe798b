import type { OAuth, OAuthOptions } from "@toolport/auth";
import type { CredentialStore } from "@toolport/auth";
import type { LoadConfigOptions } from "@toolport/config/node";
import type { Clock, Connector, Diagnostic, JsonObject, ServerSpec, Store } from "@toolport/core";
import type { StaticTool, ToolboxOptions } from "@toolport/discovery";
import type { Policy, PolicyOptions } from "@toolport/policy";
import type { ProviderOptions } from "@toolport/provider";
import type { ResourcesOptions, ResourceToolsOptions } from "@toolport/resources";
import type { Results, ResultsOptions } from "@toolport/results";
import type { ConnectorOptions } from "@toolport/transports";

/** Configurations as a toolport uses them. */
export interface ConfigOptions extends Omit<LoadConfigOptions, "signal" | "check"> {
  /** Whether edits of the files are taken over. Default `true`. */
  readonly watch?: boolean | undefined;
  /** Which of the servers are used; the others are as if nobody had configured them. Default: all. */
  readonly only?: ((serverId: string) => boolean) | undefined;
}

/** What is kept for longer than the process, and where. */
export interface ToolportState {
  /** Approvals, pins, decisions about trust, and names that were given. */
  readonly store: Store;
  /** Tokens. */
  readonly credentials: CredentialStore;
}

/** What a toolport is made from. Everything has a default; what is handed in ready-made is used as it is, and stays open when the toolport closes. */
export interface ToolportOptions {
  /** `"auto"`: the configurations that the user has (`findConfigFiles`). Else one file, several, or all options. Default: no file is read. */
  readonly config?: "auto" | string | readonly string[] | ConfigOptions | undefined;
  /** Servers beside those of `config`, which they win over: specs, or entries by their names as in the `mcpServers` of a file. */
  readonly servers?: readonly ServerSpec[] | Readonly<Record<string, JsonObject>> | undefined;
  /**
   * Where sign-ins, trust, approvals and names are kept. `"user"`: in the user's own folder, shared with the command line; nothing is written there before there is
   * something to keep. `"memory"`: until the process ends. Default: `"user"` with `config: "auto"`, else `"memory"`.
   */
  readonly state?: "user" | "memory" | ToolportState | undefined;
  /** The product's own tools. Default none. */
  readonly tools?: readonly StaticTool[] | undefined;
  readonly connector?: Connector | Omit<ConnectorOptions, "authProvider"> | undefined;
  readonly provider?: Omit<ProviderOptions, "connector" | "servers" | "admit" | "onElicit" | "clock"> | undefined;
  readonly toolbox?: Omit<ToolboxOptions, "tools" | "providers" | "admit" | "clock" | "onDiagnostic"> | undefined;
  readonly policy?: Policy | PolicyOptions | undefined;
  /** How servers are signed in to. A function or object of yours is asked first. `false`: not at all. */
  readonly auth?: OAuth | OAuthOptions | NonNullable<ConnectorOptions["authProvider"]> | false | undefined;
  /** What a model reads of results, and where the rest is kept. Default: 64 MiB in memory. */
  readonly results?: Results | Partial<ResultsOptions> | undefined;
  /** Resources and prompts of the servers. `tools: false`: a model gets no tools for them. */
  readonly resources?: (ResourcesOptions & { readonly tools?: ResourceToolsOptions | false | undefined }) | undefined;
  /** Answers questions that servers ask a human. Default none: elicitation is not offered to servers. */
  readonly onElicit?: ProviderOptions["onElicit"];
  /** Hears of what a developer wants to know and what stops nobody. Must not throw. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
  /** How long `createToolport()` waits for servers, in milliseconds; who is late comes later. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Ends `createToolport()`, and everything that it has begun. */
  readonly signal?: AbortSignal | undefined;
  /** Default the real time. */
  readonly clock?: Clock | undefined;
}
