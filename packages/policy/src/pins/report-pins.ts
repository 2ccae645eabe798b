import { dateOf } from "@hostside/core/implement";
import type { PinEvent } from "../policy-event.ts";
import type { PolicyParts } from "../policy-parts.ts";
import { summarizeChanges } from "./compare-entries.ts";
import type { PinKind } from "./judge-pin.ts";
import type { ToolChange } from "./tool-change.ts";
import { createBackgroundWork } from "./background-work.ts";

/** One tool that is held back, for a report. */
export interface HeldPin {
  readonly toolName: string;
  readonly kind: PinKind;
  readonly fingerprint: string | undefined;
  /** What changed; asked for when the report is made. */
  readonly changes: () => readonly ToolChange[];
}

/**
 * Tells of tools that are held back: of one server and turn in one event, and of each tool once.
 */
export interface PinReports {
  held(serverId: string, pin: HeldPin): void;
  /** It is not held back now: when it is again, that is news. */
  passed(serverId: string, toolName: string): void;
  /** Resolves when everything has been told. */
  readonly settle: () => Promise<void>;
}

/** What reports are made from. */
export interface PinReportsInit {
  readonly parts: Pick<PolicyParts, "clock" | "emit">;
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
  let flushing: Promise<void> | undefined;

  const tell = async (serverId: string, pins: readonly HeldPin[]): Promise<void> => {
    const drifted = pins.filter(({ kind }) => kind === "drifted" || kind === "other-words");
    const hasDrifted = drifted.length > 0;
    if (hasDrifted) await prepare(serverId);
    // What the server says of itself is a change of each of them.
    const all = drifted.flatMap((pin) => pin.changes()).map((change) => [JSON.stringify(change), change] as const);
    const changes = Array.from(new Map(all).values());
    const event: PinEvent = {
      type: hasDrifted ? "tools-drifted" : "tools-held",
      at: dateOf(parts.clock),
      serverId,
      tools: pins.map(({ toolName }) => toolName).sort(),
      reason: describePins(pins, changes),
      ...(changes.length > 0 && { changes: changes.slice(0, 500) }),
    };
    parts.emit(event);
  };
  const flush = async (): Promise<void> => {
    // The rest of the listing is judged in this turn.
    await Promise.resolve();
    flushing = undefined;
    const batch = Array.from(waiting, ([serverId, pins]) => [serverId, Array.from(pins.values())] as const);
    waiting.clear();
    await Promise.all(batch.map(([serverId, pins]) => tell(serverId, pins)));
  };
  const underWay = createBackgroundWork();
  return {
    held(serverId, pin) {
      const reported = entryOf(known, serverId);
      const way = `${pin.kind} ${pin.fingerprint}`;
      if (reported.get(pin.toolName) === way) return;
      if (reported.size >= mostRemembered) reported.clear();
      reported.set(pin.toolName, way);
      entryOf(waiting, serverId).set(pin.toolName, pin);
      if (flushing !== undefined) return;
      flushing = underWay.add(flush());
    },
    passed(serverId, toolName) {
      known.get(serverId)?.delete(toolName);
    },
    settle: underWay.settle,
  };
}

function entryOf<T>(all: Map<string, Map<string, T>>, key: string): Map<string, T> {
  const entry = all.get(key) ?? new Map<string, T>();
  all.set(key, entry);
  return entry;
}

const clauses: readonly (readonly [kind: PinKind, one: string, many: string])[] = [
  ["drifted", "is not the one that it was", "are not the ones that they were"],
  ["new", "is not known", "are not known"],
  ["unpinned", "was never approved", "were never approved"],
  ["unfingerprinted", "has no fingerprint", "have no fingerprint"],
  [
    "other-words",
    "is of a server that says other things of itself",
    "are of a server that says other things of itself",
  ],
  ["other-version", "is of another version of the server", "are of another version of the server"],
];

function describePins(pins: readonly HeldPin[], changes: readonly ToolChange[]): string {
  const counted = summarizeChanges(changes);
  const said = clauses.flatMap(([kind, one, many]) => {
    const count = pins.filter((pin) => pin.kind === kind).length;
    if (count === 0) return [];
    const detail = (kind === "drifted" || kind === "other-words") && counted !== "" ? ` (${counted})` : "";
    return [`${count} ${count === 1 ? `tool ${one}` : `tools ${many}`}${detail}`];
  });
  return `${said.join(", ")}; held back until approved`;
}
