import { createLineCutter } from "../engine/line-cutter.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { cleanText, truncateText } from "@hostside/core";
import { parseObject } from "../engine/parse-json.ts";
import { signalGroup } from "../engine/live-processes.ts";
import { describeStartProblem } from "../server/start-problem.ts";
import { createPendingReplies, DriverFailure, type DriverLink, type PendingReplies } from "./driver-link.ts";

const stderrTailLength = 4000;
const longestLine = 64 * 1024 * 1024;
const endGraceMs = 2000;

/**
 * Starts a driver: a program that reads requests from stdin and writes replies to stdout. What is
 * wrong with it shows when it is asked.
 */
export function spawnDriver([command = "", ...args]: readonly string[]): DriverLink {
  const child = spawn(command, args, { stdio: "pipe", detached: process.platform !== "win32", windowsHide: true });
  const pending = createPendingReplies();
  const stderr = keepTail(child);
  let failure: DriverFailure | undefined;
  const fail = (kind: DriverFailure["kind"], what: string): void => {
    failure ??= new DriverFailure(kind, `the driver ${what}${quoteTail(stderr())}`);
    pending.fail(failure);
  };
  const ended = new Promise<void>((resolve) => {
    child.once("error", (error) => {
      fail("died", `could not be started: ${describeStartProblem(error)}`);
      resolve();
    });
    child.once("exit", (code, signal) => {
      // Its last words may still be in the pipe.
      setImmediate(() => {
        fail("died", signal === null ? `exited with code ${code}` : `was ended by ${signal}`);
        resolve();
      });
    });
  });
  // A write to a driver that is gone is told by its exit.
  child.stdin?.on("error", () => {});
  readReplies(child, pending, (what) => fail("rubbish", what));

  const kill = (): void => {
    if (child.pid !== undefined && !signalGroup(child.pid, "SIGKILL")) child.kill("SIGKILL");
  };
  process.once("exit", kill);
  return {
    pid: child.pid,
    async ask(verb, params, timeoutMs) {
      if (failure) throw failure;
      const { id, reply } = pending.wait(verb, timeoutMs);
      child.stdin?.write(`${JSON.stringify({ id, verb, ...params })}\n`);
      return reply;
    },
    get alive() {
      return failure === undefined;
    },
    async end() {
      child.stdin?.end();
      const timer = setTimeout(kill, endGraceMs);
      await ended;
      clearTimeout(timer);
      // What it started may outlive it.
      kill();
      process.off("exit", kill);
    },
  };
}

function readReplies(child: ChildProcess, pending: PendingReplies, onRubbish: (what: string) => void): void {
  const lines = createLineCutter(({ bytes, isOpen }) => {
    const wrong = isOpen ? `wrote a line longer than ${longestLine} bytes` : readLine(bytes.toString("utf8"), pending);
    if (wrong !== undefined) onRubbish(wrong);
  }, longestLine);
  child.stdout?.on("data", lines.push);
}

function readLine(line: string, pending: PendingReplies): string | undefined {
  if (line.trim() === "") return undefined;
  const shown = truncateText(cleanText(line), 200);
  const message = parseObject(line);
  if (message === undefined) return `wrote a line that is no JSON object: ${shown}`;
  const wrong = pending.settle(message);
  return wrong === undefined ? undefined : `wrote ${wrong}: ${shown}`;
}

function keepTail({ stderr }: ChildProcess): () => string {
  let tail = "";
  stderr?.setEncoding("utf8");
  stderr?.on("data", (text: string) => {
    tail = (tail + text).slice(-stderrTailLength);
  });
  return () => tail;
}

function quoteTail(tail: string): string {
  return tail.trim() === "" ? "" : `; its stderr ends with: ${cleanText(tail.trim(), 1000)}`;
}
