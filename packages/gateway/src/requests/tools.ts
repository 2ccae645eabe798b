import {
  cleanText,
  isHostsideError,
  HostsideError,
  type CallObserver,
  type JsonObject,
  type JsonValue,
  type Progress,
  type ProtocolEra,
  type ToolDefinition,
  type ToolOutcome,
} from "@hostside/core";
import {
  describeLostNumber,
  isJsonObject,
  lostDigitsError,
  objectOf,
  readNumber,
  readText,
  withoutHalves,
  type LostNumber,
} from "@hostside/core/implement";
import { fitsSchema } from "@hostside/policy";
import { presentError } from "@hostside/results";
import type { ActiveRequest } from "../message/active-request.ts";
import { notificationMessage, rpcCodes, rpcError } from "../message/json-rpc.ts";
import { metaKeys, metaOf, passOn } from "../message/meta.ts";
import { toWireContent } from "../message/wire-content.ts";
import { readToolsCall } from "../offer/tools-call.ts";
import type { PeerContext, PeerRequestHandler } from "../peer/peer-context.ts";
import { callContextOf, logLevelOf, untilListed, cacheable, paginate } from "./bounded.ts";
import type { Exposure } from "../settings/gateway-options.ts";

/** `tools/list`. A list of all tools waits for servers that are still connecting. */
export const handleListTools: PeerRequestHandler = async (context, request) => {
  const { params } = request;
  if (context.settings.expose === "all" && params["cursor"] === undefined) await untilListed(context, request);
  const size = context.settings.limits.pageSize;
  const { entries: tools, ...rest } = paginate(context.exposed.list(), params, { size, keyOf: ({ name }) => name });
  return cacheable(context, { tools, ...rest });
};

/**
 * `tools/call`. A failed call is a result that a model can read, as the specification requires. An
 * unknown tool is an error of the protocol.
 */
export const handleCallTool: PeerRequestHandler = (context, request) => {
  const { name, arguments: args } = request.params;
  if (typeof name !== "string" || name === "") {
    throw rpcError(rpcCodes.invalidParams, "tools/call needs the name of a tool");
  }
  if (args !== undefined && !isJsonObject(args)) {
    throw rpcError(rpcCodes.invalidParams, "the arguments of tools/call must be an object");
  }
  const { exposed, settings } = context;
  const caller = exposed.callerOf(name);
  if (caller === undefined) return callByName(context, request, { name, args, isDirect: true });
  const inner = readToolsCall(caller, args);
  if ("problem" in inner) return failureResult(inner.problem);
  const call = { ...inner, isDirect: false };
  if (caller === "tools_call") return callByName(context, request, call);
  // Held to the definition whose effect is known: what comes in its place meanwhile is not called.
  const selected = exposed.allows(call.name) ? exposed.find(call.name) : undefined;
  if (selected === undefined) return unknownTool(context, call);
  if (settings.effectOf(selected) === "pure") return callByName(context, request, { ...call, selected });
  const shown = JSON.stringify(cleanText(call.name, 256));
  return failureResult(`${shown} is not known to change nothing, and was not called: call it with tools_call`);
};

const ofArguments = "/params/arguments";

/** Makes what answers a request in which a number lost digits: it is not handled. */
export function refuseLostNumber(lost: LostNumber): PeerRequestHandler {
  return (_context, { method, params }) => {
    const { name } = params;
    if (method !== "tools/call" || typeof name !== "string" || !lost.path.startsWith(`${ofArguments}/`)) {
      throw rpcError(rpcCodes.invalidParams, `the request has ${describeLostNumber(lost)}`);
    }
    const path = lost.path.slice(ofArguments.length);
    return failureOf(lostDigitsError({ ...lost, path }, { serverId: "", toolName: name }));
  };
}

interface NamedCall {
  readonly name: string;
  readonly args: unknown;
  /** True if the client named the tool itself, and not in the arguments of another. */
  readonly isDirect: boolean;
  /** The definition that the call is held to. */
  readonly selected?: ToolDefinition | undefined;
}

async function callByName(
  context: PeerContext,
  request: ActiveRequest,
  { name, args, isDirect, selected }: NamedCall,
): Promise<JsonObject> {
  const { conversation, exposed, news, resources } = context;
  const meta = passOn(metaOf(request.params));
  const observer = askForLines(context, request);
  request.toolName = name;
  if (!exposed.allows(name)) return unknownTool(context, { name, isDirect });
  try {
    const options = {
      signal: request.stop.signal,
      context: callContextOf(request),
      ...(selected !== undefined && { selected }),
      ...(meta !== undefined && { meta }),
      ...(request.progressToken !== undefined && {
        onProgress: (progress: Progress) => sayProgress(request, progress),
      }),
      ...(observer !== undefined && { observer }),
    };
    const call = (): Promise<ToolOutcome> => conversation.tools.call(name, args, options);
    const outcome = await asItIsNow(call, () => exposed.find(name));
    resources?.learn(outcome.origin.serverId, outcome.content);
    const result = toWireResult(outcome, context.client.era);
    return await withPromised(result, exposed.listedOf(name));
  } catch (error) {
    if (isHostsideError(error, "unknown_tool")) return unknownTool(context, { name, isDirect, error });
    if (!isHostsideError(error)) throw error;
    return failureOf(error);
  } finally {
    if (exposed.hasNews()) news.changed("tools");
  }
}

/**
 * Nobody has selected anything here: where a server was replaced while the call of a tool that is
 * listed waited, and did not run, the tool is called as it is now. Not where a tool of the host
 * itself hands on what another call failed with: it has run.
 */
