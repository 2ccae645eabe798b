import {
  isHostsideError,
  type Cancel,
  type Clock,
  type Notices,
  type Random,
  type Subscription,
  type HostsideError,
} from "@hostside/core";
import {
  createEvent,
  doStep,
  isJsonObject,
  quoteText,
  settleWithin,
  storeFailed,
  type EventSource,
} from "@hostside/core/implement";
import type { EngineClient } from "./engine-client.ts";
import { assertText } from "./engine-name.ts";
import type { StateEngineHealth } from "./state-engine-health.ts";

/**
 * What an engine does with notices. All topics are told in one place, so that one connection is
 * enough.
 */
export interface NoticeEngine {
  send(text: string, signal: AbortSignal): Promise<unknown>;
  /** Opens a connection of its own. One that is open when `signal` has aborted is closed again. */
  listen(ear: NoticeEar, signal: AbortSignal): Promise<NoticeConnection>;
}

/** Who hears what an engine tells. */
export interface NoticeEar {
  readonly onText: (text: string) => void;
  /** The connection ended. */
  readonly onEnd: (reason: unknown) => void;
}

/** A connection on which notices come. */
export interface NoticeConnection {
  /** Rejects, or stays away, when nothing can come any more. */
  ping(): Promise<unknown>;
  close(): unknown;
}

/** What notices over an engine are made from. */
export interface EngineNoticesInit {
  readonly engine: NoticeEngine;
  readonly clock: Clock;
  readonly random: Random;
  readonly timeoutMs: number;
  readonly engineClient: EngineClient;
  readonly watch: StateEngineHealth;
}

/** Notices that can be closed. */
export interface EngineNotices extends Notices {
  close(): Promise<void>;
}

const longestTopic = 1000;
const messageVersion = 1;
/** A connection that is dead without a word is found so. */
const pingEveryMs = 10_000;
const firstDelayMs = 50;
const longestDelayMs = 2000;

/**
 * Notices over one connection, which is open while anybody subscribes, and opened again when it
 * ends.
 */
export function createEngineNotices(init: EngineNoticesInit): EngineNotices {
  const sender = crypto.randomUUID();
  const topics = new Map<string, EventSource<void>>();
  const tellAll = (): void => {
    for (const topic of Array.from(topics.values())) topic.emit();
  };
  const onText = (text: string): void => {
    const notice = readNotice(text);
    if (notice === undefined) tellAll();
    else if (notice.from !== sender) topics.get(notice.topic)?.emit();
  };
  const listener = new Listener(init, { onText, tellAll, isWanted: () => topics.size > 0 });
  return {
    async publish(topic) {
      assertTopic(topic);
      const text = JSON.stringify({ version: messageVersion, from: sender, topic });
      const what = `telling of ${quoteText(topic)}`;
      await init.engineClient.ask({ what, effect: "write", send: (signal) => init.engine.send(text, signal) });
    },
    subscribe(topic, onNotice) {
      assertTopic(topic);
      const source = topics.get(topic) ?? createEvent<void>();
      const end = source.on(() => onNotice());
      topics.set(topic, source);
      listener.look();
      const unsubscribe = (): void => {
        end();
        if (source.hasListeners || topics.get(topic) !== source) return;
        topics.delete(topic);
        listener.look();
      };
      return Object.assign(unsubscribe, { [Symbol.dispose]: unsubscribe }) satisfies Subscription;
    },
    async close() {
      for (const source of topics.values()) source.close();
      topics.clear();
      await listener.close();
    },
  };
}

interface Hearing {
  readonly onText: (text: string) => void;
  readonly tellAll: () => void;
  readonly isWanted: () => boolean;
}

/** Keeps a connection open for as long as it is wanted. */
class Listener {
  readonly #init: EngineNoticesInit;
  readonly #hearing: Hearing;
  #running: Promise<void> | undefined;
  #isClosed = false;
  #wake: () => void = () => {};

  constructor(init: EngineNoticesInit, hearing: Hearing) {
    this.#init = init;
    this.#hearing = hearing;
  }

  /** Looks again whether it is wanted. */
  look(): void {
    this.#wake();
    if (!this.#isWanted || this.#running !== undefined) return;
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      this.look();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#wake();
    if (this.#running !== undefined) await settleWithin(this.#running, this.#init.timeoutMs, this.#init.clock);
  }

  get #isWanted(): boolean {
    return !this.#isClosed && this.#hearing.isWanted();
  }

  async #run(): Promise<void> {
    const { watch, random } = this.#init;
    let delayMs = firstDelayMs;
    while (this.#isWanted) {
      const reason = await this.#stay(() => (delayMs = firstDelayMs));
      if (!this.#isWanted) break;
      watch.failed("notices", asError(reason), "at-once");
      await this.#wait(delayMs * (0.5 + random()));
      delayMs = Math.min(delayMs * 2, longestDelayMs);
    }
    // Nobody misses them.
    watch.worked("notices");
  }

  /** Opens a connection and stays on it. Resolves to why that is over. */
  async #stay(onOpen: () => void): Promise<unknown> {
    const { clock, engine, timeoutMs, watch } = this.#init;
    let end: (reason: unknown) => void = () => {};
    const ended = new Promise<unknown>((resolve) => (end = resolve));
    const giveUp = new AbortController();
    const limit = { clock, timeoutMs };
    this.#wake = () => void (this.#isWanted || end(undefined));
    const ear = { onText: this.#hearing.onText, onEnd: end };
    let line: NoticeConnection;
    try {
      const opening = doStep("opening a connection for notices", limit, () => engine.listen(ear, giveUp.signal));
      const first = await Promise.race([opening, ended.then((reason) => Promise.reject(asError(reason)))]);
      line = first;
    } catch (error) {
      giveUp.abort();
      return error;
    }
    onOpen();
    watch.worked("notices");
    // What was told before it was open, nobody has heard.
    this.#hearing.tellAll();
    let cancel: Cancel = () => {};
    const ping = async (): Promise<void> => {
      try {
        await doStep("a sign of life on the connection for notices", limit, () => line.ping());
        schedule();
      } catch (error) {
        end(error);
      }
    };
    const schedule = (): void => void (cancel = clock.schedule(pingEveryMs, () => void ping()));
    schedule();
    const reason = await ended;
    cancel();
    await settleWithin((async () => line.close())(), timeoutMs, clock);
    return reason;
  }

  async #wait(ms: number): Promise<void> {
    let cancel: Cancel = () => {};
    await new Promise<void>((resolve) => {
      cancel = this.#init.clock.schedule(ms, resolve);
      this.#wake = () => void (this.#isWanted || resolve());
    });
    cancel();
  }
}

interface Notice {
  readonly from: string;
  readonly topic: string;
}

/** `undefined` for what a later version says, or nobody: then anything may have changed. */
function readNotice(text: string): Notice | undefined {
  try {
    const read: unknown = JSON.parse(text);
    if (!isJsonObject(read) || read["version"] !== messageVersion) return undefined;
    const { from, topic } = read;
    return typeof from === "string" && typeof topic === "string" ? { from, topic } : undefined;
  } catch {
    return undefined;
  }
}

function assertTopic(topic: unknown): asserts topic is string {
  assertText("the topic of a notice", topic);
  if (topic.length > longestTopic) throw new TypeError(`the topic of a notice has at most ${longestTopic} characters`);
}

function asError(reason: unknown): HostsideError {
  return isHostsideError(reason) ? reason : storeFailed("the connection for notices ended", reason);
}
