import type { ElicitationRequest, ElicitationResult } from "@hostside/core";
import { onAbort } from "@hostside/core/implement";
import { cancelled } from "../asking/ask-client.ts";
import type { SessionQuestions } from "../asking/session-questions.ts";
import type { MessageSink } from "../message/message-sink.ts";
import type { AskUser } from "../peer/active-request.ts";
import type { KeptTasks } from "./kept-tasks.ts";
import type { Task } from "./task.ts";
import { relateTo } from "./wire-task.ts";

/** Sends a question as a request of its own. */
export type AskOver = SessionQuestions["ask"];

/**
 * How a task of 2025-11-25 asks: with a request over the stream of whoever waits for its result, or
 * the one that the client listens on. Where there is neither, the question waits for one, because a
 * client that sees `input_required` comes for the result.
 */
export function askInSession(tasks: KeptTasks, task: Task, askOver: AskOver): AskUser {
  return (request, signal) =>
    keepQuestion(tasks, task, {
      request,
      signal,
      async onAsked(settle, stop) {
        const sinks = (): readonly MessageSink[] => sinksOf(tasks, task);
        // Who waits and cannot be asked is not asked later.
        const waitMs = (): number => (sinks().some(({ isOver }) => isOver !== true) ? 0 : Number.POSITIVE_INFINITY);
        settle(await askOver(request, { sinks, waitMs, signal: stop }));
      },
    });
}

/**
 * How a task of 2026-07-28 asks: its client reads the question with the task, and answers with
 * `tasks/update`.
 */
export function askByList(tasks: KeptTasks, task: Task): AskUser {
  return (request, signal) => keepQuestion(tasks, task, { request, signal });
}

/** A client's answers by key. What is not asked, or was answered, counts for nothing. */
export function answerQuestions({ questions }: Task, answerOf: (key: string) => ElicitationResult | undefined): void {
  for (const [key, { settle }] of Array.from(questions)) {
    const answer = answerOf(key);
    if (answer !== undefined) settle(answer);
  }
}

interface Asking {
  readonly request: ElicitationRequest;
  readonly signal: AbortSignal;
  /** Called once it is part of the task. `stop` aborts when nobody needs the answer any more. */
  readonly onAsked?: (settle: (answer: ElicitationResult) => void, stop: AbortSignal) => Promise<void>;
}

/**
 * Resolves with the answer; with `cancel` when the signal aborts, when the task ends, and beyond
 * the limit.
 */
function keepQuestion(tasks: KeptTasks, task: Task, { request, signal, onAsked }: Asking): Promise<ElicitationResult> {
  if (signal.aborted || task.end !== undefined || task.questions.size >= tasks.mostQuestions) {
    return Promise.resolve(cancelled);
  }
  task.asked += 1;
  const key = `question-${task.asked}`;
  return new Promise((resolve) => {
    const leaving = new AbortController();
    const ignore = onAbort(signal, () => settle(cancelled));
    const settle = (answer: ElicitationResult): void => {
      if (!task.questions.delete(key)) return;
      ignore();
      leaving.abort();
      resolve(answer);
      if (task.questions.size === 0 && task.end === undefined) tasks.changed(task);
    };
    task.questions.set(key, { request, settle });
    if (task.questions.size === 1) tasks.changed(task);
    void onAsked?.(settle, leaving.signal).catch(() => settle(cancelled));
  });
}

/**
 * What belongs to a task goes over these: streams of requests that wait for its end, and the one
 * that its client listens on.
 */
export function sinksOf(tasks: KeptTasks, task: Task): readonly MessageSink[] {
  const stream = tasks.stream();
  return [...task.sinks, ...(stream === undefined ? [] : [stream])].map((sink) => ({
    send: (message, weight) => sink.send(relateTo(task, message), weight),
    get isOver() {
      return sink.isOver === true;
    },
  }));
}
