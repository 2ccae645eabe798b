import { createCallPassage, type CallPassage } from "./call-passage.ts";
import { systemClock, type Clock } from "./clock.ts";
import type { BoundedCallHandler, CallHandler, Interceptor, ToolCall } from "./interceptor.ts";
import { layersAround } from "./interceptor-layer.ts";
import { defaultTimeouts } from "./limits.ts";
import type { ToolportError } from "./toolport-error.ts";

/** The way of all calls of one provider or toolbox: its interceptors, and the handler behind them. */
export interface CallPipeline {
  /** The handler itself when there is no interceptor: then a call costs nothing here. */
  readonly call: CallHandler;
  /**
   * Ends the calls that are with an interceptor; each rejects with `error` at once. Those that are with the handler are the handler's to
   * end, unless `all` is true.
   */
  end(error: ToolportError, all?: boolean): void;
}

/** What a pipeline is made from. */
export interface CallPipelineInit {
  /** The first one is the outermost. */
  readonly interceptors: readonly Interceptor[];
  readonly handler: BoundedCallHandler;
  /** How long a call may take in all, in milliseconds. Default: its own `timeoutMs`, else `callMs` of the default timeouts. */
  readonly timeoutMsOf?: (call: ToolCall) => number;
  /** Default: the real time. */
  readonly clock?: Clock;
}

/** Folds interceptors around a handler, once, and bounds every call that goes through them. */
export function createCallPipeline(init: CallPipelineInit): CallPipeline {
  const { interceptors, handler, clock = systemClock } = init;
  const { timeoutMsOf = ({ options }: ToolCall) => options.timeoutMs ?? defaultTimeouts.callMs } = init;
  if (interceptors.length === 0) return { call: handler, end: () => {} };
  const passages = new Set<CallPassage>();
  const enter = layersAround(interceptors, handler);

  return {
    async call(call) {
      const passage = createCallPassage(call, { timeoutMs: timeoutMsOf(call), clock });
      passages.add(passage);
      try {
        return await passage.run(enter);
      } finally {
        passages.delete(passage);
      }
    },
    end(error, all = false) {
      for (const passage of Array.from(passages)) if (all || !passage.isHandling) passage.end(error);
    },
  };
}
