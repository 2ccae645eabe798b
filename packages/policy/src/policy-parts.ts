import type { Lock, Notices, Store, ToolCall } from "@hostside/core";
import type { PolicyEvent } from "./policy-event.ts";
import type { EffectOf, IsNew } from "./rules/tool-subject.ts";

/** The parts that the stages of one policy share. */
export interface PolicyParts {
  /** Keeps data for longer than a call. */
  readonly store: Store;
  readonly lock: Lock;
  /**
   * By which replicas hear of one another. Absent: there is one, or they read again when they are
   * asked to.
   */
  readonly notices?: Notices | undefined;
  /**
   * The effect of a call, for every stage alike: hand the parts to `toolSubject()`. Absent:
   * what its definition says.
   */
  readonly effectOf?: EffectOf | undefined;
  /** Absent: no selector asks for new tools. */
  readonly isNew?: IsNew | undefined;
  /** `call`: the one that it is about, whose own observer hears of it, too. */
  emit(event: PolicyEvent, call?: Pick<ToolCall, "options">): void;
}

/** The parts of a stage that keeps nothing. */
export type StageParts = Pick<PolicyParts, "emit" | "effectOf" | "isNew">;
