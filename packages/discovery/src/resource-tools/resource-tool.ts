import {
  cleanText,
  isHostsideError,
  type CallContext,
  type CallOptions,
  type ContentBlock,
  type HostsideErrorCode,
  type JsonObject,
  type Resource,
  type ResourceContents,
  type ResourceTemplate,
  type ToolDefinition,
  type ToolOrigin,
} from "@hostside/core";
import { headWithin, isAppUri, quoteText, utf8Length } from "@hostside/core/implement";
import type { ResourceSource, SourceFailure, SourceOptions, SourceServer } from "./resource-source.ts";

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
 * aborts when nobody waits any longer. An error counts as not kept.
 */
export type SaveResourceBlob = (
  blob: BlobToSave,
  options: { readonly signal?: AbortSignal | undefined; readonly context?: CallContext | undefined },
) => string | undefined | Promise<string | undefined>;

/** Which tools a model gets: names, arguments and answers. */
export type ResourceToolsShape = "default" | "evva" | "nexo";

/** Options of `createResourceTools`. */
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

/** The result of a call of such a tool. */
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

/** The parts of the tools of one shape. */
export interface ToolParts {
  readonly resources: ResourceSource;
  readonly saveBlob: SaveResourceBlob | undefined;
}

/** The words of a tool for a model. */
interface ToolWords {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly properties?: JsonObject;
}

/** A resource or a template, as its server lists it. */
export type Listed = Resource | ResourceTemplate;

/** A tool that lists resources or templates of them. */
export interface ListPlan extends ToolWords {
  readonly kind: "resources" | "templates";
  /** The servers to ask when a model wants this one; a text refuses it. */
  readonly choose: (wanted: string | undefined) => readonly string[] | string;
  /** Answers with what was found: sorted by server id, then by URI or template. */
  readonly answer: (
    entries: readonly Listed[],
    failures: readonly SourceFailure[],
    args: JsonObject,
  ) => ResourceToolResult;
}

/** Makes a tool that lists. Entries of apps are left out, because they are for users. */
export function listTool({ resources }: ToolParts, { kind, choose, answer, ...words }: ListPlan): ResourceTool {
  return makeTool(words, [], async (args, options) => {
    const servers = choose(readTextArgument(args, "server"));
    if (typeof servers === "string") return errorResultOf(servers);
    const asked = { ...readOptionsOf(options), servers };
    const found = kind === "resources" ? await resources.list(asked) : await resources.listTemplates(asked);
    const entries: readonly Listed[] = "resources" in found ? found.resources : found.templates;
    return answer(
      entries.filter((entry) => !isAppUri(uriOf(entry))),
      found.failures,
      args,
    );
  });
}

/** The contents that were read of one resource. */
export interface ReadResource {
  readonly serverId: string;
  readonly uri: string;
  readonly contents: readonly ResourceContents[];
}

/** A tool that reads one resource. */
export interface ReadPlan extends ToolWords {
  /** The server to read of; absent: the argument `server` names it. */
  readonly serverId?: string;
  /** Says that an argument is missing. */
  readonly missing: (argument: string) => string;
  /** Says why a server cannot be asked; `undefined` when it can. */
  readonly refuse?: (serverId: string) => string | undefined;
  readonly failed: (problem: string, asked: Omit<ReadResource, "contents">) => string;
  readonly answer: (read: ReadResource, options: CallOptions) => Promise<ResourceToolResult>;
}

/**
 * Makes a tool that reads. An error that ends the call itself is thrown; the model is told of any
 * other.
 */
export function readTool({ resources }: ToolParts, plan: ReadPlan): ResourceTool {
  const { serverId: fixed, missing, refuse, failed, answer, ...words } = plan;
  const required = fixed === undefined ? ["server", "uri"] : ["uri"];
  return makeTool(words, required, async (args, options) => {
    const serverId = fixed ?? readTextArgument(args, "server");
    const uri = readTextArgument(args, "uri");
    if (serverId === undefined || uri === undefined) {
      return errorResultOf(missing(serverId === undefined ? "server" : "uri"));
    }
    const refusal = refuse?.(serverId);
    if (refusal !== undefined) return errorResultOf(refusal);
    const asked = { serverId, uri };
    if (isAppUri(uri)) {
      return errorResultOf(failed(`${quoteText(uri)} is shown to users, and cannot be read here`, asked));
    }
    let contents: readonly ResourceContents[];
    try {
      ({ contents } = await resources.read(asked, readOptionsOf(options)));
    } catch (error) {
      return errorResultOf(failed(failureTextOf(error, options), asked));
    }
    return { origin: resourceOriginOf(serverId, "resources/read"), ...(await answer({ ...asked, contents }, options)) };
  });
}

/** Makes a tool that changes nothing anywhere. */
function makeTool(
  { properties = {}, ...words }: ToolWords,
  required: readonly string[],
  run: ResourceTool["run"],
): ResourceTool {
  return {
    definition: Object.freeze({
      ...words,
      inputSchema: { type: "object", properties, required, additionalProperties: false },
      annotations: { readOnlyHint: true, openWorldHint: true },
      effect: "pure",
    }),
    run,
  };
}

