import { isHostsideError, type Cancel, type Notices } from "@hostside/core";
import {
  clock,
  createEvent,
  doStep,
  isJsonObject,
  quoteText,
  settleWithin,
  storeFailed,
  systemRandom,
  type EventSource,
} from "@hostside/core/implement";
import type { EngineClient } from "./engine-client.ts";
import { assertText } from "./engine-name.ts";

/**
 * What an engine does with notices. All topics are told in one place, so that one connection is
 * enough.
 */
export interface NoticeEngine {
  send(text: string, signal: AbortSignal): Promise<unknown>;
  /** Opens a connection of its own. One that is open when `signal` has aborted is closed again. */
  listen(listener: NoticeListener, signal: AbortSignal): Promise<NoticeConnection>;
}

/** Who hears what an engine tells. */
export interface NoticeListener {
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
  readonly timeoutMs: number;
  readonly client: EngineClient;
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
export function createEngineNotices(init: EngineNoticesInit): Notices & { close(): Promise<void> } {
  const { client, timeoutMs } = init;
  const sender = crypto.randomUUID();
  const topics = new Map<string, EventSource<void>>();
  let isClosed = false;
  let running: Promise<void> | undefined;
  /** Ends what is waited for when no topic is left. */
  let wake = (): void => {};
  const isWanted = (): boolean => !isClosed && topics.size > 0;
  const tellAll = (): void => {
    for (const topic of Array.from(topics.values())) topic.emit();
  };
  const onText = (text: string): void => {
    const notice = readNotice(text);
    if (notice === undefined) tellAll();
    else if (notice.from !== sender) topics.get(notice.topic)?.emit();
  };
  /** Resolves to what `begin` calls back with, or when no topic is left. */
  const untilUnwanted = (begin: (done: (reason?: unknown) => void) => Cancel): Promise<unknown> =>
    new Promise((resolve) => {
      const cancel = begin(resolve);
      wake = () => {
        if (isWanted()) return;
        cancel();
        resolve(undefined);
      };
    });
  const run = async (): Promise<void> => {
    let delayMs = firstDelayMs;
    const onOpen = (): void => {
      delayMs = firstDelayMs;
      client.setNotices(undefined);
      // What was told before it was open, nobody has heard.
      tellAll();
    };
    while (isWanted()) {
      const reason = await untilUnwanted((onEnd) => stayConnected(init, { onText, onOpen, onEnd }));
      if (!isWanted()) break;
      client.setNotices(isHostsideError(reason) ? reason : storeFailed("the connection for notices ended", reason));
      await untilUnwanted((done) => clock.schedule(delayMs * (0.5 + systemRandom()), done));
      delayMs = Math.min(delayMs * 2, longestDelayMs);
    }
    client.setNotices(undefined);
  };
  const look = (): void => {
    wake();
    if (!isWanted() || running !== undefined) return;
    running = run().finally(() => {
      running = undefined;
      look();
    });
  };
  return {
    async publish(topic) {
      assertTopic(topic);
      const text = JSON.stringify({ version: messageVersion, from: sender, topic });
      const what = `telling of ${quoteText(topic)}`;
      await client.ask({ what, effect: "write", send: (signal) => init.engine.send(text, signal) });
    },
    subscribe(topic, onNotice) {
      assertTopic(topic);
      const source = topics.get(topic) ?? createEvent<void>();
      const end = source.on(() => onNotice());
      topics.set(topic, source);
      look();
      const unsubscribe = (): void => {
        end();
        if (source.hasListeners || topics.get(topic) !== source) return;
        topics.delete(topic);
        look();
      };
      return Object.assign(unsubscribe, { [Symbol.dispose]: unsubscribe });
    },
    async close() {
      isClosed = true;
      for (const source of topics.values()) source.close();
      topics.clear();
      wake();
      if (running !== undefined) await settleWithin(running, timeoutMs);
    },
  };
}

interface Hearing extends NoticeListener {
  readonly onOpen: () => void;
}

/**
 * Opens a connection and stays on it, until it ends or the function that this returns is called.
 */
function stayConnected({ engine, timeoutMs }: EngineNoticesInit, { onText, onOpen, onEnd }: Hearing): Cancel {
  const limit = { timeoutMs };
  const opening = new AbortController();
  let connection: NoticeConnection | undefined;
  let cancelPing: Cancel = () => {};
  let isOver = false;
  const leave = (): void => {
    isOver = true;
    opening.abort();
    cancelPing();
    connection?.close();
  };
  const end = (reason: unknown): void => {
    if (isOver) return;
    leave();
    onEnd(reason);
  };
  const pingLater = (opened: NoticeConnection): void => {
    cancelPing = clock.schedule(pingEveryMs, () => {
      const what = "a sign of life on the connection for notices";
      doStep(what, limit, () => opened.ping()).then(() => isOver || pingLater(opened), end);
    });
  };
  const open = async (): Promise<void> => {
    const listen = (): Promise<NoticeConnection> => engine.listen({ onText, onEnd: end }, opening.signal);
    const opened = await doStep("opening a connection for notices", limit, listen);
    if (isOver) return void opened.close();
    connection = opened;
    onOpen();
    pingLater(opened);
  };
  open().catch(end);
  return leave;
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
