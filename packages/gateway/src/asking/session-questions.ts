import type { ElicitationRequest, ElicitationResult, JsonObject } from "@toolport/core";
import { onAbort } from "@toolport/core/implement";
import { notificationMessage, type RequestId } from "../message/json-rpc.ts";
import type { Outlet } from "../message/outlet.ts";
import { cancelled, questionParams, readAnswer } from "./ask-client.ts";

/** The `elicitation/create` requests to one client with a session. */
export interface SessionQuestions {
  /** Asks over this outlet. `cancel` when it is gone, when the signal aborts, and when the session ends. */
  ask(
    request: ElicitationRequest,
    way: { readonly outlet: Outlet; readonly signal: AbortSignal },
  ): Promise<ElicitationResult>;
  /** The client answered. `false`: nothing waits for this id. */
  answer(id: RequestId, message: JsonObject): boolean;
  /** Whether its user was shown this page of a server's, which is then said once. */
  takeShown(serverId: string, elicitationId: unknown): boolean;
  readonly size: number;
  close(): void;
}

const mostShown = 256;

function pageKey(serverId: string, elicitationId: string): string {
  return JSON.stringify([serverId, elicitationId]);
}

/** Makes it; at most `most` wait at a time. */
export function createSessionQuestions(most: number): SessionQuestions {
  const waiting = new Map<RequestId, (answer: ElicitationResult) => void>();
  /** Pages that were shown and not said to be done. */
  const shown = new Set<string>();
  let asked = 0;
  const note = ({ serverId, mode, params }: ElicitationRequest): void => {
    if (mode !== "url" || typeof params["elicitationId"] !== "string") return;
    shown.add(pageKey(serverId, params["elicitationId"]));
    const [oldest] = shown;
    if (shown.size > mostShown && oldest !== undefined) shown.delete(oldest);
  };
  return {
    ask(request, { outlet, signal }) {
      if (signal.aborted || waiting.size >= most) return Promise.resolve(cancelled);
      asked += 1;
      const id = `question-${asked}`;
      const params = questionParams(request);
      if (!outlet.send({ jsonrpc: "2.0", id, method: "elicitation/create", params })) return Promise.resolve(cancelled);
      note(request);
      return new Promise((resolve) => {
        const ignore = onAbort(signal, () => {
          outlet.send(notificationMessage("notifications/cancelled", { requestId: id, reason: "no longer needed" }));
          settle(cancelled);
        });
        const settle = (answer: ElicitationResult): void => {
          waiting.delete(id);
          ignore();
          resolve(answer);
        };
        waiting.set(id, settle);
      });
    },
    answer(id, message) {
      const settle = waiting.get(id);
      settle?.(readAnswer(message["result"]));
      return settle !== undefined;
    },
    takeShown: (serverId, elicitationId) =>
      typeof elicitationId === "string" && shown.delete(pageKey(serverId, elicitationId)),
    get size() {
      return waiting.size;
    },
    close() {
      for (const settle of Array.from(waiting.values())) settle(cancelled);
    },
  };
}
