import {
  HostsideError,
  defaultTimeouts,
  isHostsideError,
  type CallContext,
  type CallOutcome,
  type HostsideErrorCode,
  type HostsideErrorInit,
  type JsonObject,
  type ServerInfo,
} from "@hostside/core";
import {
  createDeadline,
  formatMs,
  isJsonObject,
  kindOf,
  onAbort,
  unknownServerError,
  untilAborted,
  withErrorContext,
  type Deadline,
} from "@hostside/core/implement";
import type { McpProvider } from "../api/mcp-provider.ts";
import { maxContentLength, maxContents, type ResourcesSettings } from "./resources-options.ts";

/** Something to ask of one server, in one request or several. */
export interface ServerQuery extends Subject {
  /** For all of it: connecting, all requests, and the one repetition. In milliseconds. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** For the layers of the host; reaches no server. */
  readonly context?: CallContext | undefined;
}

/** The session that a question is asked on. */
export interface AskedSession {
  readonly server: ServerInfo;
  /**
   * Sends a request within what is left of the time. Throws `protocol_error` for an answer that is
   * no object.
   */
  readonly request: (method: string, params: JsonObject) => Promise<JsonObject>;
}

/** One try at a question. */
export interface RequestAttempt {
  /** The deadline of all tries together. */
  readonly deadline: Deadline;
  /** From now on, something may have reached the server. */
  readonly sending: () => void;
}

// The session ended before the answer was there, or the server no longer knows it. The next
// connection is another one.
const sessionLost: ReadonlySet<HostsideErrorCode> = new Set([
  "session_expired",
  "unsupported_protocol",
  "connection_closed",
  "server_exited",
]);

/** Asks servers, and ends what is under way. */
export class ServerQueries {
  readonly #provider: Pick<ResourceProvider, "connection" | "serverIds" | "closed">;
  readonly #running = new Set<AbortController>();
  #closed = false;

  constructor(provider: Pick<ResourceProvider, "connection" | "serverIds" | "closed">) {
    this.#provider = provider;
  }

  /**
   * Connects if need be and does `work` on the session; once more from its beginning where a
   * session was lost before the answer. Settles by the time of the question, its abort or
   * `close()`, whatever provider, layers and server do; what is on the wire is cancelled there.
   * Throws `request_timeout`, `aborted`, `closed`, and what connecting or `work` failed with,
   * always a {@linkcode HostsideError}.
   */
  ask<T>(question: ServerQuery, work: (session: AskedSession) => Promise<T>): Promise<T> {
    return this.run(question, async ({ deadline, sending }) => {
      const { serverId, context } = question;
      const { signal } = deadline;
      const connection = await this.#provider.connection(serverId, { signal });
      return await work({
        server: connection.server,
        async request(method, params) {
          sending();
          const timeoutMs = Math.max(1, deadline.remainingMs());
          const options = { signal, timeoutMs, deadline, ...(context && { context }) };
          const result = await connection.request(method, params, options);
          if (!isJsonObject(result)) throw malformedError(question, "with something that is no object");
          return result;
        },
      });
    });
  }

