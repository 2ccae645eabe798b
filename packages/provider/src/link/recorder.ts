import type { Clock, ServerPeer, ServerRecord, ServerSpec, HostsideError } from "@hostside/core";
import { dateOf } from "@hostside/core/implement";

/** What a recorder is made from. */
export interface RecorderInit {
  readonly spec: ServerSpec;
  readonly clock: Clock;
  readonly onRecord: (record: ServerRecord) => void;
}

/** Says what became of something, whose time runs from now on. */
export type OperationRecorder = (
  operation: ServerRecord["operation"],
  peer: ServerPeer,
  end: HostsideError | { readonly toolCount: number } | undefined,
) => void;

/** Starts the time of something that is done with a server. */
export function recorder({ spec, clock, onRecord }: RecorderInit): OperationRecorder {
  const from = clock.now();
  return (operation, peer, end) => {
    const durationMs = clock.now() - from;
    const startedAt = Math.round(dateOf(clock) - durationMs);
    const record = { serverId: spec.id, operation, startedAt, durationMs, peer };
    if (end === undefined) onRecord(record);
    else onRecord("toolCount" in end ? { ...record, toolCount: end.toolCount } : { ...record, error: end });
  };
}
