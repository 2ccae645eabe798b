import { cleanText } from "@hostside/core";
import { clock, type Redactor } from "@hostside/core/implement";
import type { TraceEvent } from "./trace.ts";

/** Collects what happens during a run, redacted and bounded. */
export interface TraceRecorder {
  record(event: Omit<TraceEvent, "atMs">): void;
  /** All events, oldest first. */
  slice(): readonly TraceEvent[];
}

// The newest are left out: the cause of a failure comes first.
const mostEvents = 20_000;
/** In UTF-16 units. */
const longestText = 2000;

/** Starts a recorder; its times count from now. */
export function createTraceRecorder(redact: Redactor = (text) => text): TraceRecorder {
  const startedAt = clock.now();
  const events: TraceEvent[] = [];
  return {
    record({ kind, session, text }) {
      if (events.length >= mostEvents) return;
      // Redaction comes first: cutting could leave half a secret that no longer matches.
      events.push({ atMs: clock.now() - startedAt, kind, session, text: cleanText(redact(text), longestText) });
    },
    slice: () => events.slice(),
  };
}
