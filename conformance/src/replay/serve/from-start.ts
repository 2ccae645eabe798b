import { readFileSync, writeFileSync } from "node:fs";
import type { Recording } from "../recording/recorded-event.ts";

/**
 * A recording without the first processes of a server: what a program plays that is started again.
 */
export function fromStart(recording: Recording, serverId: string, start: number): Recording {
  const starts = recording.events.filter((event) => event.type === "start" && event.server === serverId);
  // Where there are no more, the last one is played once more.
  const skipped = new Set(starts.slice(0, Math.min(start, starts.length) - 1).map(({ run }) => run));
  return { ...recording, events: recording.events.filter(({ run }) => !skipped.has(run)) };
}

/** Counts the starts of a program in a file, from 1. */
export function countStart(file: string): number {
  let before = 0;
  try {
    before = Number.parseInt(readFileSync(file, "utf8"), 10) || 0;
  } catch (error) {
    // The first time there is none.
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  writeFileSync(file, `${before + 1}\n`);
  return before + 1;
}
