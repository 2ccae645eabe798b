import { truncateText, type JsonObject, type JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { Answer, RawMessage, RawSession, SendRequest } from "./raw-session.ts";
import { isMessage } from "./read-objects.ts";

/** Sorts what a server sends into answers and the rest. Shared by all kinds of raw sessions. */
export interface MessageRouter {
  /** A number that no request of this session had. */
  nextId(): number;
  /** Settles when the answer to `id` comes, the time is up, or the session ends. */
  awaitAnswer(id: JsonValue, timeoutMs: number): Promise<Answer>;
  /**
   * Settles one request from elsewhere, such as from its HTTP response, with what came that is
   * almost an answer.
   */
  settle(id: JsonValue, answer: Answer): void;
  /**
   * Takes an object. One that is no message of JSON-RPC 2.0 answers nothing: who waits for its id
   * is told of it in the end.
   */
  receive(value: JsonObject): void;
  readonly unsolicited: readonly RawMessage[];
  readonly lateAnswers: readonly Answer[];
  readonly waitFor: RawSession["waitFor"];
  /** Whether a request waits for its answer. */
  isWaiting(): boolean;
  /** Settles everything that waits. */
  end(reason: string): void;
}

/**
 * Starts a router. At most 10,000 unsolicited messages are kept. `reply` answers a request of the
 * server; the kit refuses all but pings.
 */
export function createMessageRouter(reply: (message: RawMessage) => void): MessageRouter {
  const pending = new Map<string, (answer: Answer) => void>();
  const almost = createAlmostAnswers((key) => pending.has(key));
  const unsolicited: RawMessage[] = [];
  const late = new Set<string>();
  const lateAnswers: Answer[] = [];
  const watchers = new Set<(message: RawMessage | undefined) => void>();
  let lastId = 0;
  let ended: string | undefined;

  const settle = (id: JsonValue, answer: Answer): boolean => {
    const key = JSON.stringify(id);
    const resolve = pending.get(key);
    pending.delete(key);
    almost.forget(key);
    resolve?.(answer);
    return resolve !== undefined;
  };
  const keep = (message: RawMessage): void => {
    if (unsolicited.length < 10_000) unsolicited.push(message);
    for (const watch of Array.from(watchers)) watch(message);
  };
  return {
    unsolicited,
    lateAnswers,
    nextId: () => ++lastId,
    awaitAnswer(id, timeoutMs) {
      if (ended !== undefined) return Promise.resolve({ kind: "gone", reason: ended });
      return new Promise((resolve) => {
        const timer = setTimeout(() => {
          const instead = almost.of(id);
          late.add(JSON.stringify(id));
          settle(id, { kind: "silence", afterMs: timeoutMs, ...(instead !== undefined && { instead }) });
        }, timeoutMs);
        pending.set(JSON.stringify(id), (answer) => {
          clearTimeout(timer);
          resolve(answer);
        });
      });
    },
    settle(id, answer) {
      const instead = almost.of(id);
      settle(id, answer.kind === "http" && instead !== undefined ? { ...answer, instead } : answer);
    },
    receive(message) {
      if (!isMessage(message)) return almost.addObject(message);
      const { id, method } = message;
      if (typeof method === "string") {
        keep(message);
        if (id !== undefined) reply(message);
        return;
      }
      if (id !== undefined && settle(id, toAnswer(message))) return;
      almost.addId(id);
      // An answer that comes too late is no answer to nobody.
      if (late.delete(JSON.stringify(id))) lateAnswers.push(toAnswer(message));
      else keep(message);
    },
    waitFor(matches, timeoutMs) {
      const past = unsolicited.find(matches);
      if (past !== undefined || ended !== undefined) return Promise.resolve(past);
      return new Promise((resolve) => {
        const finish = (message: RawMessage | undefined): void => {
          clearTimeout(timer);
          watchers.delete(watch);
          resolve(message);
        };
        const watch = (message: RawMessage | undefined): void => {
          if (message === undefined || matches(message)) finish(message);
        };
        const timer = setTimeout(() => finish(undefined), timeoutMs);
        watchers.add(watch);
      });
    },
    isWaiting: () => pending.size > 0,
    end(reason) {
      ended ??= reason;
      for (const key of Array.from(pending.keys())) settle(JSON.parse(key) as JsonValue, { kind: "gone", reason });
      for (const watch of Array.from(watchers)) watch(undefined);
    },
  };
}

/** What a message with an id and no method says. */
export function toAnswer(message: RawMessage): Answer {
  const { error } = message;
  if (error === undefined) return { kind: "result", result: message["result"], message };
  const [code, text] = isJsonObject(error) ? [error["code"], error["message"]] : [undefined, undefined];
  return { kind: "error", code, text, message };
}

/**
 * The answer of a host without capabilities to a server's request: an empty result to `ping`, else
 * "method not found".
 */
export function replyTo({ id, method }: RawMessage): RawMessage {
  if (method === "ping") return { jsonrpc: "2.0", id: id ?? null, result: {} };
  return { jsonrpc: "2.0", id: id ?? null, error: { code: -32601, message: "Method not found" } };
}

/**
 * What came that is almost an answer to a request that waits: the first thing for each. `waits` says
 * whether a request waits, by its id as JSON.
 */
function createAlmostAnswers(waits: (key: string) => boolean) {
  const firsts = new Map<string, string>();
  const add = (id: JsonValue, what: string): boolean => {
    const key = JSON.stringify(id);
    if (!waits(key)) return false;
    if (!firsts.has(key)) firsts.set(key, what);
    return true;
  };
  return {
    /** An object that is no message. */
    addObject({ id, jsonrpc }: JsonObject): void {
      if (id === undefined) return;
      const version = jsonrpc === undefined ? "it has no jsonrpc" : `jsonrpc is ${excerptOf(jsonrpc)}`;
      const what = `an object with id ${excerptOf(id)} came that is no JSON-RPC 2.0 message (${version})`;
      const other = otherTypeOf(id);
      if (!add(id, what) && other !== undefined) add(other, what);
    },
    /** The id of an answer that nobody waits for: of the other type, somebody may. */
    addId(id: JsonValue | undefined): void {
      const other = otherTypeOf(id);
      if (id === undefined || other === undefined) return;
      const type = typeof id === "string" ? "text" : "number";
      add(other, `an answer with id ${JSON.stringify(id)} (a ${type}) to request ${JSON.stringify(other)}`);
    },
    of: (id: JsonValue): string | undefined => firsts.get(JSON.stringify(id)),
    forget: (key: string): void => void firsts.delete(key),
  };
}

function excerptOf(value: JsonValue): string {
  return truncateText(JSON.stringify(value), 80);
}

/** `2` for `"2"`, and the other way round. */
function otherTypeOf(id: JsonValue | undefined): JsonValue | undefined {
  if (typeof id === "number") return String(id);
  const number = typeof id === "string" ? Number(id) : Number.NaN;
  return String(number) === id ? number : undefined;
}

/** How a session sends one message. */
export type Sending = Pick<SendRequest, "headers"> & { readonly timeoutMs?: number };

/** What all sessions have in common. `ask` sends a request, and does not wait for its answer. */
export function createSessionBase(
  { id, answerMs, router }: { readonly id: string; readonly answerMs: number; readonly router: MessageRouter },
  send: (message: JsonValue) => Promise<unknown>,
  ask: (message: JsonObject, sending: Sending) => unknown,
): Pick<RawSession, "id" | "unsolicited" | "lateAnswers" | "waitFor" | "send" | "notify" | "request"> {
  return {
    id,
    unsolicited: router.unsolicited,
    lateAnswers: router.lateAnswers,
    waitFor: router.waitFor,
    async send(message) {
      await send(message);
    },
    async notify(method, params) {
      await send({ jsonrpc: "2.0", method, ...(params && { params }) });
    },
    async request(method, params, { id: requestId = router.nextId(), timeoutMs = answerMs, headers } = {}) {
      const answer = router.awaitAnswer(requestId, timeoutMs);
      const message = { jsonrpc: "2.0", id: requestId, method, ...(params && { params }) };
      await ask(message, { timeoutMs, ...(headers && { headers }) });
      return answer;
    },
  };
}
