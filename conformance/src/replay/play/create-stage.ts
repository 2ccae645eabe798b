import { tokenOf } from "../recording/change-ids.ts";
import type { Cancel, JsonObject, JsonValue } from "@hostside/core";
import { clock, isJsonObject } from "@hostside/core/implement";
import type { ReplayOrder } from "./build-script.ts";
import { firstDifference } from "./difference.ts";
import { describe, describeMiss, findStep, isSame, stepPlaceOf } from "./find-step.ts";
import { lastEventIdOf, type HostStep, type LiveRun, type ServerScript, type ServerStep } from "./recorded-step.ts";
import { idFor, questionNamed, translate } from "./translate.ts";
import { unusedSteps } from "./unused-steps.ts";

/** What becomes of a request whose recorded answers are used up. */
export type ReplayAgain = "never" | "reads" | "always";

/** One server as it is played, over all processes and exchanges. */
export interface Stage {
  /** A process starts. `undefined`: none is left in the recording. */
  readonly start: (live: Omit<LiveRun, "dueAt">) => LiveRun | undefined;
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
  /** Plays nothing more. */
  readonly stop: () => void;
}

/** How a server is played. */
export interface StageInit {
  readonly script: ServerScript;
  readonly order: ReplayOrder;
  readonly again: ReplayAgain;
  /** How many times the recorded time everything takes; 0 is at once. */
  readonly pace: number;
}

// What may be asked again without an effect on the answer of anything else.
const changing: ReadonlySet<unknown> = new Set(["tools/call", "tasks/update", "tasks/cancel"]);
const handshakes: ReadonlySet<unknown> = new Set(["initialize", "server/discover"]);
const methodNotFound = -32601;
const internalError = -32603;

/** Makes the stage of one server. */
export function createStage(init: StageInit): Stage {
  const { script, order, again } = init;
  const misses: string[] = [];
  const player = createPlayer(init);
  const take = (steps: Iterable<HostStep>): readonly HostStep[] => {
    const open = [...steps].filter(({ used }) => !used);
    // What ends is not waited for: hosts end things in their own time.
    return order === "recorded"
      ? open.filter(({ kind }) => kind !== "input-end" && kind !== "delete").slice(0, 1)
      : open;
  };
  const miss = (message: JsonObject, refuse: (error: JsonObject) => void): boolean => {
    const { id, method } = message;
    if (id === undefined || typeof method !== "string") return false;
    if (method === "ping") refuse({ jsonrpc: "2.0", id, result: {} });
    else if (handshakes.has(method))
      refuse(rpcError(id, methodNotFound, `${describe(message)} is in no recording of this server`));
    else {
      const text = order === "recorded" ? describeTurn(script, message) : describeMiss(script, message);
      misses.push(text);
      refuse(rpcError(id, internalError, text));
    }
    return true;
  };
  return {
    misses,
    unused: () => unusedSteps(script),
    stop: player.stop,
    start(begun) {
      const [step] = take(script.hosts.filter(({ kind }) => kind === "start"));
      const live: LiveRun = { ...begun, dueAt: 0, ...(step?.kind === "start" && { recordedRun: step.run }) };
      if (step?.kind === "start") player.use(step, live);
      else if (again === "never" || order === "recorded") return void misses.push(describeStart(script));
      return live;
    },
    message(live, message, refuse) {
      if (typeof message["method"] !== "string")
        return answerQuestion(message, live, { script, player, misses, refuse });
      const wanted = { message: inRecordedWords(message, script), recordedRun: live.recordedRun };
      const step = findStep(take(script.hosts.filter(({ kind }) => kind === "message")), wanted);
      if (step !== undefined) {
        step.liveId = message["id"] ?? null;
        const token = tokenOf(message);
        if (token !== undefined) step.liveToken = token;
        player.use(step, live);
        return true;
      }
      const repeated = mayRepeat(again, message) ? lastAnswered(script, wanted) : undefined;
      if (repeated === undefined) return miss(message, refuse);
      repeated.liveId = message["id"] ?? null;
      player.repeat(repeated, live);
      return true;
    },
    open(live, kind, lastEventId) {
      const steps = take(script.hosts).filter((step) => step.kind === kind);
      // The rest of an answer is for whoever asks for it.
      const other = lastEventId === undefined ? undefined : steps[0];
      const step = steps.find(({ event }) => lastEventIdOf(event) === lastEventId) ?? other;
      if (step === undefined) return false;
      player.use(step, live);
      return true;
    },
    inputEnded(live) {
      const step = script.hosts.find(
        ({ kind, run, used }) => kind === "input-end" && run === live.recordedRun && !used,
      );
      if (step === undefined) return false;
      return player.use(step, live);
    },
  };
}

