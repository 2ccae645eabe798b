import { SpanKind, SpanStatusCode, trace, context, type Attributes, type Context, type Span } from "@opentelemetry/api";
import {
  truncateText,
  type CallAttempt,
  type CallDecision,
  type CallRecord,
  type ToolCall,
  type ToolOutcome,
} from "@hostside/core";
import { captureJson, captureText } from "../capture.ts";
import { attribute } from "../names.ts";
import { quietly } from "../quietly.ts";
import type { TelemetrySettings } from "../telemetry-options.ts";
import { spanTime } from "../times.ts";
import { failureAttributes, spanFailureOf, toolFailure, type SpanFailure } from "./failure.ts";
import { peerAttributes, sessionAttributes } from "./peer-attributes.ts";
import type { Tracing } from "./tracing.ts";

/** The span of one call. */
export interface CallSpan {
  /** In which the call is to run. */
  readonly context: Context;
  decided(decision: CallDecision): void;
  recorded(record: CallRecord): void;
  /** Ends it, with what came back or was thrown. */
  end(ending: { readonly outcome: ToolOutcome } | { readonly error: unknown }): void;
}

const longestName = 128;
// Of one call, so that a layer that decides for ever does not fill the memory.
const mostEvents = 64;

/** With what spans of calls are started. */
export interface CallSpanParts {
  readonly tracing: Tracing;
  readonly settings: TelemetrySettings;
  /** Spans of frameworks that are written to: each has one call. */
  readonly taken: WeakSet<Span>;
}

/**
 * Starts the span of a call, or finds the one to write to: of several calls within one span of a
 * framework the first has it, the others have spans beneath it. `undefined`: nothing makes spans.
 */
export function startCallSpan(call: ToolCall, { tracing, settings, taken }: CallSpanParts): CallSpan | undefined {
  const own = attributesOf(call, settings);
  const open = settings.enriches ? openToolSpan() : undefined;
  if (open !== undefined && !taken.has(open)) {
    taken.add(open);
    quietly(() => open.setAttributes(own));
    return new OneCallSpan(open, { isOwn: false, context: context.active(), settings });
  }
  const isMcp = call.origin.serverId !== "";
  const options = { kind: isMcp ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes: own };
  const span = tracing.start(nameOf(call, settings), options);
  if (span === undefined) return undefined;
  return new OneCallSpan(span, { isOwn: true, context: tracing.contextOf(span), settings });
}

class OneCallSpan implements CallSpan {
  readonly context: Context;
  readonly #span: Span;
  readonly #isOwn: boolean;
  readonly #settings: TelemetrySettings;
  #events = 0;
  #sends = 0;
  readonly #waits = { queueMs: 0, connectMs: 0, listMs: 0, turnMs: 0 };
  #onlySend: CallAttempt | undefined;

  constructor(
    span: Span,
    init: { readonly isOwn: boolean; readonly context: Context; readonly settings: TelemetrySettings },
  ) {
    this.#span = span;
    this.#isOwn = init.isOwn;
    this.context = init.context;
    this.#settings = init.settings;
  }

