import type { JsonObject, ServerObserver, ServerOperation } from "@hostside/core";
import { askForMeta, tell, type EventSource } from "@hostside/core/implement";

/**
 * Tells those who listen that something begins, and joins those who want to hear more of it. Makes
 * nothing where nobody listens.
 */
export function announceOperation(
  event: EventSource<ServerOperation>,
  operation: Omit<ServerOperation, "observe">,
): ServerObserver | undefined {
  if (!event.hasListeners) return undefined;
  const observers: ServerObserver[] = [];
  let isOver = false;
  event.emit({
    ...operation,
    observe(observer) {
      if (typeof observer !== "object" || observer === null) throw new TypeError("what observes must be an object");
      if (!isOver) observers.push(observer);
    },
  });
  isOver = true;
  if (observers.length < 2) return observers[0];
  return {
    meta: () => observers.reduceRight<JsonObject>((joined, each) => ({ ...joined, ...askForMeta(each) }), {}),
    onRecord(record) {
      for (const { onRecord } of observers) tell(onRecord, record);
    },
  };
}
