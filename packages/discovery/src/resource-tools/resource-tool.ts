import {
  cleanText,
  isHostsideError,
  type CallOptions,
  type ContentBlock,
  type JsonObject,
  type ToolDefinition,
  type ToolOrigin,
  type HostsideErrorCode,
} from "@hostside/core";
import { quoteText } from "@hostside/core/implement";
import type { ResourceSource, SourceOptions, SourceServer } from "./resource-source.ts";
import type { ToolSettings } from "./tool-options.ts";

/** What a call of such a tool brings. */
export interface ResourceToolResult {
  readonly content: readonly ContentBlock[];
  readonly isError?: boolean;
  /**
   * The server whose words these are, and by which method; absent where there are several, or none.
   */
  readonly origin?: ToolOrigin;
}

/** A tool by which a model lists or reads resources, as `createToolbox({ tools })` takes it. */
export interface ResourceTool {
  readonly definition: ToolDefinition;
  run(args: JsonObject, options: CallOptions): Promise<ResourceToolResult>;
}

/** What the tools of one shape are made of. */
export interface ToolParts {
  readonly resources: ResourceSource;
  readonly settings: ToolSettings;
}

/** What one tool is. */
export interface ToolPlan {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The arguments, each with what it is; all of them are texts, unless they say something else. */
  readonly properties: JsonObject;
  readonly required?: readonly string[];
  readonly run: ResourceTool["run"];
}

/** Makes a tool that changes nothing anywhere. */
export function createResourceTool({
  name,
  title,
  description,
  properties,
  required = [],
  run,
}: ToolPlan): ResourceTool {
  return {
    definition: Object.freeze({
      name,
      title,
      description,
      inputSchema: { type: "object", properties, required, additionalProperties: false },
      annotations: { readOnlyHint: true, openWorldHint: true },
      effect: "pure",
    }),
    run,
  };
}

/** A text as an answer. */
export function answerOf(text: string): ResourceToolResult {
  return { content: [{ type: "text", text }] };
}

/** A text as the tool's own failure, from which a model can go on. */
export function errorResultOf(text: string): ResourceToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** The origin of what one server gave by one method. */
export function resourceOriginOf(serverId: string, method: string): ToolOrigin {
  return { serverId, toolName: method, qualifiedName: `mcp::${serverId}::${method}` };
}

/** What of a call's options counts for requests. */
export function readOptionsOf({ signal, timeoutMs, context, meta }: CallOptions): SourceOptions {
  return {
    ...(signal && { signal }),
    ...(timeoutMs && { timeoutMs }),
    ...(context && { context }),
    ...(meta && { meta }),
  };
}

/**
 * A text among the arguments of a model; `undefined` where it is missing, empty or something else.
 */
export function readTextArgument(args: JsonObject, name: string): string | undefined {
  const value = args[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * The servers that a model may ask: those that said that they have resources, and are not disabled.
 */
export function offeringServers(resources: Pick<ResourceSource, "servers">): readonly SourceServer[] {
  return resources.servers().filter(({ resources: has, state }) => has === true && state !== "disabled");
}

/** Ids in quotation marks, the first 50 of them. They are the host's. */
export function nameServers(servers: readonly Pick<SourceServer, "serverId">[]): string {
  const shown = servers.slice(0, 50).map(({ serverId }) => quoteText(serverId, 256));
  const more = servers.length > shown.length ? ` and ${servers.length - shown.length} more` : "";
  return shown.length === 0 ? "none" : `${shown.join(", ")}${more}`;
}

// What is the host's business, or that of whoever called: a model cannot mend it, and an approval
// has to be asked for.
const notForModels: ReadonlySet<HostsideErrorCode> = new Set([
  "closed",
  "aborted",
  "call_refused",
  "approval_required",
  "approval_denied",
  "budget_exceeded",
  "input_required",
  "internal_error",
]);

/**
 * What a request of a server failed with, in words for a model. What is not for models, or ended
 * the call itself, is thrown on.
 */
export function failureTextOf(error: unknown, { signal }: CallOptions): string {
  if (!isHostsideError(error) || signal?.aborted || notForModels.has(error.code)) throw error;
  return cleanText(error.message, 512);
}
