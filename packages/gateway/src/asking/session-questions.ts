import type { Cancel, ElicitationRequest, ElicitationResult, JsonObject } from "@hostside/core";
import { clock, onAbort } from "@hostside/core/implement";
import { cancelled, questionParams, readElicitationResult } from "./ask-client.ts";
import type { MessageSink } from "../message/active-request.ts";
import { notificationMessage, type RequestId } from "../message/json-rpc.ts";

/** How a question gets to its client. */
export interface QuestionDelivery {
  /** The sinks that can carry it now, the best first. */
  readonly sinks: () => readonly MessageSink[];
  /**
   * How long it may wait for another one where it goes over none of these, in milliseconds; 0:
   * nobody will come for it.
   */
  readonly waitMs: () => number;
  readonly signal: AbortSignal;
}

/** The `elicitation/create` requests to one client with a session. */
export interface SessionQuestions {
  /** Asks. `cancel` when nobody comes for it, when the signal aborts, and when the session ends. */
  ask(request: ElicitationRequest, way: QuestionDelivery): Promise<ElicitationResult>;
  /**
   * There is another stream: sends, under the ids that they have, the questions that went over none
   * yet, and those whose stream has broken. Whether a client had them before nobody knows; who has
   * one under the same id under way leaves it at that.
   */
  again(): void;
  /** The client answered. `false`: nothing waits for this id. */
  answer(id: RequestId, message: JsonObject): boolean;
  readonly size: number;
  close(): void;
}

interface Question {
  readonly message: JsonObject;
  readonly way: QuestionDelivery;
  readonly settle: (answer: ElicitationResult) => void;
  /** The sink that carried it last. */
  carrier: MessageSink | undefined;
  cancelTimer: Cancel | undefined;
}

/** Makes it, for `most` questions that wait at a time. */
export function createSessionQuestions(most: number): SessionQuestions {
  const waiting = new Map<RequestId, Question>();
  let asked = 0;
  const send = (question: Question): void => {
    const { message, way, settle } = question;
    question.cancelTimer?.();
    question.carrier = way.sinks().find((sink) => sink.send(message));
    if (question.carrier !== undefined) return;
    const waitMs = way.waitMs();
    if (waitMs <= 0) return settle(cancelled);
    question.cancelTimer = Number.isFinite(waitMs) ? clock.schedule(waitMs, () => settle(cancelled)) : undefined;
  };
  return {
    ask(request, way) {
      const { signal } = way;
      if (signal.aborted || waiting.size >= most) return Promise.resolve(cancelled);
      asked += 1;
      const id = `question-${asked}`;
      const message = { jsonrpc: "2.0", id, method: "elicitation/create", params: questionParams(request) };
      return new Promise((resolve) => {
        const ignore = onAbort(signal, () => {
          if (question.carrier !== undefined) takeBack(id, way);
          settle(cancelled);
        });
        const settle = (answer: ElicitationResult): void => {
          waiting.delete(id);
          ignore();
          question.cancelTimer?.();
          resolve(answer);
        };
        const question: Question = { message, way, settle, carrier: undefined, cancelTimer: undefined };
        waiting.set(id, question);
        send(question);
      });
    },
    again() {
      for (const question of Array.from(waiting.values())) {
        if (question.carrier === undefined || question.carrier.isOver === true) send(question);
      }
    },
    answer(id, message) {
      const question = waiting.get(id);
      question?.settle(readElicitationResult(message["result"]));
      return question !== undefined;
    },
    get size() {
      return waiting.size;
    },
    close() {
      for (const { settle } of Array.from(waiting.values())) settle(cancelled);
    },
  };
}

function takeBack(requestId: string, { sinks }: QuestionDelivery): void {
  const message = notificationMessage("notifications/cancelled", { requestId, reason: "no longer needed" });
  sinks().find((sink) => sink.send(message));
}
