import { isHostsideError, type ElicitationRequest, type ElicitationResult, type JsonObject } from "@hostside/core";
import { clock, isJsonObject, settleWithin } from "@hostside/core/implement";
import { canAnswer, cancelled, cannotAsk } from "../asking/ask-client.ts";
import { createParkedCalls, type ParkingLot } from "../asking/parked-calls.ts";
import { createSessionQuestions, type SessionQuestions } from "../asking/session-questions.ts";
import { toWireQuestion } from "../asking/wire-question.ts";
import type { GatewayClient, GatewayConversation, GatewayRequest } from "../settings/gateway-client.ts";
import type { GatewaySettings } from "../settings/gateway-options.ts";
import type { MessageSink, ActiveRequest } from "../message/active-request.ts";
import {
  errorMessage,
  resultMessage,
  rpcCodes,
  type RequestMessage,
  requestEndedError,
  rpcFailureOf,
} from "../message/json-rpc.ts";
import { isLogLevel, metaKeys, metaOf } from "../message/meta.ts";
import { createExposedTools } from "../offer/exposed-tools.ts";
import { createRoutedResources } from "../offer/routed-resources.ts";
import type { PeerContext } from "../peer/peer-context.ts";
import { createPeerNews } from "../peer/peer-news.ts";
import { createPeerSubscriptions } from "../peer/peer-subscriptions.ts";
import { requestHandlers } from "../requests/request-handlers.ts";
import { refuseLostNumber } from "../requests/tools.ts";

/** Over what a request came. */
export interface RequestDelivery {
  readonly sink: MessageSink;
  /** Aborts when the client gives the request up. */
  readonly stop: AbortController;
}

/** One client and all that the gateway has of it. */
export interface Peer {
  readonly client: GatewayClient;
  readonly context: PeerContext;
  /**
   * Answers a request. `undefined`: it was given up, and nobody waits for an answer. Never rejects.
   */
  handle(message: RequestMessage, way: RequestDelivery): Promise<JsonObject | undefined>;
  /** A response of the client to a question. `false`: nothing waits for it. */
  answer: SessionQuestions["answer"];
  /**
   * The client listens anew: what it was asked and may not have heard is asked over that stream.
   */
  listensAnew(): void;
  /** Asks the user of this client on a server's behalf. Rejects where that cannot be. */
  elicit(request: ElicitationRequest, signal: AbortSignal): Promise<ElicitationResult>;
  /**
   * Nothing more is heard from the client: what it was asked is not answered, a call that was to go
   * on with its answer is given up, and it is asked nothing any more.
   */
  endQuestions(): void;
  /** Requests under way, and calls that wait for the client. */
  readonly busy: number;
  readonly subscriptions: number;
  readonly parked: number;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
  /**
   * Gives up what is under way and closes its conversation, within `limits.closeMs`. Idempotent,
   * never rejects.
   */
  close(reason: string): Promise<void>;
}

/** Options of {@linkcode createPeer}. */
export interface PeerInit {
  readonly settings: GatewaySettings;
  readonly client: GatewayClient;
  readonly conversation: GatewayConversation;
  readonly lot: ParkingLot;
  /** A number of its own for each request of this process. */
  readonly nextNumber: () => number;
}

interface PeerState extends PeerInit, PeerContext {
  /** Requests under way, also those that were answered with a question. */
  readonly requests: Set<ActiveRequest>;
  readonly questions: SessionQuestions;
  /** True if it ever opened a stream of its own, and so may open one again. */
  hasListened: boolean;
  /** True if it is asked nothing any more. */
  isSilent: boolean;
  /** Messages of the client that wait for their answer. */
  waiting: number;
  /** The number of them that only listen. */
  listening: number;
  readonly idle: (() => void)[];
}

