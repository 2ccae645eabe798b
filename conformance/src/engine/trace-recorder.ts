import { cleanText } from "@hostside/core";
import { clock, type Redactor } from "@hostside/core/implement";
import type { TraceEvent } from "./trace.ts";

/** Collects what happens during a run, redacted and bounded. */
export interface TraceRecorder {
  record(event: Omit<TraceEvent, "atMs">): void;
  /** The events of one session, or all; oldest first. */
  slice(session?: string): readonly TraceEvent[];
  /** How many events were left out because of the bound. */
  readonly dropped: number;
}

/** Options of {@linkcode createTraceRecorder}. */
export interface TraceRecorderOptions {
  readonly redact?: Redactor;
  /**
   * Most events kept; the newest are dropped, because a failure's cause comes first. Default
   * 20,000.
   */
  readonly maxEvents?: number;
  /** Longest text of one event, in UTF-16 units. Default 2,000. */
  readonly maxTextLength?: number;
}

/** Starts a recorder; its times count from now. */
export function createTraceRecorder(options: TraceRecorderOptions = {}): TraceRecorder {
  const { redact = (text) => text, maxEvents = 20_000, maxTextLength = 2000 } = options;
  const startedAt = clock.now();
  const events: TraceEvent[] = [];
  let dropped = 0;
  return {
    record({ kind, session, text }) {
      if (events.length >= maxEvents) {
        dropped += 1;
        return;
      }
      // Redaction comes first: cutting could leave half a secret that no longer matches.
      events.push({ atMs: clock.now() - startedAt, kind, session, text: cleanText(redact(text), maxTextLength) });
    },
    slice: (session) => events.filter((event) => session === undefined || event.session === session),
    get dropped() {
      return dropped;
    },
  };
}
