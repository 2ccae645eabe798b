import { context, SpanKind, type Attributes } from "@opentelemetry/api";
import {
  type CallObserver,
  type Interceptor,
  type ToolCall,
  type ToolOutcome,
  truncateText,
  type CallAttempt,
  type CallDecision,
  type CallRecord,
} from "@hostside/core";
import { clock, joinObservers } from "@hostside/core/implement";
import { measureCall, measureDecision, measureRecord, type MetricParts } from "./metrics/call-metrics.ts";
import { spanFailureOf, toolFailure, endSpan, failureAttributes, type SpanFailure } from "./spans/failure.ts";
import { type Tracing, spanTime } from "./spans/tracing.ts";
import type { TelemetrySettings } from "./telemetry-options.ts";
import { captureJson, captureText, longestCapture, type CaptureRules } from "./capture.ts";
import { attribute, withoutAbsent } from "./names.ts";
import { observeEnd, quietly, type Ending } from "./quietly.ts";
import { peerAttributes } from "./spans/peer-attributes.ts";

/** The span of one call. */
type CallSpan = NonNullable<ReturnType<typeof startCallSpan>>;

const longestName = 128;
// Of one call, so that a layer that decides for ever does not fill the memory.
const mostEvents = 64;

/** Starts the span of a call. `undefined`: nothing makes spans. */
function startCallSpan(call: ToolCall, tracing: Tracing, settings: TelemetrySettings) {
  const kind = call.origin.serverId === "" ? SpanKind.INTERNAL : SpanKind.CLIENT;
  const span = tracing.start(nameOf(call, settings), { kind, attributes: attributesOf(call, settings) });
  if (span === undefined) return undefined;
  let events = 0;
  let sends = 0;
  let onlySend: CallAttempt | undefined;
  // A layer may try a call again: each try has a record.
  const waits = { queueMs: 0, connectMs: 0, listMs: 0, turnMs: 0 };
  const secondsOf = (ms: number): number | undefined => (ms > 0 ? ms / 1000 : undefined);
  const addEvent = (name: string, at: number, attributes: Attributes): void => {
    events += 1;
    if (events <= mostEvents) quietly(() => span.addEvent(name, withoutAbsent(attributes), spanTime(at)));
  };
  return {
    /** In which the call is to run. */
    context: tracing.contextOf(span),
    decided(decided: CallDecision): void {
      const { type, at, stage, decision, code } = decided;
      quietly(() =>
        addEvent("hostside.decision", at, {
          [attribute.decision]: decision === undefined ? type : `${type}: ${decision}`,
          [attribute.stage]: stage,
          [attribute.errorType]: code,
          [attribute.reason]: reasonOf(decided, settings),
        }),
      );
    },
    recorded(record: CallRecord): void {
      const { attempts } = record;
      sends += attempts.length;
      for (const part of ["queueMs", "connectMs", "listMs", "turnMs"] as const) waits[part] += record[part];
      const { peer, requestId, sentBytes, receivedBytes } = attempts.at(-1) ?? {};
      quietly(() =>
        span.setAttributes({
          [attribute.sends]: sends,
          [attribute.wait]: waits.queueMs / 1000,
          [attribute.connectWait]: secondsOf(waits.connectMs),
          [attribute.listWait]: secondsOf(waits.listMs),
          [attribute.turnWait]: secondsOf(waits.turnMs),
          ...peerAttributes(peer),
          [attribute.session]: peer?.session,
          [attribute.requestId]: requestId === undefined ? undefined : String(requestId),
          [attribute.sentBytes]: sentBytes,
          [attribute.receivedBytes]: receivedBytes,
        }),
      );
      // A call that was sent once is the span itself.
      if (sends === 1) {
        onlySend ??= attempts[0];
        return;
      }
      for (const attempt of [...(onlySend === undefined ? [] : [onlySend]), ...attempts]) {
        addEvent("hostside.send", attempt.startedAt, {
          "hostside.duration": attempt.durationMs / 1000,
          [attribute.session]: attempt.peer.session,
          ...failureAttributes(attempt.error === undefined ? undefined : spanFailureOf(attempt.error)),
        });
      }
      onlySend = undefined;
    },
    /** Ends it, with what came back or was thrown. */
    end(ending: Ending<ToolOutcome>, failure: SpanFailure | undefined): void {
      quietly(() => {
        span.setAttribute(attribute.outcome, outcomeOf(ending, failure));
        if ("outcome" in ending && settings.captureResults) {
          span.setAttribute(attribute.result, resultText(ending.outcome, settings));
        }
      });
      endSpan(span, failure);
    },
  };
}