/** Makes a peer. Throws a `TypeError` for a conversation that cannot be used. */
export function createPeer(init: PeerInit): Peer {
  const { settings, client, conversation, lot } = init;
  const { limits } = settings;
  const requests = new Set<ActiveRequest>();
  const exposed = createExposedTools(conversation.tools, settings, client.era);
  const serverOf = ({ toolName, serverId }: ActiveRequest): string | undefined =>
    toolName === undefined ? serverId : exposed.find(toolName)?.origin?.serverId;
  const news = createPeerNews({ client, conversation, requests, serverOf });
  const questions = createSessionQuestions(limits.maxParkedPerSession);
  const state: PeerState = {
    ...init,
    exposed,
    resources: conversation.resources && createRoutedResources(conversation.resources, settings),
    news,
    parked: createParkedCalls(settings, lot, () => settleIdle(state)),
    subscriptions: createPeerSubscriptions(limits.maxSubscriptionsPerSession),
    requests,
    questions,
    hasListened: false,
    isSilent: false,
    waiting: 0,
    listening: 0,
    idle: [],
  };
  let closing: Promise<void> | undefined;
  return {
    client,
    context: state,
    handle: (message, way) => handle(state, message, way),
    answer: (id, message) => questions.answer(id, message),
    listensAnew() {
      state.hasListened = true;
      questions.again();
    },
    elicit: (request, signal) => elicit(state, { request, signal, serverOf }),
    endQuestions: () => endQuestions(state),
    get busy() {
      return state.waiting - state.listening + state.parked.size;
    },
    get subscriptions() {
      return state.subscriptions.size;
    },
    get parked() {
      return state.parked.size;
    },
    idle: () =>
      new Promise((resolve) => {
        state.idle.push(resolve);
        settleIdle(state);
      }),
    close(reason) {
      return (closing ??= close(state, reason));
    },
  };
}

function settleIdle({ waiting, listening, parked, idle }: PeerState): void {
  if (waiting > listening || parked.size > 0) return;
  for (const resolve of idle.splice(0)) resolve();
}

async function handle(
  state: PeerState,
  message: RequestMessage,
  way: RequestDelivery,
): Promise<JsonObject | undefined> {
  const { settings, client, requests } = state;
  const { telemetry } = settings;
  const { id, method } = message;
  const handler = message.lost === undefined ? requestHandlers[client.era].get(method) : refuseLostNumber(message.lost);
  if (handler === undefined) {
    return errorMessage(id, { code: rpcCodes.methodNotFound, message: `Method not found: ${method.slice(0, 256)}` });
  }
  if (state.waiting >= settings.limits.maxRequestsPerSession) {
    const text = `No more than ${settings.limits.maxRequestsPerSession} requests at a time`;
    return errorMessage(id, { code: rpcCodes.refused, message: text, data: { code: "overloaded" } });
  }
  const request = readRequest(state, message, way);
  const startedAt = settings.onEvent === undefined ? 0 : clock.now();
  const isListening = method === "subscriptions/listen";
  state.waiting += 1;
  if (isListening) state.listening += 1;
  let reason = "ok";
  try {
    const run = async (one: ActiveRequest): Promise<JsonObject> => {
      requests.add(one);
      try {
        // Written out, because most gateways have no telemetry, and each promise more is paid with
        // every request.
        if (telemetry === undefined) return await handler(state, one);
        return await telemetry.serve(toTraced(client, one), async () => handler(state, one));
      } finally {
        requests.delete(one);
      }
    };
    const isAsking = client.era === "modern" && mayAsk.has(method);
    const result = await (isAsking ? state.parked.run(request, run) : run(request));
    if (way.stop.signal.aborted && !isListening) return givenUp(id, way.stop.signal);
    return resultMessage(id, client.era === "legacy" ? result : toModern(state, result));
  } catch (error) {
    reason = isHostsideError(error) ? error.code : "error";
    return way.stop.signal.aborted ? givenUp(id, way.stop.signal) : errorMessage(id, toFailure(error));
  } finally {
    state.waiting -= 1;
    if (isListening) state.listening -= 1;
    settleIdle(state);
    settings.onEvent?.({ kind: "request-ended", client, method, reason, durationMs: clock.now() - startedAt });
  }
}

/** A request as telemetry gets it. */
function toTraced(client: GatewayClient, { id: requestId, method, params }: ActiveRequest): GatewayRequest {
  const version = metaOf(params)?.[metaKeys.protocolVersion];
  const protocolVersion = typeof version === "string" ? version : undefined;
  return { method, params, requestId, protocolVersion, transport: carrierOf(client) };
}

/** The transport of a client in the words of OpenTelemetry. */
export function carrierOf({ transport }: GatewayClient): "pipe" | "tcp" {
  return transport === "stdio" ? "pipe" : "tcp";
}

/** The answer to a request that ended; none where the client gave it up itself. */
function givenUp(id: RequestMessage["id"], { reason }: AbortSignal): JsonObject | undefined {
  const failure = rpcFailureOf(reason);
  return failure && errorMessage(id, failure);
}

