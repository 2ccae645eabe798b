import { layerError, type Handler, type CallStep, type Work, type WorkKind } from "./call-execution.ts";
import { isHostsideError, type HostsideError } from "./hostside-error.ts";

/** One layer around some work: it may change it, answer it, refuse it, or look at the answer. */
export type Layer<Of extends Work, Answer> = (work: Of, next: Handler<Of, Answer>) => Promise<Answer>;

/**
 * Puts layers one into the other, the first one outermost; in the middle is the handler of the call
 * execution.
 */
export function foldLayers<Of extends Work, Answer>(
  layers: readonly Layer<Of, Answer>[],
  kind: WorkKind<Of, Answer>,
): CallStep<Of, Answer> {
  const innermost: CallStep<Of, Answer> = (work, execution) => execution.handle(work);
  return layers.reduceRight<CallStep<Of, Answer>>(
    (inner, layer, index) => wayThrough({ layer, inner, name: nameOf(layer, index), kind }),
    innermost,
  );
}

interface LayerParts<Of extends Work, Answer> {
  readonly layer: Layer<Of, Answer>;
  readonly inner: CallStep<Of, Answer>;
  readonly name: string;
  readonly kind: WorkKind<Of, Answer>;
}

function wayThrough<Of extends Work, Answer>({
  layer,
  inner,
  name,
  kind,
}: LayerParts<Of, Answer>): CallStep<Of, Answer> {
  return async (work, execution) => {
    let pending = false;
    let left = false;
    const fault = (what: string, cause?: unknown): HostsideError =>
      layerError(work, kind, { problem: `${name} ${what}`, outcome: execution.effect, cause });
    const goOn = async (changed: Of): Promise<Answer> => {
      if (execution.ended !== undefined) throw execution.ended;
      if (left) throw fault("called next() after it had answered");
      if (pending) throw fault("called next() again before it had settled");
      const problem = kind.findChange(work, changed);
      if (problem !== undefined) throw fault(`gave next() ${problem}`);
      if (changed.options !== work.options) assertOptions(changed.options, { kind, fault });
      pending = true;
      try {
        return await inner(changed, execution);
      } finally {
        pending = false;
        execution.at = name;
      }
    };
    const next: Handler<Of, Answer> = (changed) => {
      const answer = goOn(changed);
      // A layer that answers without waiting for what it started must not end the process with
      // that.
      answer.catch(() => {});
      return answer;
    };
    const { handled } = execution;
    execution.at = name;
    try {
      const answer: unknown = await layer(work, next);
      if (!kind.isAnswer(answer)) throw fault("answered nothing; it returns what next() does, or an outcome");
      return kind.sign(answer, work);
    } catch (reason) {
      if (isHostsideError(reason)) throw execution.claim(reason, handled);
      throw fault("threw something of its own", reason);
    } finally {
      left = true;
    }
  };
}

interface OptionsCheck<Of extends Work, Answer> {
  readonly kind: WorkKind<Of, Answer>;
  readonly fault: (what: string, cause: unknown) => HostsideError;
}

function assertOptions<Of extends Work, Answer>(
  options: Of["options"],
  { kind, fault }: OptionsCheck<Of, Answer>,
): void {
  try {
    kind.assertOptions(options);
  } catch (reason) {
    const which = reason instanceof TypeError ? `: ${reason.message}` : "";
    throw fault(`gave next() options that no call may have${which}`, reason);
  }
}

function nameOf({ name }: { readonly name: string }, index: number): string {
  return name === "" ? `interceptor ${index + 1}` : `interceptor ${index + 1} (${name})`;
}
