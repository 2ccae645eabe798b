import { tokenOf } from "../recording/change-ids.ts";
import type { JsonObject, JsonValue } from "@hostside/core";
import { isJsonObject } from "@hostside/core/implement";
import { firstDifference } from "./difference.ts";
import { describe, describeMiss, findStep, handshakes, isSame, stepPlaceOf } from "./find-step.ts";
import { lastEventIdOf, type HostStep, type LiveRun, type ServerScript, type ServerStep } from "./recorded-step.ts";
import { idFor, questionNamed, translate } from "./translate.ts";

/** One server as it is played, over all processes and exchanges. */
export interface Stage {
  /** A process starts, the next one of the recording while there is one. */
  readonly start: (live: LiveRun) => LiveRun;
  /**
   * The host sends a message; what cannot be answered is handed to `refuse`. `false` when nothing
   * will come of it.
   */
  readonly message: (live: LiveRun, message: JsonObject, refuse: (error: JsonObject) => void) => boolean;
  /**
   * The host opens a stream for what nobody asked for, or ends the session. `false` when the
   * recording has none.
   */
  readonly open: (live: LiveRun, kind: "stream" | "delete", lastEventId: string | undefined) => boolean;
  /** The host closed the stdin of a process. `false` when nothing follows in the recording. */
  readonly inputEnded: (live: LiveRun) => boolean;
  readonly misses: readonly string[];
  readonly unused: () => readonly HostStep[];
}

const changing: ReadonlySet<unknown> = new Set(["tools/call", "tasks/update", "tasks/cancel"]);
const methodNotFound = -32601;
const internalError = -32603;

/** Makes the stage of one server. */
export function createStage(script: ServerScript): Stage {
  const misses: string[] = [];
  const player = createPlayer(script);
  const open = (wanted: HostStep["kind"]): readonly HostStep[] =>
    script.hosts.filter(({ used, kind }) => !used && kind === wanted);
  const miss = (message: JsonObject, refuse: (error: JsonObject) => void): boolean => {
    const { id, method } = message;
    if (id === undefined || typeof method !== "string") return false;
    if (method === "ping") refuse({ jsonrpc: "2.0", id, result: {} });
    else if (handshakes.has(method))
      refuse(rpcError(id, methodNotFound, `${describe(message)} is in no recording of this server`));
    else {
      const text = describeMiss(script, message);
      misses.push(text);
      refuse(rpcError(id, internalError, text));
    }
    return true;
  };
  return {
    misses,
    unused: () =>
      script.hosts.filter((step) => !step.used && step.id !== undefined && step.message?.["method"] !== "ping"),
    start(begun) {
      const [step] = open("start");
      const live: LiveRun = { ...begun, ...(step && { recordedRun: step.run }) };
      if (step !== undefined) player.use(step, live);
      return live;
    },
    message(live, message, refuse) {
      if (typeof message["method"] !== "string")
        return answerQuestion(message, live, { script, player, misses, refuse });
      const wanted = { message: inRecordedWords(message, script), recordedRun: live.recordedRun };
      const step = findStep(open("message"), wanted);
      if (step !== undefined) {
        step.liveId = message["id"] ?? null;
        const token = tokenOf(message);
        if (token !== undefined) step.liveToken = token;
        player.use(step, live);
        return true;
      }
      // What may be asked again without an effect on the answer of anything else.
      const mayRepeat = message["id"] !== undefined && !changing.has(message["method"]);
      const repeated = mayRepeat ? lastAnswered(script, wanted) : undefined;
      if (repeated === undefined) return miss(message, refuse);
      repeated.liveId = message["id"] ?? null;
      player.repeat(repeated, live);
      return true;
    },
    open(live, kind, lastEventId) {
      const steps = open(kind);
      // The rest of an answer is for whoever asks for it.
      const other = lastEventId === undefined ? undefined : steps[0];
      const step = steps.find(({ event }) => lastEventIdOf(event) === lastEventId) ?? other;
      if (step === undefined) return false;
      player.use(step, live);
      return true;
    },
    inputEnded(live) {
      const step = open("input-end").find(({ run }) => run === live.recordedRun);
      return step !== undefined && player.use(step, live);
    },
  };
}

type Player = ReturnType<typeof createPlayer>;

function createPlayer(script: ServerScript) {
  const waiting = new Map<HostStep, ServerStep[]>();
  for (const step of script.servers)
    for (const need of step.needs) {
      const list = waiting.get(need);
      if (list === undefined) waiting.set(need, [step]);
      else list.push(step);
    }
  const deliver = ({ event, owner }: ServerStep, live: LiveRun | undefined = owner.live): void =>
    live?.deliver(translate(event, script));
  return {
    /** It happened: plays what waited for it alone. `false` when that was nothing. */
    use(step: HostStep, live: LiveRun): boolean {
      Object.assign(step, { used: true, live });
      const ready = (waiting.get(step) ?? []).filter(({ played, needs }) => !played && needs.every(({ used }) => used));
      for (const one of ready) {
        one.played = true;
        deliver(one);
      }
      return ready.length > 0;
    },
    /** Plays the answer of a request once more. */
    repeat(step: HostStep, live: LiveRun): void {
      step.live = live;
      for (const one of waiting.get(step) ?? [])
        if (one.owner === step && one.event.type !== "exit" && one.event.type !== "cut") deliver(one, live);
    },
  };
}

interface Answering {
  readonly script: ServerScript;
  readonly player: Player;
  readonly misses: string[];
  readonly refuse: (error: JsonObject) => void;
}

// What the host answers to a question of the server's. Another answer than the recorded one leads
// to what nobody recorded.
function answerQuestion(message: JsonObject, live: LiveRun, { script, player, misses, refuse }: Answering): boolean {
  const name = questionNamed(message["id"]);
  const step = script.hosts.find((one) => !one.used && one.id === name && typeof one.message?.["method"] !== "string");
  if (name === undefined || step?.message === undefined) return false;
  if (isSame(step, message)) {
    player.use(step, live);
    return true;
  }
  const { result, error } = message;
  const difference = firstDifference(step.message["result"] ?? null, result ?? null);
  const how = difference ? `: ${difference.path} was ${difference.recorded} there and is ${difference.live} here` : "";
  const said = error === undefined ? "answered otherwise than it was" : "refused, which it was not";
  const text = `replay of server ${JSON.stringify(script.id)}: a question of the server's was ${said} in the recording (${stepPlaceOf(step)})${how}`;
  misses.push(text);
  const asked = script.questions.get(name);
  if (asked?.liveId !== undefined) refuse(rpcError(asked.liveId, internalError, text));
  return true;
}

// A cancel names a request by its id.
function inRecordedWords(message: JsonObject, script: ServerScript): JsonObject {
  const { params } = message;
  if (!isJsonObject(params) || params["requestId"] === undefined) return message;
  const named = [...script.requests.keys()].findLast(
    (name) => JSON.stringify(idFor(name, script)) === JSON.stringify(params["requestId"]),
  );
  return named === undefined ? message : { ...message, params: { ...params, requestId: named } };
}

function lastAnswered({ hosts, servers }: ServerScript, wanted: Parameters<typeof findStep>[1]): HostStep | undefined {
  const answered = new Set(servers.map(({ owner }) => owner));
  return hosts.findLast((step) => step.used && answered.has(step) && isSame(step, wanted.message));
}

function rpcError(id: JsonValue, code: number, message: string): JsonObject {
  return { jsonrpc: "2.0", id, error: { code, message } };
}
