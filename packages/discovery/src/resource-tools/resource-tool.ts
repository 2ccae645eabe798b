import {
  cleanText,
  isHostsideError,
  type CallContext,
  type CallOptions,
  type ContentBlock,
  type HostsideErrorCode,
  type JsonObject,
  type ToolDefinition,
  type ToolOrigin,
} from "@hostside/core";
import { assertKnownOptions, kindOf, quoteText, type Fields } from "@hostside/core/implement";
import type { ResourceSource, SourceOptions, SourceServer } from "./resource-source.ts";

/** Bytes of a resource that a model cannot read as text. */
export interface BlobToSave {
  readonly serverId: string;
  /** The server's word: never a path. */
  readonly uri: string;
  /** The server's word. */
  readonly mimeType: string | undefined;
  /** Base64 as it came, not checked. */
  readonly blob: string;
}

/**
 * Keeps bytes, and says where: such as the path of a file. `undefined`: they are not kept. `signal`
 * aborts when nobody waits any longer. What it throws counts as not kept.
 */
export type SaveResourceBlob = (
  blob: BlobToSave,
  options: { readonly signal?: AbortSignal | undefined; readonly context?: CallContext | undefined },
) => string | undefined | Promise<string | undefined>;

/** Which tools a model gets: names, arguments and answers. */
export type ResourceToolsShape = "default" | "evva" | "nexo";

/** Options of `createResourceTools` and `resourceTools`. */
export interface ResourceToolsOptions {
  /**
   * `"default"`: `resources_list`, `resources_templates`, `resources_read`. `"evva"`:
   * `list_mcp_resources`, `read_mcp_resource`. `"nexo"`: `ListMcpResources`, `ReadMcpResource`, and
   * three tools for each server that has resources.
   */
  readonly shape?: ResourceToolsShape | undefined;
  /** Default: bytes are not kept. */
  readonly saveBlob?: SaveResourceBlob | undefined;
}

/** The same, read. */
export interface ToolSettings {
  readonly shape: ResourceToolsShape;
  readonly saveBlob: SaveResourceBlob | undefined;
}

const fields: Fields<ResourceToolsOptions> = { shape: true, saveBlob: true };
const shapes: readonly string[] = ["default", "evva", "nexo"] satisfies readonly ResourceToolsShape[];

/** Reads the options. Throws a `TypeError` that names what cannot be used. */
export function readToolOptions(owner: string, options: ResourceToolsOptions): ToolSettings {
  assertKnownOptions(owner, options, fields);
  const { shape = "default", saveBlob } = options;
  if (!shapes.includes(shape)) throw new TypeError(`${owner}: shape must be one of ${shapes.join(", ")}`);
  if (saveBlob !== undefined && typeof saveBlob !== "function")
    throw new TypeError(`${owner}: saveBlob must be a function, not ${kindOf(saveBlob)}`);
  return { shape, saveBlob };
}

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