/** A text, or JSON, as an answer. */
export function answerOf(answer: string | JsonObject): ResourceToolResult {
  return { content: [{ type: "text", text: typeof answer === "string" ? answer : JSON.stringify(answer) }] };
}

/** A text as the tool's own failure, from which a model can go on. */
export function errorResultOf(text: string): ResourceToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

/** The origin of what one server gave by one method. */
export function resourceOriginOf(serverId: string, method: string): ToolOrigin {
  return { serverId, toolName: method, qualifiedName: `mcp::${serverId}::${method}` };
}

/** The URI of an entry, or its template. */
export function uriOf(entry: Listed): string {
  return "uri" in entry ? entry.uri : entry.uriTemplate;
}

/** Picks the options of a call that count for requests. */
function readOptionsOf({ signal, timeoutMs, context, meta }: CallOptions): SourceOptions {
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
function readTextArgument(args: JsonObject, name: string): string | undefined {
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
 * Describes the failure of a request, in words for a model. Errors that are not for models, or that
 * ended the call itself, are thrown on.
 */
function failureTextOf(error: unknown, { signal }: CallOptions): string {
  if (!isHostsideError(error) || signal?.aborted || notForModels.has(error.code)) throw error;
  return cleanText(error.message, 512);
}

// Entries and bytes, in UTF-8, of one answer.
const maxEntries = 200;
const maxListBytes = 65_536;

/** The first of `values` that fit, as JSON; at least one. */
export function takeEntries(values: readonly JsonObject[]): readonly JsonObject[] {
  const taken: JsonObject[] = [];
  let bytes = 0;
  for (const value of values) {
    bytes += utf8Length(JSON.stringify(value)) + 1;
    if (taken.length >= maxEntries || (bytes > maxListBytes && taken.length > 0)) break;
    taken.push(value);
  }
  return taken;
}

/**
 * Returns the texts of an entry for a model, bounded and without what hides in texts. The URI stays
 * as it is, because it names the resource.
 */
export function entryTextsOf(entry: Listed): JsonObject {
  const { name, title, mimeType, description } = entry;
  return {
    name: cleanText(name, 256),
    ...(title !== undefined && { title: cleanText(title, 256) }),
    ...(mimeType !== undefined && { mimeType: cleanText(mimeType, 256) }),
    ...(description !== undefined && { description: cleanText(description, 1024) }),
  };
}

// Bytes of all texts of one read, in UTF-8.
const maxReadBytes = 262_144;

/** One piece of a resource as a model gets it: a text, or where bytes are. Never the bytes. */
export interface ModelPiece {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  /** What `saveBlob` said. */
  readonly savedTo?: string;
  /** Decoded, at most; of bytes that were not kept. */
  readonly bytes?: number;
}

/** Pieces that fit, and how many characters of texts do not. */
export interface ModelPieces {
  readonly pieces: readonly ModelPiece[];
  /** Code points that were cut off, in all texts together. */
  readonly missing: number;
  /** Pieces that are not there at all. */
  readonly more: number;
}

/**
 * Keeps bytes, and cuts texts, with the URIs of their pieces, to 256 KiB together, between
 * code points.
 */
export async function boundPieces(
  { saveBlob }: ToolParts,
  { serverId, contents }: ReadResource,
  options: CallOptions,
): Promise<ModelPieces> {
  const pieces: ModelPiece[] = [];
  let left = maxReadBytes;
  let missing = 0;
  for (const { uri, mimeType: type, text, blob } of contents) {
    const mimeType = type === undefined ? undefined : cleanText(type, 256);
    const head = { uri, ...(mimeType !== undefined && { mimeType }) };
    left -= utf8Length(uri) + utf8Length(mimeType ?? "");
    if (left <= 0 && pieces.length > 0) return { pieces, missing, more: contents.length - pieces.length };
    if (text === undefined) {
      const savedTo = await save(saveBlob, { serverId, uri, mimeType: type, blob }, options);
      pieces.push({
        ...head,
        ...(savedTo === undefined ? { bytes: decodedLength(blob) } : { savedTo }),
      });
      continue;
    }
    const kept = text.slice(0, headWithin(text, Math.max(0, left)).end);
    left -= utf8Length(kept);
    missing += countPoints(text.slice(kept.length));
    pieces.push({ ...head, text: kept });
  }
  return { pieces, missing, more: 0 };
}

/** Has bytes kept; `undefined` where they are not. An error that ends the call is thrown. */
export async function save(
  saveBlob: SaveResourceBlob | undefined,
  blob: BlobToSave,
  { signal, context }: CallOptions,
): Promise<string | undefined> {
  if (saveBlob === undefined) return undefined;
  signal?.throwIfAborted();
  try {
    const savedTo = await saveBlob(blob, { signal, context });
    return typeof savedTo === "string" ? savedTo : undefined;
  } catch {
    // Where bytes cannot be kept, their size is still worth an answer; whoever keeps them knows why
    // he failed.
    signal?.throwIfAborted();
    return undefined;
  }
}

function countPoints(text: string): number {
  let points = 0;
  for (const _ of text) points += 1;
  return points;
}

// The text is a server's and of any length, so that it is looked at from its end alone.
function decodedLength(base64: string): number {
  const padding = base64.endsWith("==") ? 2 : base64.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((base64.length * 3) / 4) - padding);
}
