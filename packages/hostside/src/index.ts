// For products: everything composed, in one call.
export { createHost } from "./create-host.ts";
export type { HostOptions, HostState, HostTelemetry } from "./contract/host-options.ts";
export type { PendingSignIn } from "./sign-ins/pending-sign-ins.ts";
export type { Conversation, ConversationOptions, Host } from "./contract/host.ts";
export type { HostServerEntry } from "./contract/server-entries.ts";
export { createSharedServers } from "./shared-servers/create-shared-servers.ts";
export type { SharedServers } from "./contract/shared-servers.ts";

// From the other packages: types, errors, policies, names.
export {
  HostsideError,
  applyInterceptors,
  cleanText,
  createMemoryLock,
  createMemoryStore,
  isHostsideError,
  type CallContext,
  type CallOptions,
  type Connector,
  type ContentBlock,
  type Diagnostic,
  type ElicitationRequest,
  type ElicitationResult,
  type HostsideErrorCode,
  type Interceptor,
  type JsonObject,
  type JsonValue,
  type Lock,
  type Notices,
  type RequestInterceptor,
  type ServerSpec,
  type Store,
  type SuspendedCall,
  type ToolDefinition,
  type ToolEffect,
  type ToolGroup,
  type ToolOutcome,
  type ToolProvider,
  type ToolsChange,
} from "@hostside/core";
export {
  createConnectionGuard,
  createPolicy,
  moderateLimits,
  newToolLimits,
  toConfirmationRequest,
  type ApprovalHandler,
  type ApprovalQuestion,
  type Policy,
  type PolicyEvent,
  type PolicyOptions,
  type StricterRules,
  type ToolRule,
} from "@hostside/policy";
export {
  evvaNaming,
  hostsideNaming,
  nexoNaming,
  qualifiedNaming,
  verbatimNaming,
  type NamingStrategy,
} from "@hostside/naming";
export type { StaticTool, Toolbox, ToolboxView } from "@hostside/discovery";
export type { ServerStatus } from "@hostside/provider";
export type { Prompt, Resources } from "@hostside/provider/resources";
export type { Resource, ServerCredentials } from "@hostside/core";
export type { Results } from "@hostside/results";
export type { CredentialStore, OAuth } from "@hostside/auth";
export type { ConfigReport, LoadedConfig } from "@hostside/config/node";
export type { SharedProviders } from "@hostside/cluster";
