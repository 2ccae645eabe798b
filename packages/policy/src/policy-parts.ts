import type { Lock, Notices, Store, ToolCall } from "@hostside/core";
import type { PolicyEvent } from "./policy-event.ts";
import type { EffectOf, IsNew } from "./rules/tool-subject.ts";

/** What the stages of one policy share. */
export interface PolicyParts {
  /** What is kept for longer than a call. */
  readonly store: Store;
  readonly lock: Lock;
  /**
   * By which replicas hear of one another. Absent: there is one, or they read again when they are
   * asked to.
   */
  readonly notices?: Notices | undefined;
  /**
   * What a call of a tool does, for every stage alike: hand the parts to `toolSubject()`. Absent:
   * what its definition says.
   */
  readonly effectOf?: EffectOf | undefined;
  /** Absent: no selector asks for new tools. */
  readonly isNew?: IsNew | undefined;
  /** `call`: the one that it is about, whose own observer hears of it, too. */
  emit(event: PolicyEvent, call?: Pick<ToolCall, "options">): void;
}

/** What a stage needs that keeps nothing and leaves nothing to chance. */
export type StageParts = Pick<PolicyParts, "emit" | "effectOf" | "isNew">;