  decided(decided: CallDecision): void {
    const { type, at, stage, decision, code } = decided;
    quietly(() => {
      const reason = reasonOf(decided, this.#settings);
      this.#addEvent("hostside.decision", at, {
        [attribute.decision]: decision === undefined ? type : `${type}: ${decision}`,
        ...(stage !== undefined && { [attribute.stage]: stage }),
        ...(code !== undefined && { [attribute.errorType]: code }),
        ...(reason !== undefined && { [attribute.reason]: reason }),
      });
    });
  }

  recorded(record: CallRecord): void {
    const { attempts } = record;
    this.#sends += attempts.length;
    // A layer may try a call again: each try has a record.
    const waits = this.#waits;
    for (const part of ["queueMs", "connectMs", "listMs", "turnMs"] as const) waits[part] += record[part];
    const { queueMs, connectMs, listMs, turnMs } = waits;
    quietly(() => {
      const last = attempts.at(-1);
      this.#span.setAttributes({
        [attribute.sends]: this.#sends,
        [attribute.wait]: queueMs / 1000,
        ...(connectMs > 0 && { [attribute.connectWait]: connectMs / 1000 }),
        ...(listMs > 0 && { [attribute.listWait]: listMs / 1000 }),
        ...(turnMs > 0 && { [attribute.turnWait]: turnMs / 1000 }),
        ...peerAttributes(last?.peer),
        ...sessionAttributes(last?.peer, this.#settings.captureSessionId),
        ...(last?.requestId !== undefined && { [attribute.requestId]: String(last.requestId) }),
        ...(last?.sentBytes !== undefined && { [attribute.sentBytes]: last.sentBytes }),
        ...(last?.receivedBytes !== undefined && { [attribute.receivedBytes]: last.receivedBytes }),
      });
    });
    // What was sent once is the span itself.
    if (this.#sends === 1) {
      this.#onlySend ??= attempts[0];
      return;
    }
    const first = this.#onlySend === undefined ? [] : [this.#onlySend];
    this.#onlySend = undefined;
    for (const { startedAt, durationMs, peer, error } of [...first, ...attempts]) {
      this.#addEvent("hostside.send", startedAt, {
        "hostside.duration": durationMs / 1000,
        [attribute.session]: peer.session,
        ...(error !== undefined && failureAttributes(spanFailureOf(error))),
      });
    }
  }

  end(ending: { readonly outcome: ToolOutcome } | { readonly error: unknown }): void {
    const failure = "error" in ending ? spanFailureOf(ending.error) : ending.outcome.isError ? toolFailure : undefined;
    quietly(() => {
      this.#span.setAttribute(attribute.outcome, outcomeOf(ending, failure));
      if (failure !== undefined) this.#span.setAttributes(failureAttributes(failure));
      if ("outcome" in ending && this.#settings.captureResults) {
        this.#span.setAttribute(attribute.result, resultText(ending.outcome, this.#settings));
      }
    });
    if (!this.#isOwn) return;
    quietly(() => {
      if (failure !== undefined) this.#span.setStatus({ code: SpanStatusCode.ERROR, message: failure.type });
    });
    quietly(() => this.#span.end());
  }

  #addEvent(name: string, at: number, attributes: Attributes): void {
    if (this.#events >= mostEvents) return;
    this.#events += 1;
    quietly(() => this.#span.addEvent(name, attributes, spanTime(at)));
  }
}

// A failure of the tool's own is known for sure; of another the error says what is known of the
// effect.
function outcomeOf(ending: object, failure: SpanFailure | undefined): string {
  if (failure === undefined) return "ok";
  return "error" in ending ? (failure.outcome ?? "unknown") : "tool-error";
}

const longestReason = 256;

/**
 * Why a layer decided so, in the words of the host's rules. What a person or a handler said of it
 * ends the same text: it is a text like that of a result.
 */
function reasonOf({ type, stage, code, reason }: CallDecision, settings: TelemetrySettings): string | undefined {
  if (reason === undefined) return undefined;
  const hasForeignWords = type === "refused" && stage === "approval" && saidByOthers.has(code);
  if (!hasForeignWords) return truncateText(reason, longestReason);
  if (!settings.captureResults) return undefined;
  return truncateText(captureText(reason, rulesOf(settings)), longestReason);
}

const saidByOthers: ReadonlySet<string | undefined> = new Set(["approval_denied", "approval_required"]);

function nameOf({ origin }: ToolCall, { names }: TelemetrySettings): string {
  const tool = truncateText(origin.toolName, longestName);
  if (names.has("af")) return `tool:${tool}`;
  return origin.serverId === "" ? `execute_tool ${tool}` : `tools/call ${tool}`;
}

function attributesOf(
  { origin, definition, server, effect: known, options, args }: ToolCall,
  settings: TelemetrySettings,
): Attributes {
  const { serverId, toolName } = origin;
  const { context: asked } = options;
  const tool = truncateText(toolName, longestName);
  const effect = known ?? definition.effect ?? "external";
  const isMcp = serverId !== "";
  return {
    [attribute.operation]: "execute_tool",
    [attribute.tool]: tool,
    ...(isMcp
      ? { [attribute.method]: "tools/call", [attribute.server]: truncateText(serverId, longestName) }
      : { [attribute.toolType]: "function" }),
    [attribute.localName]: truncateText(definition.name, longestName),
    [attribute.effect]: effect,
    ...(asked?.conversation !== undefined && {
      [attribute.conversation]: truncateText(asked.conversation, longestName),
    }),
    ...(asked?.correlationId !== undefined && {
      [attribute.correlation]: truncateText(asked.correlationId, longestName),
    }),
    ...(settings.capturePrincipal &&
      asked?.principal !== undefined && {
        [attribute.principal]: truncateText(asked.principal, 256),
      }),
    ...(settings.captureArguments && { [attribute.arguments]: captureJson(args, rulesOf(settings)) }),
    ...(settings.names.has("af") && {
      "tool.name": tool,
      "tool.origin": isMcp ? `mcp::${truncateText(serverId, longestName)}` : "local",
      "effect.level": effect,
      ...(isMcp && { "mcp.server": truncateText(serverId, longestName) }),
      ...(server?.version !== undefined && { "tool.version": truncateText(server.version, longestName) }),
      ...(asked?.role !== undefined && { "agent.id": truncateText(asked.role, longestName) }),
      ...(asked?.correlationId !== undefined && { "correlation.id": truncateText(asked.correlationId, longestName) }),
    }),
  };
}

function resultText({ content }: ToolOutcome, settings: TelemetrySettings): string {
  const texts = content.flatMap((block) =>
    block.type === "text" && typeof block["text"] === "string" ? [block["text"]] : [],
  );
  return captureText(texts.join("\n"), rulesOf(settings));
}

function rulesOf({ redact, maxCapturedLength }: TelemetrySettings): Parameters<typeof captureJson>[1] {
  return { redact, maxLength: maxCapturedLength };
}

interface NamedSpan extends Span {
  readonly name: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/**
 * The span of whoever runs the tool, where it is the active one: the API does not say what a span
 * is, but that of an SDK does.
 */
function openToolSpan(): Span | undefined {
  const span = trace.getActiveSpan();
  if (span === undefined || !isNamed(span)) return undefined;
  const isToolSpan = span.attributes?.[attribute.operation] === "execute_tool" || span.name.startsWith("execute_tool");
  return isToolSpan && span.isRecording() ? span : undefined;
}

function isNamed(span: Span): span is NamedSpan {
  return "name" in span && typeof span.name === "string";
}
