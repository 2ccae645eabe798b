import { clock } from "@hostside/core/implement";
import type { ToolChange } from "../policy-event.ts";
import type { PolicyParts } from "../policy-parts.ts";
import { summarizeChanges } from "./diff-locks.ts";
import type { PinKind } from "./judge-pin.ts";

/** One tool that is held back, for a report. */
export interface HeldPin {
  readonly toolName: string;
  readonly kind: PinKind;
  readonly fingerprint: string | undefined;
  /** Lists what changed, when the report is made. */
  readonly changes: () => readonly ToolChange[] | undefined;
}

/**
 * Tells of tools that are held back: of one server and turn in one event, and of each tool once.
 */
export interface PinReports {
  held(serverId: string, pin: HeldPin): void;
  /** Notes that a tool is not held back now: when it is again, that is news. */
  passed(serverId: string, toolName: string): void;
  /** Resolves when everything has been told. */
  settle(): Promise<void>;
}

/** The parts of reports. */
export interface PinReportsInit {
  readonly parts: Pick<PolicyParts, "emit">;
  /**
   * Called once before a report with tools that changed, so that `changes` has what it needs. Never
   * rejects.
   */
  readonly prepare: (serverId: string) => Promise<void>;
}

// A server that lists ever new tools must not fill the memory.
const mostRemembered = 10_000;

/** Makes them. */
export function createPinReports({ parts, prepare }: PinReportsInit): PinReports {
  /** By server, of each tool in what way it was held back when that was told. */
  const known = new Map<string, Map<string, string>>();
  const waiting = new Map<string, Map<string, HeldPin>>();
  let telling: Promise<void> = Promise.resolve();

  const tell = async (serverId: string, pins: readonly HeldPin[]): Promise<void> => {
    const drifted = pins.filter(isDrifted);
    if (drifted.length > 0) await prepare(serverId);
    // What the server says of itself is a change of each of them.
    const all = drifted
      .flatMap((pin) => pin.changes() ?? [])
      .map((change) => [JSON.stringify(change), change] as const);
    const changes = Array.from(new Map(all).values());
    const changed = changes.length === 0 ? "" : ` (${summarizeChanges(changes)})`;
    parts.emit({
      type: drifted.length > 0 ? "tools-drifted" : "tools-held",
      at: clock.date(),
      serverId,
      tools: pins.map(({ toolName }) => toolName).sort(),
      reason: `${pins.length === 1 ? "1 tool is" : `${pins.length} tools are`} held back until approved${changed}`,
      ...(changes.length > 0 && { changes: changes.slice(0, 500) }),
    });
  };
  const flush = async (before: Promise<void>): Promise<void> => {
    // The rest of the listing is judged in this turn.
    await Promise.resolve();
    const batch = Array.from(waiting, ([serverId, pins]) => [serverId, Array.from(pins.values())] as const);
    waiting.clear();
    await Promise.allSettled([before, ...batch.map(([serverId, pins]) => tell(serverId, pins))]);
  };
  return {
    held(serverId, pin) {
      const reported = entryOf(known, serverId);
      const way = `${pin.kind} ${pin.fingerprint}`;
      if (reported.get(pin.toolName) === way) return;
      if (reported.size >= mostRemembered) reported.clear();
      reported.set(pin.toolName, way);
      if (waiting.size === 0) telling = flush(telling);
      entryOf(waiting, serverId).set(pin.toolName, pin);
    },
    passed: (serverId, toolName) => void known.get(serverId)?.delete(toolName),
    settle: () => telling,
  };
}

function entryOf<T>(all: Map<string, Map<string, T>>, key: string): Map<string, T> {
  const entry = all.get(key) ?? new Map<string, T>();
  all.set(key, entry);
  return entry;
}

function isDrifted({ kind }: HeldPin): boolean {
  return kind === "drifted" || kind === "other-words";
}
