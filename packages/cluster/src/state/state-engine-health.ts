import type { Clock, HostsideError } from "@hostside/core";
import { formatMs, type EventSource } from "@hostside/core/implement";
import type { StateDiagnostic } from "./shared-state.ts";

/** Whether an engine can be used, by what was seen of it. */
export interface StateEngineHealth {
  /** Milliseconds until anybody may ask it again; 0: now, and whoever asks tries it for all. */
  waitMs(): number;
  worked(part: EnginePart): void;
  /** `at-once`: one failure is enough to leave it alone for a while. */
  failed(part: EnginePart, error: HostsideError, when: "at-once" | "when-again"): void;
}

/** What of an engine works or does not: answers to requests, or the arrival of notices. */
export type EnginePart = "requests" | "notices";

/** What a watch is made from. */
export interface StateEngineHealthInit {
  readonly engine: string;
  readonly clock: Clock;
  readonly diagnostics: EventSource<StateDiagnostic>;
}

/**
 * An engine that is down is tried by one request in so many milliseconds, so that the others need
 * not wait for their deadline each.
 */
const probeEveryMs = 1000;

/** See {@linkcode StateEngineHealth}. */
export function createStateEngineHealth({ engine, clock, diagnostics }: StateEngineHealthInit): StateEngineHealth {
  const down = new Set<EnginePart>();
  let downSince = 0;
  let failures = 0;
  let nextProbeAt = 0;
  return {
    waitMs() {
      if (!down.has("requests")) return 0;
      const leftMs = nextProbeAt - clock.now();
      if (leftMs > 0) return leftMs;
      nextProbeAt = clock.now() + probeEveryMs;
      return 0;
    },
    worked(part) {
      if (part === "requests") failures = 0;
      if (!down.delete(part) || down.size > 0) return;
      const message = `${engine} can be used again, after ${formatMs(clock.now() - downSince)}`;
      diagnostics.emit({ kind: "engine-back", message });
    },
    failed(part, error, when) {
      if (part === "requests") {
        failures += 1;
        nextProbeAt = clock.now() + probeEveryMs;
        if (when === "when-again" && failures < 2) return;
      }
      const isNews = down.size === 0;
      down.add(part);
      if (!isNews) return;
      downSince = clock.now();
      const what = part === "requests" ? "cannot be used" : "sends no notices";
      diagnostics.emit({ kind: "engine-down", message: `${engine} ${what}: ${error.rawMessage}`, error });
    },
  };
}