interface Player {
  /** It happened: plays what waited for it alone. `false` when that was nothing. */
  readonly use: (step: HostStep, live: LiveRun) => boolean;
  /** Plays the answer of a request once more. */
  readonly repeat: (step: HostStep, live: LiveRun) => void;
  readonly stop: () => void;
}

function createPlayer({ script, pace }: StageInit): Player {
  const waiting = new Map<HostStep, ServerStep[]>();
  for (const step of script.servers)
    for (const need of step.needs) {
      const list = waiting.get(need);
      if (list === undefined) waiting.set(need, [step]);
      else list.push(step);
    }
  const timers = new Set<Cancel>();
  const deliver = ({ event, owner, needs }: ServerStep, live: LiveRun | undefined = owner.live): void => {
    if (live === undefined) return;
    const play = (): void => live.deliver(translate(event, script));
    if (pace === 0 || event.at === undefined) return play();
    const latest = Math.max(...needs.map((need) => need.event.at ?? 0));
    const since = Math.max(...needs.map(({ happenedAt }) => happenedAt));
    live.dueAt = Math.max(live.dueAt, since + Math.max(0, event.at - latest) * pace);
    if (live.dueAt <= clock.now()) return play();
    const cancel = clock.schedule(Math.max(0, live.dueAt - clock.now()), () => {
      timers.delete(cancel);
      play();
    });
    timers.add(cancel);
  };
  return {
    use(step, live) {
      Object.assign(step, { used: true, live, happenedAt: clock.now() });
      const ready = (waiting.get(step) ?? []).filter(({ played, needs }) => !played && needs.every(({ used }) => used));
      for (const one of ready) {
        one.played = true;
        deliver(one);
      }
      return ready.length > 0;
    },
    repeat(step, live) {
      Object.assign(step, { live, happenedAt: clock.now() });
      for (const one of waiting.get(step) ?? [])
        if (one.owner === step && one.event.type !== "exit" && one.event.type !== "cut") deliver(one, live);
    },
    stop() {
      for (const cancel of timers) cancel();
      timers.clear();
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

function mayRepeat(again: ReplayAgain, { id, method }: JsonObject): boolean {
  if (id === undefined) return false;
  return again === "always" || (again === "reads" && !changing.has(method));
}

function lastAnswered({ hosts, servers }: ServerScript, wanted: Parameters<typeof findStep>[1]): HostStep | undefined {
  const answered = new Set(servers.map(({ owner }) => owner));
  return hosts.findLast((step) => step.used && answered.has(step) && isSame(step, wanted.message));
}

function rpcError(id: JsonValue, code: number, message: string): JsonObject {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

function describeTurn(script: ServerScript, message: JsonObject): string {
  const next = script.hosts.find(({ used, kind }) => !used && kind === "message");
  const expected = next?.message === undefined ? "nothing more" : `${describe(next.message)} (${stepPlaceOf(next)})`;
  return `replay of server ${JSON.stringify(script.id)}: ${describe(message)} comes where ${expected} was recorded`;
}

function describeStart({ id, hosts }: ServerScript): string {
  const starts = hosts.filter(({ kind }) => kind === "start").length;
  return `replay of server ${JSON.stringify(id)}: its process was started ${starts === 1 ? "once" : `${starts} times`} in the recording, and is started once more`;
}
