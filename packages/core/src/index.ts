// For products: what you configure, get back, catch and put around calls. What it takes to
// implement a connector or a provider is in implement.ts.
export { errorCodes, type CallOutcome, type ErrorKind, type HostsideErrorCode } from "./hostside-error.ts";
export {
  isHostsideError,
  HostsideError,
  type ErrorDetails,
  type HostsideErrorInit,
  type Violation,
} from "./hostside-error.ts";
export type {
  HttpEntry,
  MemoryEntry,
  ServerEntry,
  EntrySettings,
  ServerSharing,
  ServerSpec,
  StdioEntry,
  ToolOverride,
} from "./server-spec.ts";
export { assertServerSpec, type ProtocolEra } from "./server-spec.ts";
export { defaultLimits, defaultTimeouts, longestTimeoutMs, type ServerLimits, type ServerTimeouts } from "./limits.ts";
export { type ContentBlock, type UnknownContentBlock, isKnownContent, readContent } from "./content-block.ts";
export type { CallOptions, Progress } from "./connection.ts";
export type {
  RemoteTool,
  ToolAnnotations,
  ToolDefinition,
  ToolEffect,
  ToolFlag,
  ToolGroup,
  ToolOrigin,
  ToolOutcome,
} from "./tool.ts";
export type { CallContext } from "./call-context.ts";
export type { CallDecision, CallObserver, CallAttempt, CallRecord, ServerPeer } from "./call-observer.ts";
export type { ServerOperation, ServerRecord } from "./call-observer.ts";
export type { ConnectionGuard, GuardedServer, GuardRefusal } from "./connection-guard.ts";
export type { AskedCall, FrameworkApproval, SuspendedCall } from "./suspended-call.ts";
export type { Admission, AdmissionServer, Admit, QuarantinedTool, ServerWords } from "./admission.ts";
export type { FencingToken, Lock, Notices, Store } from "./store.ts";
export { createMemoryLock, createMemoryStore } from "./store.ts";
export type {
  AuthorizationFetch,
  AuthorizationRequest,
  AuthorizedRequest,
  CredentialHeaders,
  ServerCredentials,
} from "./server-credentials.ts";
export type { InitOptions, ToolProvider, ToolsChange, UnreadyGroup } from "./tool-provider.ts";
export { applyInterceptors, type CallHandler, type Interceptor, type ToolCall } from "./call-pipeline.ts";
export type { HostRequest, RequestInterceptor, RequestSeam, ServerRequest } from "./call-pipeline.ts";
export type {
  Connection,
  Connector,
  ElicitationRequest,
  ElicitationResult,
  ListToolsOptions,
  RequestOptions,
  ServerInfo,
  ServerLog,
  ServerNotification,
  ToolListing,
} from "./connection.ts";
export type { Diagnostic } from "./diagnostic.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export type { Event, Subscription } from "./event.ts";
export type { Cancel, Random } from "./clock.ts";
export type { SharedDeadline } from "./deadline.ts";
export { cleanText, truncateText } from "./text.ts";
export { redactSpec, redactUrl } from "./redaction.ts";
export { redacted } from "./find-secrets.ts";
export type { ListedEntry, Resource, ResourceContents, ResourceTemplate } from "./content-block.ts";
