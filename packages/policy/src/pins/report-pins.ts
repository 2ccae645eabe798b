import { clock } from "@hostside/core/implement";
import type { PolicyParts } from "../policy-parts.ts";
import { summarizeChanges, type ToolChange } from "./diff-locks.ts";
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
    parts.emit({
      type: drifted.length > 0 ? "tools-drifted" : "tools-held",
      at: clock.date(),
      serverId,
      tools: pins.map(({ toolName }) => toolName).sort(),
      reason: describePins(pins, changes),
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

const ofOthers = "of a server that says other things of itself";
const clauses: readonly (readonly [kind: PinKind, one: string, many: string])[] = [
  ["drifted", "is not the one that it was", "are not the ones that they were"],
  ["new", "is not known", "are not known"],
  ["unpinned", "was never approved", "were never approved"],
  ["unfingerprinted", "has no fingerprint", "have no fingerprint"],
  ["other-words", `is ${ofOthers}`, `are ${ofOthers}`],
  ["other-version", "is of another version of the server", "are of another version of the server"],
];

function describePins(pins: readonly HeldPin[], changes: readonly ToolChange[]): string {
  const counted = summarizeChanges(changes);
  const said = clauses.flatMap(([kind, one, many]) => {
    const found = pins.filter((pin) => pin.kind === kind);
    const [first] = found;
    if (first === undefined) return [];
    const detail = isDrifted(first) && counted !== "" ? ` (${counted})` : "";
    return [`${found.length} ${found.length === 1 ? `tool ${one}` : `tools ${many}`}${detail}`];
  });
  return `${said.join(", ")}; held back until approved`;
}
