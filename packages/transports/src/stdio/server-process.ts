import type { ChildProcess, SpawnOptions } from "node:child_process";
import type { Readable, Writable } from "node:stream";

/** Starts a process; `spawn` of `node:child_process` and of cross-spawn have this shape. */
export type SpawnProcess = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

/** A process that was started with three pipes. */
export interface ServerProcess extends ChildProcess {
  readonly pid: number;
  stdin: Writable;
  stdout: Readable;
  stderr: Readable;
}