  /** Does the same as `ask` for work that finds its session itself. */
  async run<T>(question: ServerQuery, work: (attempt: RequestAttempt) => Promise<T>): Promise<T> {
    const { timeoutMs, signal } = question;
    this.assertOpen();
    if (signal?.aborted) throw abortedError(question, "not-sent", signal.reason);
    const stop = new AbortController();
    let isSent = false;
    let isGivenUp = false;
    const giveUp = (): void => {
      isGivenUp = true;
      stop.abort(signal?.reason);
    };
    this.#running.add(stop);
    const stopListening = signal && onAbort(signal, giveUp);
    const onTimeout = (): HostsideError => timeoutError(question, timeoutMs);
    const mostPausedMs = defaultTimeouts.elicitTotalMs;
    const deadline = createDeadline({ timeoutMs, signal: stop.signal, mostPausedMs, onTimeout });
    const sending = (): void => {
      deadline.signal.throwIfAborted();
      isSent = true;
    };
    try {
      for (let isFirst = true; ; isFirst = false) {
        try {
          return await untilAborted(work({ deadline, sending }), deadline.signal);
        } catch (reason) {
          if (deadline.signal.aborted) {
            const outcome = isSent ? "unknown" : "not-sent";
            if (isGivenUp) throw abortedError(question, outcome, signal?.reason);
            throw withErrorContext(toAskError(deadline.signal.reason, question), { outcome });
          }
          if (!isFirst || !this.#mayAskAgain(reason, question)) throw this.#failure(reason, question);
        }
      }
    } finally {
      deadline.dispose();
      stopListening?.();
      this.#running.delete(stop);
    }
  }

  /** Throws `closed` after `close()`, and when the provider is closed. */
  assertOpen(): void {
    if (this.#closed || this.#provider.closed) throw closedError();
  }

  /** Throws as {@linkcode assertOpen}, a `TypeError` for what is no id, and `unknown_server`. */
  assertServer(caller: string, serverId: unknown): void {
    if (typeof serverId !== "string")
      throw new TypeError(`${caller} needs the id of a server, not ${kindOf(serverId)}`);
    this.assertOpen();
    const ids = this.#provider.serverIds();
    if (!ids.includes(serverId)) throw unknownServerError(serverId, ids);
  }

  /** Ends everything; nothing is asked any more. */
  close(): void {
    this.#closed = true;
    const error = closedError();
    for (const stop of this.#running) stop.abort(error);
  }

  /**
   * Says whether a question may be asked once more by itself, on another session. It changes
   * nothing on the server, so that it may have run already (`unknown`): what a call never may. Not
   * what the server refused, what took too long, what is too large or malformed, and what this host
   * ended or refuses: it would end the same way, or the host wants it so. A session that this host
   * ended before anything was sent was replaced, if its server is still there.
   */
  #mayAskAgain(reason: unknown, { serverId }: ServerQuery): boolean {
    if (!isHostsideError(reason)) return false;
    if (reason.code !== "server_removed") return sessionLost.has(reason.code);
    return reason.outcome === "not-sent" && this.#provider.serverIds().includes(serverId);
  }

  // Nobody closed what is asked of: it was the connection alone.
  #failure(reason: unknown, question: ServerQuery): HostsideError {
    const error = toAskError(reason, question);
    const isOpen = !this.#closed && !this.#provider.closed;
    return error.code === "closed" && isOpen ? removedError(question.serverId, error) : error;
  }
}

/** A question, for its errors. */
export interface Subject {
  readonly serverId: string;
  /** The method, such as `resources/read`. */
  readonly operation: string;
}

type AskErrorInit = Pick<HostsideErrorInit, "outcome" | "cause" | "details">;

/**
 * Makes an error of what was asked; `serverId` is absent for what was asked of several servers. The
 * `problem` follows their names in the message.
 */
function askError(
  code: HostsideErrorCode,
  { serverId, operation }: Partial<Subject> & Pick<Subject, "operation">,
  { problem, ...init }: AskErrorInit & { readonly problem: string },
): HostsideError {
  const where = serverId === undefined ? "" : ` on server ${JSON.stringify(serverId)}`;
  const details = { operation, ...init.details };
  return new HostsideError(`${operation}${where} ${problem}`, { code, serverId, ...init, details });
}

/** The time of a request is up, wherever it was by then. */
export function timeoutError(subject: Subject, timeoutMs: number): HostsideError {
  return askError("request_timeout", subject, {
    problem: `took longer than ${formatMs(timeoutMs)}`,
    details: { timeoutMs },
  });
}

/** The caller gave up. */
export function abortedError(
  subject: Partial<Subject> & Pick<Subject, "operation">,
  outcome: CallOutcome,
  cause: unknown,
): HostsideError {
  return askError("aborted", subject, { problem: "was aborted", outcome, cause });
}

/** `close()` was called, or the provider's. */
function closedError(): HostsideError {
  return new HostsideError("the resources, or their provider, are closed", { code: "closed" });
}

/**
 * The host ended the registration, or the session, meanwhile; what was under way ended with
 * `cause`.
 */
export function removedError(serverId: string, cause?: HostsideError): HostsideError {
  const message = `server ${JSON.stringify(serverId)} was removed or disconnected`;
  return new HostsideError(message, { code: "server_removed", serverId, outcome: cause?.outcome, cause });
}

/** The server does not say that it has any of these. */
export function notOfferedError(subject: Subject): HostsideError {
  return askError("unsupported_operation", subject, { problem: "is not offered" });
}

/**
 * The answer is not what the specification has. `problem` says what it is instead:
 * `"without an array of contents"`.
 */
export function malformedError(subject: Subject, problem: string): HostsideError {
  return askError("protocol_error", subject, { problem: `was answered ${problem}`, outcome: "failed" });
}

/** The answer is too much. It is refused as a whole: half a picture is worse than none. */
export function tooLargeError(
  subject: Subject,
  usage: { readonly used: number; readonly limit: number },
  unit: string,
): HostsideError {
  return askError("message_too_large", subject, {
    problem: `was answered with ${usage.used} ${unit}; at most ${usage.limit} are taken`,
    outcome: "failed",
    details: { usage },
  });
}

/**
 * Turns anything that was thrown into an error of this project: of a provider of the product's own
 * it may be anything.
 */
export function toAskError(reason: unknown, subject: Subject): HostsideError {
  if (!isHostsideError(reason)) return askError("internal_error", subject, { problem: "failed", cause: reason });
  return reason.serverId === undefined ? withErrorContext(reason, { serverId: subject.serverId }) : reason;
}

const mostReasons = 100;

/** How the pieces of an answer are read. */
export interface PieceReader<T> {
  readonly member: "contents" | "messages";
  /** Returns a piece, or a word on why it is none. */
  readonly read: (value: unknown) => T | string;
  /** Counts the UTF-16 units of a piece. */
  readonly lengthOf: (piece: T) => number;
}

/**
 * Reads an answer piece by piece: one that is malformed costs itself. An answer that is too large
 * is refused as a whole, and never cut. Throws `protocol_error` for an answer without pieces, and
 * `message_too_large`, which says how much there was.
 */
export function readPieces<T>(
  answer: JsonObject,
  subject: Subject,
  { member, read, lengthOf }: PieceReader<T>,
): { readonly pieces: readonly T[]; readonly dropped: readonly { readonly index: number; readonly reason: string }[] } {
  const values: unknown = answer[member] === null ? [] : answer[member];
  if (!Array.isArray(values)) throw malformedError(subject, `without an array of ${member}`);
  if (values.length > maxContents) throw tooLargeError(subject, { used: values.length, limit: maxContents }, member);
  const pieces: T[] = [];
  const dropped: { index: number; reason: string }[] = [];
  let used = 0;
  for (const [index, value] of (values as readonly unknown[]).entries()) {
    const piece = read(value);
    if (typeof piece === "string") {
      if (dropped.length < mostReasons) dropped.push({ index, reason: piece });
      continue;
    }
    used += lengthOf(piece);
    pieces.push(piece);
  }
  if (used > maxContentLength) throw tooLargeError(subject, { used, limit: maxContentLength }, "UTF-16 units");
  return { pieces, dropped };
}

/** The parts that all parts of one `createResources` share. */
export interface ResourceParts {
  readonly provider: ResourceProvider;
  readonly settings: ResourcesSettings;
  readonly asking: ServerQueries;
}

/** The members of a provider that resources and prompts need. */
export type ResourceProvider = Pick<
  McpProvider,
  | "principal"
  | "serverIds"
  | "statuses"
  | "describeServer"
  | "connection"
  | "subscribeResource"
  | "onStatusChanged"
  | "onResourcesChanged"
  | "onPromptsChanged"
  | "onResourceUpdated"
  | "closed"
  | "onClosed"
>;
