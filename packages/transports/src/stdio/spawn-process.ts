import type { ChildProcess, SpawnOptions } from "node:child_process";
import type { Socket } from "node:net";

/** Starts a process; `spawn` of `node:child_process` and of cross-spawn have this shape. */
export type SpawnProcess = (command: string, args: readonly string[], options: SpawnOptions) => ChildProcess;

/** A process that was started with three pipes, which in Node are sockets. */
export interface ServerProcess extends ChildProcess {
  readonly pid: number;
  stdin: Socket;
  stdout: Socket;
  stderr: Socket;
}
