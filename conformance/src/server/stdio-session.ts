import { inSeconds } from "../engine/in-seconds.ts";
import { createLineCutter } from "../engine/line-cutter.ts";
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { truncateText, type JsonObject, type JsonValue } from "@hostside/core";
import { isJsonObject, resultWithin } from "@hostside/core/implement";
import { safeEnvironment } from "@hostside/transports";
import type { TraceRecorder } from "../engine/trace-recorder.ts";
import { excerpt } from "./handshake.ts";
import { createMessageRouter, replyTo, type MessageRouter, createSessionBase } from "./message-router.ts";
import { aliveInGroup, descendantsOf, isAlive, signalGroup } from "../engine/live-processes.ts";
import type { ProcessEnd, RawMessage, StdioSession, StdoutAnomaly } from "./raw-session.ts";
import { parseJson } from "../engine/parse-json.ts";
import { isMessage, readObjects } from "./read-objects.ts";

/** The command that starts the server under test. */
export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * What it gets of this process's environment, as a spec has it. Default `"all"`: who tests a
   * server has made its environment.
   */
  readonly inheritEnv?: "safe" | "all" | "none" | undefined;
}

/** Options of {@linkcode openStdioSession}. */
export interface StdioSessionOptions {
  readonly id: string;
  readonly trace: TraceRecorder;
  /** How long an answer may take by default, in milliseconds. */
  readonly answerMs: number;
  /** How long each step of an orderly end may take, in milliseconds. Default 2,000. */
  readonly graceMs?: number;
}

const stderrTailLength = 16 * 1024;
const excerptLength = 200;
const drainMs = 200;
/**
 * Lines that are no messages, one after another, and bytes without a line's end, after which
 * nothing more is read.
 */
const floodLines = 10_000;
const floodBytes = 64 * 1024 * 1024;

/**
 * Starts the server in a process group of its own and connects to its stdio. Rejects with the
 * system's error when it cannot be started; says nothing about whether it is any good.
 */