// A failure of the tool's own is known for sure; of another the error says what is known of the
// effect.
function outcomeOf(ending: object, failure: SpanFailure | undefined): string {
  if (failure === undefined) return "ok";
  return "error" in ending ? (failure.outcome ?? "unknown") : "tool-error";
}

const longestReason = 256;

/**
 * Why a layer decided so, in the words of the host's rules. The words of a person or a handler end
 * the same text. Such a text is treated like that of a result.
 */
function reasonOf({ type, stage, code, reason }: CallDecision, settings: TelemetrySettings): string | undefined {
  if (reason === undefined) return undefined;
  const hasForeignWords = type === "refused" && stage === "approval" && saidByOthers.has(code);
  if (!hasForeignWords) return truncateText(reason, longestReason);
  if (!settings.captureResults) return undefined;
  return truncateText(captureText(reason, rulesOf(settings)), longestReason);
}

const saidByOthers: ReadonlySet<string | undefined> = new Set(["approval_denied", "approval_required"]);

function nameOf({ origin }: ToolCall, { toolMetrics }: TelemetrySettings): string {
  const tool = cut(origin.toolName);
  if (toolMetrics) return `tool:${tool}`;
  return origin.serverId === "" ? `execute_tool ${tool}` : `tools/call ${tool}`;
}

function attributesOf(
  { origin, definition, server, effect = definition.effect ?? "external", options, args }: ToolCall,
  settings: TelemetrySettings,
): Attributes {
  const { conversation, correlationId, principal, role } = options.context ?? {};
  const isMcp = origin.serverId !== "";
  const [tool, serverId] = [cut(origin.toolName), isMcp ? cut(origin.serverId) : undefined];
  return {
    [attribute.operation]: "execute_tool",
    [attribute.tool]: tool,
    [attribute.method]: isMcp ? "tools/call" : undefined,
    [attribute.server]: serverId,
    [attribute.toolType]: isMcp ? undefined : "function",
    [attribute.localName]: cut(definition.name),
    [attribute.effect]: effect,
    [attribute.conversation]: cut(conversation),
    [attribute.correlation]: cut(correlationId),
    [attribute.principal]: settings.capturePrincipal ? cut(principal, 256) : undefined,
    [attribute.arguments]: settings.captureArguments ? captureJson(args, rulesOf(settings)) : undefined,
    ...(settings.toolMetrics && {
      "tool.name": tool,
      "tool.origin": isMcp ? `mcp::${serverId}` : "local",
      "effect.level": effect,
      "mcp.server": serverId,
      "tool.version": cut(server?.version),
      "agent.id": cut(role),
      "correlation.id": cut(correlationId),
    }),
  };
}

function cut<Text extends string | undefined>(text: Text, longest = longestName): Text {
  return (text && truncateText(text, longest)) as Text;
}

function resultText({ content }: ToolOutcome, settings: TelemetrySettings): string {
  const texts = content.flatMap((block) =>
    block.type === "text" && typeof block["text"] === "string" ? [block["text"]] : [],
  );
  return captureText(texts.join("\n"), rulesOf(settings));
}

function rulesOf({ redact }: TelemetrySettings): CaptureRules {
  return { redact, maxLength: longestCapture };
}

/** Parts that observe calls. */
export interface TraceParts extends MetricParts {
  readonly tracing: Tracing;
  readonly settings: TelemetrySettings;
}

/**
 * The layer around each call. Without an SDK it lets the call pass as it is.
 */
export function traceCalls(parts: TraceParts): Interceptor {
  const { tracing, settings, metrics } = parts;
  return (call, next) => {
    if (!tracing.isOn && !metrics.isOn()) return next(call);
    const startedAt = clock.now();
    const span = startCallSpan(call, tracing, settings);
    const observer = joinObservers(observerOf(call, span, parts), call.options.observer);
    const handed = { ...call, options: { ...call.options, observer } };
    const work = (): Promise<ToolOutcome> =>
      span === undefined ? next(handed) : context.with(span.context, next, undefined, handed);
    return observeEnd(work, (ending) => {
      const failure =
        "error" in ending ? spanFailureOf(ending.error) : ending.outcome.isError ? toolFailure : undefined;
      span?.end(ending, failure);
      measureCall(call, { durationMs: clock.now() - startedAt, failure }, parts);
    });
  };
}

function observerOf(call: ToolCall, span: CallSpan | undefined, parts: TraceParts): CallObserver {
  return {
    meta: () => parts.tracing.carry(span?.context ?? context.active()),
    onDecision(decision) {
      span?.decided(decision);
      measureDecision(call, decision, parts);
    },
    onRecord(record) {
      span?.recorded(record);
      measureRecord(record, parts);
    },
  };
}