/**
 * The requests that a server may answer with a question.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
const mayAsk: ReadonlySet<string> = new Set(["tools/call", "resources/read", "prompts/get"]);

function readRequest(state: PeerState, { id, method, params }: RequestMessage, way: RequestDelivery): ActiveRequest {
  const { client, questions, news, settings } = state;
  const meta = metaOf(params);
  const token = meta?.["progressToken"];
  const logLevel = meta?.[metaKeys.logLevel];
  const given = meta?.[metaKeys.clientCapabilities];
  const number = state.nextNumber();
  const request: ActiveRequest = {
    uid: `request-${number}`,
    number,
    id,
    method,
    params,
    stop: way.stop,
    sink: way.sink,
    progressToken: typeof token === "string" || typeof token === "number" ? token : undefined,
    logLevel: client.era === "modern" && isLogLevel(logLevel) ? logLevel : undefined,
    capabilities: client.era === "modern" && isJsonObject(given) ? given : client.capabilities,
    toolName: undefined,
    serverId: undefined,
  };
  if (client.era === "legacy") {
    // Over the request's own stream, or, where that is gone, over the one that the client listens
    // on.
    const sinks = (): readonly MessageSink[] => [request.sink, ...(news.stream === undefined ? [] : [news.stream])];
    // A client that is away may listen again; one that takes no streams never will.
    const isAway = (): boolean => request.sink.isOver === true || state.hasListened;
    const waitMs = (): number => (isAway() ? settings.limits.parkedMs : 0);
    request.ask = (question, signal) => questions.ask(question, { sinks, waitMs, signal });
  }
  return request;
}

function toModern({ settings }: PeerState, result: JsonObject): JsonObject {
  const { _meta: meta } = result;
  return {
    resultType: "complete",
    ...result,
    _meta: { ...(isJsonObject(meta) ? meta : {}), [metaKeys.serverInfo]: settings.info },
  };
}

/** The failure that a client is told; of a foreign error only that there was one. */
function toFailure(error: unknown): ReturnType<typeof rpcFailureOf> & object {
  const known = rpcFailureOf(error);
  if (known !== undefined) return known;
  if (!isHostsideError(error)) return { code: rpcCodes.internalError, message: "Internal error" };
  const { code, message, outcome, retryable } = error;
  return { code: rpcCodes.internalError, message, data: { code, outcome, retryable } };
}

interface Asking {
  readonly request: ElicitationRequest;
  readonly signal: AbortSignal;
  readonly serverOf: (request: ActiveRequest) => string | undefined;
}

async function elicit(
  { requests, settings, isSilent }: PeerState,
  { request, signal, serverOf }: Asking,
): Promise<ElicitationResult> {
  if (isSilent) return cancelled;
  const { serverId, context } = request;
  const { maxQuestionLength } = settings.limits;
  const params = toWireQuestion(request);
  if (params === undefined) throw cannotAsk(request, "it is none that the specification has");
  if (JSON.stringify(params).length > maxQuestionLength) throw cannotAsk(request, "it is too large to be asked");
  const open = Array.from(requests)
    .filter(({ ask }) => ask !== undefined)
    .sort((one, other) => one.number - other.number);
  // The request that it belongs to, and no other; where that is not known, the oldest that went to
  // this server, whose question it may be; of one alone there is no doubt.
  const asked =
    context?.causationId !== undefined
      ? open.find(({ uid }) => uid === context.causationId)
      : (open.find((one) => serverOf(one) === serverId) ?? (open.length === 1 ? open[0] : undefined));
  if (asked?.ask === undefined)
    throw cannotAsk(request, "no request of its client is under way that it could belong to");
  if (!canAnswer(request, asked.capabilities)) throw cannotAsk(request, "its client does not offer that");
  return asked.ask({ ...request, params }, signal);
}

function endQuestions(state: PeerState): void {
  state.isSilent = true;
  state.parked.close();
  state.questions.close();
}

async function close(state: PeerState, reason: string): Promise<void> {
  const { requests, questions, settings, conversation, client } = state;
  state.parked.close();
  questions.close();
  state.news.close();
  state.subscriptions.close();
  for (const request of Array.from(requests)) request.stop.abort(requestEndedError(reason));
  const { limits, onDiagnostic } = settings;
  let failed: unknown;
  const ending = (async () => conversation.close?.(reason))().catch((error: unknown) => {
    failed = error;
  });
  await settleWithin(ending, limits.closeMs);
  if (failed !== undefined) {
    const message = `the conversation of client ${client.id} did not close: ${failed instanceof Error ? failed.message : "it threw"}`;
    onDiagnostic({ kind: "defect", serverId: "", message });
  }
}
