import { clock } from "@hostside/core/implement";
import type { Cancel } from "@hostside/core";
import type { ChildProcess } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { createLineCutter, type LineCutter } from "../../engine/line-cutter.ts";
import { readRecordedMessage, type RecordedSide } from "./recorded-side.ts";

// Less than a host waits for the exit of a process whose stdout is closed.
const exitGraceMs = 150;
const longestErrorLine = 64 * 1024;

/** What {@linkcode recordProcess} needs. */
export interface ProcessRecording {
  readonly side: RecordedSide;
  /** Is handed what has to be called when the recording ends before the process. */
  readonly onOpen: (finish: Cancel) => void;
}

/**
 * Writes down what a process that starts is sent and what it writes, as its host sends and reads
 * it: the streams stay as they are, and nothing is read that the host does not read.
 */
export function recordProcess(child: ChildProcess, { side, onOpen }: ProcessRecording): void {
  const { tape, serverId } = side;
  const run = tape.nextRun();
  tape.add({ type: "start", server: serverId, run });
  const input = createLineCutter(({ bytes }) => {
    const message = readRecordedMessage(bytes.toString("utf8"));
    if (message !== undefined) tape.add({ type: "sent", run, message: side.outgoing(message) });
  });
  const output = createLineCutter(({ bytes, isOpen, isRest }) => {
    const message = isRest ? undefined : readRecordedMessage(bytes.toString("utf8"));
    const open = isOpen && { isOpen };
    if (message !== undefined) tape.add({ type: "received", run, message: side.incoming(message), ...open });
    else tape.add({ type: "stdout", run, ...side.raw(bytes, isRest), ...open });
  });
  const errors = createLineCutter(
    ({ bytes, isOpen, isRest }) =>
      tape.add({ type: "stderr", run, ...side.raw(bytes, isRest), ...(isOpen && { isOpen }) }),
    longestErrorLine,
  );
  let cancelGrace: Cancel | undefined;
  let isOver = false;
  const finish = (): void => {
    cancelGrace?.();
    output.flush();
    errors.flush();
  };
  child.once("error", (error: Error) => {
    if (child.pid !== undefined || isOver) return;
    isOver = true;
    tape.add({ type: "start-failed", run, code: systemErrorCodeOf(error) });
  });
  child.once("exit", (code, signal) => {
    isOver = true;
    finish();
    tape.add({ type: "exit", run, code, signal });
  });
  const onOutputEnd = (): void => {
    output.flush();
    // A process that ends loses its pipes a moment before.
    if (!isOver) cancelGrace ??= clock.schedule(exitGraceMs, () => tape.add({ type: "stdout-end", run }));
  };
  if (child.stdin !== null) watchInput(child.stdin, input, () => tape.add({ type: "stdin-end", run }));
  child.stdin?.once("error", (error: Error) => {
    if (!isOver) tape.add({ type: "stdin-closed", run, code: systemErrorCodeOf(error) });
  });
  if (child.stdout !== null) watchOutput(child.stdout, output, onOutputEnd);
  if (child.stderr !== null) watchOutput(child.stderr, errors, () => errors.flush());
  onOpen(finish);
}

/** The code of an error of the system. */
export function systemErrorCodeOf(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth += 1)
    if ("code" in at && typeof at.code === "string" && /^[A-Z0-9_]{1,60}$/.test(at.code)) return at.code;
  return "";
}

// In place, so that whoever writes sees of the stream what it would see without a recording.
function watchInput(stdin: Writable, lines: LineCutter, onEnd: () => void): void {
  const write = stdin.write.bind(stdin) as (...args: unknown[]) => boolean;
  const end = stdin.end.bind(stdin) as (...args: unknown[]) => Writable;
  let isEnded = false;
  const see = (chunk: unknown): void => {
    if (typeof chunk === "string") lines.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) lines.push(chunk);
  };
  Object.assign(stdin, {
    write(...args: unknown[]): boolean {
      see(args[0]);
      return write(...args);
    },
    end(...args: unknown[]): Writable {
      see(args[0]);
      if (!isEnded) onEnd();
      isEnded = true;
      return end(...args);
    },
  });
}

function watchOutput(stream: Readable, lines: LineCutter, onEnd: () => void): void {
  const emit = stream.emit.bind(stream) as (name: string | symbol, ...args: unknown[]) => boolean;
  Object.assign(stream, {
    emit(name: string | symbol, ...args: unknown[]): boolean {
      const [chunk] = args;
      if (name === "data" && chunk instanceof Uint8Array) lines.push(chunk);
      if (name === "end") onEnd();
      return emit(name, ...args);
    },
  });
}