export async function openStdioSession(server: ServerCommand, options: StdioSessionOptions): Promise<StdioSession> {
  const child = spawn(server.command, server.args, {
    cwd: server.cwd,
    env: safeEnvironment({ env: server.env, inheritEnv: server.inheritEnv ?? "all" }, process.env, process.platform),
    stdio: "pipe",
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  const pid = await started(child);
  const { id, trace } = options;
  trace.record({
    kind: "process",
    session: id,
    text: `started ${[server.command, ...server.args].join(" ")} (pid ${pid})`,
  });
  return createSession(child, pid, options);
}

function createSession(child: ChildProcess, pid: number, options: StdioSessionOptions): StdioSession {
  const { id, trace, answerMs, graceMs = 2000 } = options;
  const life: Life = { sentAt: performance.now(), isEnding: false, hasEnded: false };
  const input = openInput(child, life, options);
  const router = createMessageRouter((message) => void input.send(replyTo(message)));
  const watched = { child, router, life, id, trace };
  const anomalies = readMessages(watched);
  const stderr = keepStderr(watched);
  const exit = watchExit(watched);
  // A process that is detached has a group of its own: once the server is gone, nothing tells whose
  // it was.
  const started = new Set<number>();
  const endInput = (): void => {
    life.isEnding = true;
    for (const each of descendantsOf(pid)) started.add(each);
    child.stdin?.end();
  };
  return {
    ...createSessionBase({ id, answerMs, router }, input.send, input.send),
    pid,
    anomalies,
    get death() {
      return life.death;
    },
    get hasEnded() {
      return life.hasEnded;
    },
    writeBytes: input.writeBytes,
    stderrTail: () => stderr.tail.trimEnd(),
    get stderrBytes() {
      return stderr.bytes;
    },
    endInput() {
      trace.record({ kind: "process", session: id, text: "stdin ended" });
      endInput();
    },
    kill(signal) {
      life.isEnding = true;
      trace.record({ kind: "process", session: id, text: `sent ${signal}` });
      child.kill(signal);
    },
    ended: (timeoutMs) => resultWithin(exit, timeoutMs),
    leftBehind: () =>
      Array.from(
        new Set([...aliveInGroup(pid).filter((each) => each !== pid), ...Array.from(started).filter(isAlive)]),
      ),
    async close() {
      endInput();
      if (!(await resultWithin(exit, graceMs))) {
        signalGroup(pid, "SIGTERM");
        await resultWithin(exit, graceMs);
      }
      // Whatever is left of the group goes, also after a clean end: the kit leaves nothing running.
      signalGroup(pid, "SIGKILL");
      for (const each of Array.from(started).filter(isAlive)) signalGroup(each, "SIGKILL");
      await exit;
      router.end("the session was closed");
      child.stdout?.destroy();
      child.stderr?.destroy();
    },
  };
}

/** What a process was asked, and how it ended by itself. */
interface Life {
  lastSent?: string;
  sentAt: number;
  /** The kit has told it to end. */
  isEnding: boolean;
  hasEnded: boolean;
  death?: string;
}

interface Watched extends Pick<StdioSessionOptions, "id" | "trace"> {
  readonly child: ChildProcess;
  readonly router: MessageRouter;
  readonly life: Life;
}

function openInput({ stdin }: ChildProcess, life: Life, { id, trace }: StdioSessionOptions) {
  // A server that closes its stdin makes writes fail; the check sees that as silence or as the end
  // of the process.
  stdin?.on("error", () => {});
  const write = (bytes: string | Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      if (stdin?.writable) stdin.write(bytes, () => resolve());
      else resolve();
    });
  return {
    send: (message: JsonValue): Promise<void> => {
      const text = JSON.stringify(message);
      trace.record({ kind: "send", session: id, text });
      life.lastSent = nameOf(message);
      life.sentAt = performance.now();
      return write(`${text}\n`);
    },
    writeBytes: async (chunks: readonly (string | Uint8Array)[]): Promise<void> => {
      for (const chunk of chunks) {
        const text = typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("latin1");
        trace.record({ kind: "send", session: id, text });
        life.lastSent = "raw bytes";
        await write(chunk);
      }
    },
  };
}

function keepStderr({ child, id, trace }: Watched): { readonly tail: string; readonly bytes: number } {
  const kept = { tail: "", bytes: 0 };
  child.stderr?.on("data", (chunk: Buffer) => {
    const text = chunk.toString("utf8");
    kept.tail = `${kept.tail}${text}`.slice(-stderrTailLength);
    kept.bytes += chunk.length;
    trace.record({ kind: "stderr", session: id, text });
  });
  return kept;
}

async function watchExit({ child, router, life, id, trace }: Watched): Promise<ProcessEnd> {
  const drained: Promise<unknown> = child.stdout ? once(child.stdout, "end") : Promise.resolve();
  const end = await new Promise<ProcessEnd>((resolve) => {
    child.once("exit", (exitCode, signal) => resolve({ exitCode, signal }));
  });
  trace.record({ kind: "process", session: id, text: `ended: ${describeEnd(end)}` });
  const isOwn = !life.isEnding;
  life.hasEnded = isOwn;
  const elapsed = inSeconds(performance.now() - life.sentAt);
  // What the process wrote before it ended may still be in the pipe; a grandchild may hold the pipe
  // open for ever.
  await resultWithin(drained, drainMs);
  // A server may end a session, which it does in order: with code 0, and nothing unanswered.
  if (isOwn && (end.exitCode !== 0 || router.isWaiting()))
    life.death = `${describeEnd(end)}, ${elapsed} after ${life.lastSent ?? "its start"}`;
  router.end(`the process ended: ${describeEnd(end)}`);
  return end;
}

/** Splits stdout into lines, routes messages, and collects what is none. */
function readMessages({ child, router, life, id, trace }: Watched): readonly StdoutAnomaly[] {
  const anomalies: StdoutAnomaly[] = [];
  let offset = 0;
  let strays = 0;
  let isGivenUp = false;
  let isOver = false;
  const giveUp = (reason: string): void => {
    isGivenUp = true;
    router.end(reason);
    child.stdout?.removeAllListeners("data").destroy();
  };
  const readLine = (line: Buffer, isCut: boolean): void => {
    const text = line.toString("utf8").replace(/\r$/, "");
    const messages = parseMessages(text);
    if (messages) {
      trace.record({ kind: "receive", session: id, text });
      for (const message of messages) router.receive(message);
      strays = 0;
    } else if (text.trim() !== "" && !isCut) {
      strays += 1;
      if (strays === floodLines)
        giveUp(`it wrote ${floodLines} lines to stdout that are no messages, one after another,`);
      trace.record({ kind: "stdout", session: id, text });
      for (const value of readObjects(text)) router.receive(value);
      if (anomalies.length < 100)
        anomalies.push({ offset, text: truncateText(text, excerptLength), after: life.lastSent });
    }
  };
  const lines = createLineCutter(({ bytes, isOpen }) => {
    if (isGivenUp) return;
    if (isOpen && !isOver) return giveUp(`it wrote ${floodBytes / 1024 ** 2} MiB to stdout without a line's end`);
    // Half a message is what the end of a process leaves of one.
    readLine(bytes, isOpen && /^\s*[{[]/.test(bytes.toString("latin1", 0, 20)));
    offset += bytes.length + 1;
  }, floodBytes);
  child.stdout?.on("data", lines.push);
  child.stdout?.on("end", () => {
    isOver = true;
    lines.flush();
  });
  return anomalies;
}

/** A request in words: `tools/call "echo"`. */
function nameOf(message: JsonValue): string {
  const { method, params } = isJsonObject(message) ? message : {};
  const tool = isJsonObject(params) && typeof params["name"] === "string" ? ` ${excerpt(params["name"])}` : "";
  return typeof method === "string" ? `${method}${tool}` : "a message without a method";
}

function parseMessages(text: string): readonly RawMessage[] | undefined {
  const value = parseJson(text);
  const messages = Array.isArray(value) ? value : [value];
  return messages.every((message): message is JsonObject => isJsonObject(message) && isMessage(message))
    ? messages
    : undefined;
}

function started(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("spawn", () => {
      child.off("error", reject);
      // After the start, "error" only tells of a signal that could not be sent.
      child.on("error", () => {});
      resolve(child.pid ?? 0);
    });
  });
}

/** `exit code 3`, or `SIGKILL`. */
export function describeEnd({ exitCode, signal }: ProcessEnd): string {
  return signal ?? `exit code ${exitCode}`;
}
