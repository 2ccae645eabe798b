import type { JsonObject } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import type { ElicitationOrigin, Elicitor } from "./elicitor.ts";
import type { Transport } from "../message/transport.ts";
import { toJson } from "../text/safe-excerpt.ts";
import type { ServerContext } from "../context/server-context.ts";

/** A request of the server's. */
export interface ServerRequest {
  readonly id: unknown;
  readonly method: string;
  readonly params: unknown;
  /** The request on whose own exchange it came. */
  readonly relatedId: number | undefined;
  /** The handshake is over. */
  readonly isReady: boolean;
  /** Finds its call; `undefined` when that is over already. */
  readonly origin: () => ElicitationOrigin | undefined;
}

/** The parts of {@linkcode ServerRequests}. */
export interface ServerRequestsInit {
  readonly transport: Transport;
  readonly context: ServerContext;
  /** Absent when nobody answers elicitations. */
  readonly elicitor: Elicitor | undefined;
}

type Reply = { readonly result: JsonObject } | { readonly error: { readonly code: number; readonly message: string } };

const mostAtOnce = 32;
const mostRemembered = 100;
const longestRemembered = 200;
const invalidRequest = -32_600;
const methodNotFound = -32_601;
const invalidParams = -32_602;
const internalError = -32_603;

/**
 * Serves what a legacy server asks of the host: `ping`, and elicitations if somebody answers them.
 */
export class ServerRequests {
  readonly #init: ServerRequestsInit;
  readonly #underWay = new Map<number | string, AbortController>();
  /** The latest questions that the server has the answers of, the oldest first. */
  readonly #answered = new Set<string>();
  // Those that the server took back count until whoever works on them has stopped.
  #working = 0;
  #refusing = 0;

  constructor(init: ServerRequestsInit) {
    this.#init = init;
  }

  /**
   * Answers, soon or when a human did. At most 32 at once; more are refused, and silently dropped
   * when 32 refusals are under way. A question that was answered, and comes again on a stream that
   * was resumed, is dropped.
   */
  receive(request: ServerRequest): void {
    const { id } = request;
    // What has no usable id cannot be answered, and one that is in use already would be answered
    // twice.
    if ((typeof id !== "number" && typeof id !== "string") || this.#underWay.has(id)) return;
    const question = this.#replayable(id, request);
    if (question !== undefined && this.#answered.has(question)) return;
    if (this.#working >= mostAtOnce) {
      if (this.#refusing >= mostAtOnce) return;
      this.#refusing += 1;
      void this.#send(id, refusal(internalError, "Too many requests at once")).finally(() => (this.#refusing -= 1));
      return;
    }
    const { context, elicitor } = this.#init;
    const controller = new AbortController();
    this.#underWay.set(id, controller);
    this.#working += 1;
    void serve(request, { context, elicitor, signal: controller.signal })
      .then((reply) => (controller.signal.aborted ? undefined : this.#answer(id, writable(reply, context), question)))
      .finally(() => {
        this.#working -= 1;
        // Another one may have its id by now.
        if (this.#underWay.get(id) === controller) this.#underWay.delete(id);
      });
  }

  /** Stops working on a request that the server took back; it gets no answer. */
  cancel(id: unknown): void {
    if (typeof id !== "number" && typeof id !== "string") return;
    this.#underWay.get(id)?.abort();
    this.#underWay.delete(id);
  }

  /** Stops working on all of them. */
  close(): void {
    for (const controller of this.#underWay.values()) controller.abort();
    this.#underWay.clear();
  }

  // Only a stream over HTTP is resumed. Elsewhere, and for another call, some servers use an id
  // again.
  #replayable(id: number | string, { method, relatedId }: ServerRequest): string | undefined {
    const mayBe = method === "elicitation/create" && this.#init.transport.hasPerRequestStream === true;
    return mayBe ? JSON.stringify([relatedId, id]) : undefined;
  }

  async #answer(id: number | string, reply: Reply, question: string | undefined): Promise<void> {
    const isSent = await this.#send(id, reply);
    if (!isSent || question === undefined || question.length > longestRemembered) return;
    this.#answered.add(question);
    const [oldest] = this.#answered;
    if (this.#answered.size > mostRemembered && oldest !== undefined) this.#answered.delete(oldest);
  }

  async #send(id: number | string, reply: Reply): Promise<boolean> {
    try {
      await this.#init.transport.send({ jsonrpc: "2.0", id, ...reply });
      return true;
    } catch {
      // A server that cannot be told is about to be lost anyway, and that is told elsewhere.
      return false;
    }
  }
}

interface Serving {
  readonly context: ServerContext;
  readonly elicitor: Elicitor | undefined;
  /** Aborts when the server takes its request back, or the connection ends. */
  readonly signal: AbortSignal;
}

// Never rejects: an elicitor does not, and the rest cannot.
async function serve(request: ServerRequest, { context, elicitor, signal }: Serving): Promise<Reply> {
  const { method, params, isReady } = request;
  if (method === "ping") return { result: {} };
  if (method !== "elicitation/create" || elicitor === undefined) return refusal(methodNotFound, "Method not found");
  if (!isElicitation(params)) return refusal(invalidParams, "Invalid params");
  if (!isReady) {
    reportRefused(context, " before the handshake was over; nobody was asked");
    return refusal(invalidRequest, "Not before the handshake is over");
  }
  const origin = request.origin();
  if (origin === undefined) {
    reportRefused(context, " after the request that it belongs to was over; nobody was asked");
    return { result: { action: "cancel" } };
  }
  if (origin.isAnybodys) {
    reportRefused(context, anybodys);
    return { result: { action: "cancel" } };
  }
  const { tally, callContext } = origin;
  const ask = (over: AbortSignal) =>
    elicitor.ask(params, { signal: AbortSignal.any([signal, over]), tally, callContext });
  return { result: await origin.untilOver(ask) };
}

function reportRefused({ serverId, onDiagnostic }: ServerContext, why: string): void {
  const message = `server ${JSON.stringify(serverId)} asked a question${why}`;
  onDiagnostic({ kind: "elicitation-refused", serverId, message });
}

const anybodys =
  ", and does not say which of several conversations it is meant for; nobody was asked. " +
  'Give each conversation a connection of its own (sharing: "conversation"), or the server one call at a time (concurrency: "serial")';

// A form without fields, or a page without an address, is nothing that a human could answer.
function isElicitation(params: unknown): params is JsonObject {
  if (!isJsonObject(params) || typeof params["message"] !== "string") return false;
  const { mode = "form" } = params;
  return mode === "url"
    ? typeof params["url"] === "string"
    : mode === "form" && isJsonObject(params["requestedSchema"]);
}

// What a human or a host answers need not be JSON.
function writable(reply: Reply, { serverId, onDiagnostic }: ServerContext): Reply {
  if (toJson(reply) !== undefined) return reply;
  const message = `the answer to an elicitation of server ${JSON.stringify(serverId)} cannot be written as JSON`;
  onDiagnostic({ kind: "protocol-anomaly", serverId, message });
  return refusal(internalError, "The answer cannot be written as JSON");
}

function refusal(code: number, message: string): Reply {
  return { error: { code, message } };
}
