import type { Cancel, ElicitationRequest, ElicitationResult, JsonObject } from "@hostside/core";
import { clock, canonicalJson, isJsonObject, onAbort } from "@hostside/core/implement";
import { cancelled, questionParams, readElicitationResult } from "./ask-client.ts";
import type { ActiveRequest } from "../message/active-request.ts";
import { rpcCodes, rpcError } from "../message/json-rpc.ts";
import type { GatewaySettings } from "../settings/gateway-options.ts";

/**
 * Requests of 2026-07-28 that wait for their user. The request is answered with `input_required`;
 * what it started goes on, and waits; the client's retry with `requestState` brings the answers and
 * gets the result. The state is a name that cannot be guessed, good for one retry of the same
 * request by the same client.
 * https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export interface ParkedCalls {
  /**
   * Answers `request`: a new one by `work`, or one that goes on. Throws an `rpcError` for a state
   * that nothing waits under.
   */
  run(request: ActiveRequest, work: (request: ActiveRequest) => Promise<JsonObject>): Promise<JsonObject>;
  readonly size: number;
  /** Gives up all of them. */
  close(): void;
}

/** The number of parked calls of all clients. */
export interface ParkingLot {
  used: number;
}

interface Question {
  readonly request: ElicitationRequest;
  readonly settle: (answer: ElicitationResult) => void;
}

interface Parked {
  readonly request: ActiveRequest;
  readonly key: string;
  readonly run: () => Promise<JsonObject>;
  /** Questions by the key that the client knows them by, or will. */
  readonly questions: Map<string, Question>;
  asked: number;
  /** Answers the message of the client that waits now. */
  wake: ((result: JsonObject) => void) | undefined;
  token: string | undefined;
  cancelTimer: Cancel | undefined;
}

interface State {
  readonly settings: Pick<GatewaySettings, "limits">;
  readonly lot: ParkingLot;
  readonly onGivenUp: () => void;
  readonly byToken: Map<string, Parked>;
}

/** Makes those of one client. `onGivenUp` is called after one was. */
export function createParkedCalls(
  settings: State["settings"],
  lot: ParkingLot,
  onGivenUp: () => void = () => {},
): ParkedCalls {
  const state: State = { settings, lot, onGivenUp, byToken: new Map() };
  return {
    run(request, work) {
      const { requestState } = request.params;
      return requestState === undefined ? begin(state, request, work) : resume(state, request, requestState);
    },
    get size() {
      return state.byToken.size;
    },
    close() {
      for (const parked of Array.from(state.byToken.values())) giveUp(state, parked, "the client is gone");
    },
  };
}

function begin(
  state: State,
  request: ActiveRequest,
  work: (request: ActiveRequest) => Promise<JsonObject>,
): Promise<JsonObject> {
  let parked: Parked | undefined;
  let started: Promise<JsonObject> | undefined;
  let wake: (result: JsonObject) => void = () => {};
  const interrupted = new Promise<JsonObject>((resolve) => {
    wake = resolve;
  });
  request.ask = (question, signal) => {
    parked ??= {
      ...newlyAsked,
      request,
      key: keyOf(request),
      questions: new Map(),
      wake,
      run: () => started ?? interrupted,
    };
    return ask(state, parked, { request: question, signal });
  };
  started = work(request);
  return Promise.race([started, interrupted]);
}

const newlyAsked = { asked: 0, token: undefined, cancelTimer: undefined } as const;

function ask(
  state: State,
  parked: Parked,
  { request, signal }: { readonly request: ElicitationRequest; readonly signal: AbortSignal },
): Promise<ElicitationResult> {
  if (signal.aborted) return Promise.resolve(cancelled);
  parked.asked += 1;
  const key = `question-${parked.asked}`;
  return new Promise((resolve) => {
    const ignore = onAbort(signal, () => settle(cancelled));
    const settle = (answer: ElicitationResult): void => {
      parked.questions.delete(key);
      ignore();
      resolve(answer);
    };
    parked.questions.set(key, { request, settle });
    // What is asked in one turn goes out as one.
    queueMicrotask(() => park(state, parked));
  });
}

/**
 * Answers the client that waits with what is to be asked. Without one, it goes out with its next
 * message.
 */
function park(state: State, parked: Parked): void {
  const { wake, questions } = parked;
  if (wake === undefined || questions.size === 0) return;
  const { limits } = state.settings;
  if (state.byToken.size >= limits.maxParkedPerSession || state.lot.used >= limits.maxParked) {
    // No room for one more that waits: nobody is asked, and its server goes on without an answer.
    leaveUnanswered(parked);
    return;
  }
  const token = crypto.randomUUID();
  parked.wake = undefined;
  parked.token = token;
  parked.request.sink = nowhere;
  state.byToken.set(token, parked);
  state.lot.used += 1;
  parked.cancelTimer = clock.schedule(limits.parkedMs, () => giveUp(state, parked, "the client did not come back"));
  const inputRequests = Object.fromEntries(
    Array.from(questions, ([key, { request }]) => [
      key,
      { method: "elicitation/create", params: questionParams(request) },
    ]),
  );
  wake({ resultType: "input_required", inputRequests, requestState: token });
}

function resume(state: State, request: ActiveRequest, token: unknown): Promise<JsonObject> {
  const parked = typeof token === "string" ? state.byToken.get(token) : undefined;
  if (parked === undefined || parked.key !== keyOf(request)) {
    throw rpcError(
      rpcCodes.invalidParams,
      "requestState is not of this request, was used, or is over: call again without it",
    );
  }
  leave(state, parked);
  const first = parked.request;
  first.sink = request.sink;
  first.progressToken = request.progressToken;
  first.logLevel = request.logLevel;
  first.capabilities = request.capabilities;
  const ignore = onAbort(request.stop.signal, () => first.stop.abort(request.stop.signal.reason));
  const answers = request.params["inputResponses"];
  const responses = isJsonObject(answers) ? answers : {};
  for (const [key, { settle }] of Array.from(parked.questions)) {
    if (Object.hasOwn(responses, key)) settle(readElicitationResult(responses[key]));
  }
  const answered = new Promise<JsonObject>((resolve, reject) => {
    parked.wake = resolve;
    // Where the call has its answer first, such as that it is a task now, nobody comes back for
    // what is still asked.
    const end = (): void => {
      if (parked.wake !== resolve) return;
      parked.wake = undefined;
      leaveUnanswered(parked);
    };
    parked.run().finally(end).then(resolve, reject);
  });
  // What it left unanswered is asked once more.
  queueMicrotask(() => park(state, parked));
  return answered.finally(ignore);
}

function leave(state: State, parked: Parked): void {
  if (parked.token === undefined || !state.byToken.delete(parked.token)) return;
  parked.token = undefined;
  parked.cancelTimer?.();
  state.lot.used -= 1;
}

function giveUp(state: State, parked: Parked, reason: string): void {
  leave(state, parked);
  leaveUnanswered(parked);
  parked.request.stop.abort(new Error(reason));
  // Nobody waits for it any more.
  parked.run().catch(() => undefined);
  state.onGivenUp();
}

function leaveUnanswered({ questions }: Parked): void {
  for (const { settle } of Array.from(questions.values())) settle(cancelled);
}

/** The key that a retry and its parked request share. */
function keyOf({ method, params }: ActiveRequest): string {
  const { _meta: _m, requestState: _s, inputResponses: _r, ...rest } = params;
  return canonicalJson([method, rest]);
}

const nowhere = { send: () => false };
