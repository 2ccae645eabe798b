import { messagesOf } from "../recording/change-ids.ts";
import type { JsonObject } from "@hostside/core";
import type { ChildProcess } from "node:child_process";
import { EventEmitter } from "node:events";
import { Readable, Writable } from "node:stream";
import { createLineCutter } from "../../engine/line-cutter.ts";
import { readRecordedMessage } from "../record/recorded-side.ts";
import type { ServerEvent } from "../recording/recorded-event.ts";
import type { Stage } from "./create-stage.ts";
import { type LiveRun, bytesOf } from "./recorded-step.ts";

/** Processes that are none. */
export interface PlayedProcesses {
  readonly spawn: (command: string, args: readonly string[]) => ChildProcess;
  /** Signals reach processes of this stage alone; any other number is one that is not there. */
  readonly sendSignal: (pid: number, signal: string | 0) => void;
}

interface PlayedProcess {
  readonly child: ChildProcess;
  readonly end: (code: number | null, signal: string | null) => void;
}

// Above all that an operating system gives out, so that nothing real is meant by mistake.
let lastPid = 2 ** 30;

/** Plays the processes of a server. */
export function playProcesses(stage: Stage): PlayedProcesses {
  const processes = new Map<number, PlayedProcess>();
  return {
    spawn(command, args) {
      if (command === "taskkill") {
        processes.get(Number(args[args.indexOf("/pid") + 1]))?.end(null, "SIGKILL");
        const helper = startProcess(silent, 0);
        helper.end(0, null);
        return helper.child;
      }
      lastPid += 1;
      const process = startProcess(stage, lastPid, command);
      processes.set(lastPid, process);
      process.child.once("exit", () => processes.delete(process.child.pid ?? 0));
      return process.child;
    },
    sendSignal(pid, signal) {
      const process = processes.get(Math.abs(pid));
      if (process === undefined) throw Object.assign(new Error("kill ESRCH"), { code: "ESRCH", syscall: "kill" });
      if (signal !== 0) process.end(null, signal);
    },
  };
}

const silent: Pick<Stage, "start" | "message" | "inputEnded"> = {
  start: (live) => live,
  message: () => false,
  inputEnded: () => false,
};

function startProcess(
  stage: Pick<Stage, "start" | "message" | "inputEnded">,
  pid: number,
  command = "",
): PlayedProcess {
  const emitter = new EventEmitter();
  const stdout = new Readable({ read: ignore });
  const stderr = new Readable({ read: ignore });
  let isOver = false;
  let live: LiveRun | undefined;
  const write = (stream: Readable, text: string | Buffer): void => {
    if (!stream.destroyed && !stream.readableEnded) stream.push(text);
  };
  const end = (code: number | null, signal: string | null): void => {
    if (isOver) return;
    isOver = true;
    Object.assign(child, { exitCode: code, signalCode: signal });
    for (const stream of [stdout, stderr]) if (!stream.destroyed) stream.push(null);
    stdin.destroy();
    // As with a real one, the end is heard of in a later turn.
    setImmediate(() => {
      emitter.emit("exit", code, signal);
      emitter.emit("close", code, signal);
    });
  };
  const refuse = (error: JsonObject): void => write(stdout, `${JSON.stringify(error)}\n`);
  const lines = createLineCutter(({ bytes }) => {
    const message = readRecordedMessage(bytes.toString("utf8"));
    if (live === undefined || message === undefined || isOver) return;
    for (const one of messagesOf(message)) stage.message(live, one, refuse);
  });
  const stdin = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk);
      done();
    },
    final(done) {
      lines.flush();
      // A server that ends when its stdin does, as most do.
      if (live === undefined || !stage.inputEnded(live)) end(0, null);
      done();
    },
  });
  const child = Object.assign(emitter, {
    pid,
    stdin,
    stdout,
    stderr,
    exitCode: null,
    signalCode: null,
    kill: (signal: string = "SIGTERM") => (end(null, signal), true),
    ref: ignore,
    unref: ignore,
  }) as unknown as ChildProcess;
  const early: ServerEvent[] = [];
  let deliver = (event: ServerEvent): void => void early.push(event);
  live = stage.start({ deliver: (event) => deliver(event) });
  const [failed] = early.filter(({ type }) => type === "start-failed");
  if (failed?.type === "start-failed") {
    isOver = true;
    Object.assign(child, { pid: undefined });
    setImmediate(() => emitter.emit("error", spawnError(command, failed.code)));
    return { child, end };
  }
  setImmediate(() => {
    emitter.emit("spawn");
    deliver = (event) => !isOver && perform(event, { stdin, stdout, stderr, write, end });
    for (const event of early) deliver(event);
  });
  return { child, end };
}

interface Outputs {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  readonly write: (stream: Readable, text: string | Buffer) => void;
  readonly end: (code: number | null, signal: string | null) => void;
}

function perform(event: ServerEvent, { stdin, stdout, stderr, write, end }: Outputs): void {
  switch (event.type) {
    case "received":
      return write(stdout, `${JSON.stringify(event.message)}${event.isOpen === true ? "" : "\n"}`);
    case "stdout":
    case "stderr": {
      const stream = event.type === "stdout" ? stdout : stderr;
      return write(stream, Buffer.concat([bytesOf(event), Buffer.from(event.isOpen === true ? "" : "\n")]));
    }
    case "stdin-closed":
      return void stdin.destroy(
        Object.assign(new Error(`write ${event.code}`), { code: event.code, syscall: "write" }),
      );
    case "stdout-end":
      return void stdout.push(null);
    case "exit":
      return end(event.code, event.signal);
    default:
      // Nothing else befalls a process.
      return;
  }
}

function spawnError(command: string, code: string): Error {
  return Object.assign(new Error(`spawn ${command} ${code}`), { code, syscall: `spawn ${command}`, path: command });
}

function ignore(): void {}