async function asItIsNow(
  call: () => Promise<ToolOutcome>,
  findTool: () => ToolDefinition | undefined,
): Promise<ToolOutcome> {
  try {
    return await call();
  } catch (error) {
    const isReplaced = isHostsideError(error, "registration_replaced") && error.outcome === "not-sent";
    if (!isReplaced) throw error;
    const { serverId = "", toolName } = findTool()?.origin ?? {};
    if (serverId === "" || error.serverId !== serverId || error.toolName !== toolName) throw error;
    return call();
  }
}

// As an observer, so that layers in between see no other call in it.
function askForLines(context: PeerContext, request: ActiveRequest): CallObserver | undefined {
  const level = logLevelOf(context, request);
  return level === undefined ? undefined : { meta: () => ({ [metaKeys.logLevel]: level }) };
}

interface UnknownTool extends Pick<NamedCall, "name" | "isDirect"> {
  readonly error?: HostsideError;
}

/**
 * Answers for a tool that there is not, or that is not exposed. The advice is for a model that has
 * this gateway alone.
 */
function unknownTool({ settings }: PeerContext, { name, isDirect, error }: UnknownTool): JsonObject {
  const shown = cleanText(name, 256);
  const advice = adviseUnknownTool(settings.expose, error);
  if (isDirect) throw rpcError(rpcCodes.invalidParams, `Unknown tool: ${shown}. ${advice}`);
  const message = `there is no tool ${JSON.stringify(shown)}. ${advice}`;
  return failureOf(new HostsideError(message, { code: "unknown_tool", toolName: shown }));
}

function sayProgress({ progressToken, sink }: ActiveRequest, progress: Progress): void {
  const read = readProgress(progress);
  if (progressToken === undefined || !isJsonObject(read)) return;
  sink.send(notificationMessage("notifications/progress", { ...read, progressToken }), "spare");
}

const readProgress = objectOf<Progress>({ progress: readNumber }, { total: readNumber, message: readText });

/**
 * The server's result, whole, as the host's layers left it; without what the other hop said of
 * itself, and without what clients do not accept: before 2026-07-28, structured content is an
 * object.
 */
function toWireResult({ raw, content, structuredContent, isError }: ToolOutcome, era: ProtocolEra): JsonObject {
  const { resultType: _type, toolResult: _old, structuredContent: _structured, _meta: rawMeta, ...rest } = raw;
  const meta = isJsonObject(rawMeta) ? passOn(rawMeta) : undefined;
  const isStructured = structuredContent !== undefined && (era === "modern" || isJsonObject(structuredContent));
  const lost = isStructured ? null : (structuredContent ?? null);
  return {
    ...rest,
    content: withText(toWireContent(content), lost),
    ...(isStructured && { structuredContent }),
    ...((isError || rest["isError"] !== undefined) && { isError }),
    ...(meta !== undefined && { _meta: meta }),
  };
}

function withText(blocks: readonly JsonObject[], value: JsonValue): readonly JsonObject[] {
  const text = withoutHalves(JSON.stringify(value));
  const isSaid = value === null || blocks.some((block) => block["text"] === text);
  return isSaid ? blocks : [...blocks, { type: "text", text }];
}

/**
 * Official clients throw the result of a tool away that listed an output schema, and has no
 * structured content now, or some that does not fit. So that its content is read, it goes out as
 * texts alone, as a failure that says that the call ran.
 */
async function withPromised(result: JsonObject, listed: JsonObject | undefined): Promise<JsonObject> {
  const { structuredContent, ...rest } = result;
  const schema = listed?.["outputSchema"];
  if (!isJsonObject(schema)) return result;
  if (structuredContent === undefined && rest["isError"] === true) return result;
  if (structuredContent !== undefined && (await fitsSchema(structuredContent, schema))) return result;
  const why = structuredContent === undefined ? "no structured content" : "structured content that does not fit it";
  const text = `[The tool ran. It is reported as failed because its server lists an output schema, and sent ${why}.]`;
  const blocks = withText((rest["content"] ?? []) as readonly JsonObject[], structuredContent ?? null);
  return { ...rest, content: [...blocks, { type: "text", text }], isError: true };
}

/** A failure as a result: what a model reads, and for a host the same as data. */
function failureOf(error: unknown): JsonObject {
  const envelope = presentError(error, "envelope");
  return { ...failureResult(presentError(error, "text")), _meta: { "hostside/error": { ...envelope.error } } };
}

function failureResult(text: string): JsonObject {
  return { content: [{ type: "text", text }], isError: true };
}

const mostServers = 10;

/**
 * Advice, as sentences, for a model that has this gateway alone and used a name that no tool has.
 * `error`: the `unknown_tool`, where there is one. Pure.
 */
function adviseUnknownTool(expose: Exposure, error?: HostsideError): string {
  const { suggestions = [], servers = [] } = error?.details ?? {};
  const meant = suggestions.map((name) => JSON.stringify(name)).join(" or ");
  const named = servers.slice(0, mostServers).map(({ id, state }) => `${JSON.stringify(cleanText(id, 80))} (${state})`);
  const more = servers.length > named.length ? ` and ${servers.length - named.length} more` : "";
  return [
    ...(meant === "" ? [] : [`Did you mean ${meant}?`]),
    ...(named.length === 0 ? [] : [`Servers whose tools are not known now: ${named.join(", ")}${more}.`]),
    expose === "all"
      ? "tools/list has the tools that there are."
      : "Find the tools that there are with tools_search, or list their groups with tools_groups.",
  ].join(" ");
}
