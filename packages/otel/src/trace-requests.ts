import { context, SpanKind, SpanStatusCode, type Attributes } from "@opentelemetry/api";
import {
  redactUrl,
  truncateText,
  type CallExchange,
  type HostRequest,
  type JsonObject,
  type JsonValue,
  type RequestInterceptor,
  type ServerPeer,
} from "@hostside/core";
import { isPlainObject, joinObservers } from "@hostside/core/implement";
import { measureRequest } from "./metrics/call-metrics.ts";
import { attribute } from "./names.ts";
import { quietly } from "./quietly.ts";
import { failureAttributes, spanFailureOf, type SpanFailure } from "./spans/failure.ts";
import { peerAttributes } from "./spans/peer-attributes.ts";
import type { TraceParts } from "./trace-calls.ts";

/** What requests are observed with. */
export interface RequestTraceParts extends TraceParts {
  /** How a server is spoken with now; `undefined` where that is not known. */
  readonly peerOf: (serverId: string) => ServerPeer | undefined;
}

/** The layer around each request that is no call. */
export function traceRequests(parts: RequestTraceParts): RequestInterceptor {
  const { tracing, find } = parts;
  return (request, next) => (tracing.isOn || find() !== undefined ? observe(request, next, parts) : next(request));
}

async function observe(
  request: HostRequest,
  next: Parameters<RequestInterceptor>[1],
  parts: RequestTraceParts,
): Promise<JsonValue> {
  const { tracing, settings, peerOf } = parts;
  const { serverId, method } = request;
  const startedAt = settings.clock.now();
  const attributes = { ...attributesOf(request), ...peerAttributes(peerOf(serverId)) };
  const span = tracing.start(nameOf(request), { kind: SpanKind.CLIENT, attributes });
  const within = tracing.contextOf(span);
  const onExchange = ({ requestId }: CallExchange): void =>
    void quietly(() => span?.setAttribute(attribute.requestId, String(requestId)));
  const end = (failure: SpanFailure | undefined): void => {
    quietly(() => {
      if (failure === undefined || span === undefined) return;
      span.setAttributes(failureAttributes(failure));
      span.setStatus({ code: SpanStatusCode.ERROR, message: failure.type });
    });
    quietly(() => span?.end());
    const subject = promptOf(request);
    const durationMs = settings.clock.now() - startedAt;
    measureRequest({ serverId, method, durationMs, failure, peer: peerOf(serverId), subject }, parts);
  };
  const params = withMeta(request.params, tracing.carry(within));
  const options = { ...request.options, observer: joinObservers({ onExchange }, request.options.observer) };
  try {
    const answer = await context.with(within, next, undefined, { ...request, params, options });
    end(undefined);
    return answer;
  } catch (error) {
    end(spanFailureOf(error));
    throw error;
  }
}

// A copy: what the caller handed over stays as it is.
function withMeta(params: JsonObject | undefined, carried: JsonObject | undefined): JsonObject | undefined {
  if (carried === undefined) return params;
  const before = params?.["_meta"];
  return { ...params, _meta: { ...(isPlainObject(before) && before), ...carried } };
}

function nameOf(request: HostRequest): string {
  const prompt = promptOf(request)[attribute.prompt];
  return prompt === undefined ? request.method : `${request.method} ${String(prompt)}`;
}

function attributesOf(request: HostRequest): Attributes {
  const uri = request.params?.["uri"];
  return {
    [attribute.method]: request.method,
    [attribute.server]: request.serverId,
    ...promptOf(request),
    ...(typeof uri === "string" && { [attribute.resourceUri]: truncateText(safeUri(uri), 256) }),
  };
}

// Addresses on the web have tokens in queries and paths; names of other schemes are the server's
// own, but for who may log in there.
function safeUri(uri: string): string {
  const scheme = URL.canParse(uri) ? new URL(uri).protocol : "";
  if (scheme === "http:" || scheme === "https:") return redactUrl(uri);
  return uri.replace(/[?#].*$/s, "").replace(/^([^/]{0,64}:\/\/)[^/]*@/, "$1***@");
}

function promptOf({ method, params }: HostRequest): Attributes {
  const name = params?.["name"];
  if (method !== "prompts/get" || typeof name !== "string") return {};
  return { [attribute.prompt]: truncateText(name, 128) };
}
