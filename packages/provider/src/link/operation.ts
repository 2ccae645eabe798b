import type { Clock, JsonObject, ServerObserver, ServerOperation, ServerRecord, ServerSpec } from "@hostside/core";
import { askForMeta, dateOf, tell } from "@hostside/core/implement";
import { recorder, type OperationRecorder } from "./recorder.ts";

/**
 * Announces something that begins; `undefined`: nobody listens, or nobody wants to hear more of it.
 */
export type AnnounceOperation = (operation: Omit<ServerOperation, "observe">) => ServerObserver | undefined;

/** What operations need. */
export interface OperationInit {
  readonly spec: ServerSpec;
  readonly clock: Clock;
  readonly onRecord: (record: ServerRecord) => void;
  readonly announce: AnnounceOperation | undefined;
}

/** Something that is being done with a server. */
export interface Operation {
  /** Announces it, once. To be called in the turn of whoever caused it. */
  readonly announce: () => void;
  /** What goes along with a request of it. Announces it. */
  readonly meta: () => JsonObject | undefined;
  /** It is over. */
  readonly end: (peer: Parameters<OperationRecorder>[1], end: Parameters<OperationRecorder>[2]) => void;
}

/** Begins one, whose time runs from now on. */
export function beginOperation(operation: ServerOperation["operation"], init: OperationInit): Operation {
  const { spec, clock, announce } = init;
  const startedAt = dateOf(clock);
  let observer: ServerObserver | undefined;
  let isAnnounced = false;
  const announceOnce = (): void => {
    if (isAnnounced) return;
    isAnnounced = true;
    observer = announce?.({ serverId: spec.id, operation, startedAt });
  };
  const record = recorder({
    spec,
    clock,
    onRecord(made) {
      announceOnce();
      tell(observer?.onRecord, made);
      init.onRecord(made);
    },
  });
  return {
    announce: announceOnce,
    meta() {
      announceOnce();
      return observer && askForMeta(observer);
    },
    end: (peer, end) => record(operation, peer, end),
  };
}
