import { createLogUpdate } from "log-update";
import type { Terminal } from "../terminal.ts";

/** Lines at the end of a terminal that are replaced as long as something is on its way. */
export interface LiveLines {
  /** Draws anew, now. */
  draw(): void;
  /** Takes them away, so that what is final can be written in their place. Idempotent. */
  end(): void;
}

/** The room of a frame. */
export interface Frame {
  /** The sign that turns, one for all lines. */
  readonly spinner: string;
  /** The most columns of a line and the most lines, so that nothing scrolls away. */
  readonly columns: number;
  readonly rows: number;
}

const spinners = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
const frameMs = 100;

/**
 * Shows what `render` says, ten times a second and at each `draw()`. Lines that are too wide or too
 * many are its own mistake, and are cut.
 */
export function showLiveLines({ stdout, columns }: Terminal, render: (frame: Frame) => readonly string[]): LiveLines {
  // The cursor stays: a program that is killed could not bring it back.
  const update = createLogUpdate(stdout, { showCursor: true, defaultWidth: columns });
  let turn = 0;
  let isOver = false;
  const draw = (): void => {
    if (isOver) return;
    // The last line belongs to the cursor, and the last column is where terminals disagree about
    // wrapping.
    const rows = Math.max(1, (stdout.rows || 24) - 1);
    const frame = { spinner: spinners[turn % spinners.length] ?? "", columns: (stdout.columns || columns) - 1, rows };
    const lines = render(frame);
    if (lines.length > 0) update(lines.slice(0, rows).join("\n"));
  };
  const timer = setInterval(() => {
    turn += 1;
    draw();
  }, frameMs);
  timer.unref();
  draw();
  return {
    draw,
    end() {
      if (isOver) return;
      isOver = true;
      clearInterval(timer);
      update.clear();
    },
  };
}
