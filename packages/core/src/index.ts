// For products: what you configure, get back and catch.
export {
  errorCodes,
  type CallOutcome,
  type ErrorCodeEntry,
  type ErrorKind,
  type ToolportErrorCode,
} from "./toolport-error-code.ts";
export {
  isToolportError,
  ToolportError,
  type ErrorDetails,
  type ToolportErrorInit,
  type Violation,
} from "./toolport-error.ts";
export type {
  Concurrency,
  CustomTransportSpec,
  HttpTransportSpec,
  MemoryTransportSpec,
  ServerSpec,
  StdioTransportSpec,
  ToolOverride,
  TransportSpec,
} from "./server-spec.ts";
export { defaultLimits, defaultTimeouts, longestTimeoutMs, type ServerLimits, type ServerTimeouts } from "./limits.ts";
export type {
  AudioContent,
  BlobResourceContents,
  ContentAnnotations,
  ContentBlock,
  ContentExtras,
  ContentIcon,
  EmbeddedResource,
  ImageContent,
  KnownContentBlock,
  ResourceLink,
  TextContent,
  TextResourceContents,
  UnknownContentBlock,
} from "./content-block.ts";
export { isKnownContent, readContent } from "./read-content.ts";
export type {
  CallOptions,
  Progress,
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
export type { Admission, AdmissionServer, Admit } from "./admission.ts";
export type { Lock, Store } from "./store.ts";
export type { InitOptions, ToolProvider, ToolsChange, UnreadyGroup } from "./tool-provider.ts";
export type { Diagnostic } from "./diagnostic.ts";
export type { JsonObject, JsonValue } from "./json.ts";
export type { Event, Subscription } from "./event.ts";
export { redactSpec, redactUrl } from "./redact.ts";
export { redacted } from "./redacted.ts";

// For those who implement a connector, a provider or an interceptor.
export type {
  Connection,
  ConnectionHooks,
  Connector,
  DroppedTool,
  ElicitationRequest,
  ElicitationResult,
  ProtocolEra,
  RequestOptions,
  ServerInfo,
  ServerLog,
  ToolListing,
  ListToolsOptions,
} from "./connection.ts";
export {
  applyInterceptors,
  type BoundedCallHandler,
  type CallHandler,
  type Interceptor,
  type ToolCall,
} from "./interceptor.ts";
export { createCallPipeline, type CallPipeline, type CallPipelineInit } from "./call-pipeline.ts";
export { assertServerSpec, specError } from "./assert-server-spec.ts";
export { assertCallContext } from "./call-context.ts";
export { assertCallOptions, assertTimeoutMs, readCallArguments, timeSetBy } from "./call-input.ts";
export { copySpec } from "./copy-spec.ts";
export { freezeData } from "./freeze-data.ts";
export { withDefaults, type Given } from "./with-defaults.ts";
export { assertKnownOptions, type Fields } from "./assert-known-options.ts";
export { describeAbsent, unknownToolError, type AbsentServer } from "./unknown-tool-error.ts";
export { withErrorContext, type ToolportErrorPatch } from "./toolport-error.ts";
export { createDeadline, type Deadline, type DeadlineInit } from "./deadline.ts";
export { createEvent, type EventSource } from "./event.ts";
export { dateOf, systemClock, systemRandom, type Cancel, type Clock, type Random } from "./clock.ts";
export { formatMs } from "./format-ms.ts";
export { isJsonObject } from "./json.ts";
export type { Redactor } from "./redacted.ts";
export { createRedactor, createSecretMemory, type SecretMemory } from "./secret-memory.ts";
export { isSecretName } from "./secret-name.ts";
export { redactData } from "./redact-data.ts";
export { originalCause, safeCause } from "./safe-cause.ts";
export { quoteText } from "./quote-text.ts";
export { cleanText, inspectText, truncateText, type TextFlag } from "./untrusted-text.ts";
