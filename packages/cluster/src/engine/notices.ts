import { isHostsideError, type Notices } from "@hostside/core";
import {
  createEvent,
  doStep,
  isJsonObject,
  pause,
  quoteText,
  settleWithin,
  storeFailed,
  systemRandom,
  untilAborted,
  type EventSource,
} from "@hostside/core/implement";
import type { EngineClient } from "./engine-client.ts";
import { assertText } from "./engine-name.ts";

/** Notices of an engine. All topics are told in one place, so that one connection is enough. */
export interface NoticeEngine {
  send(text: string, signal: AbortSignal): Promise<unknown>;
  /** Opens a connection of its own, which is closed when `signal` aborts, then or later. */
  listen(listener: NoticeListener, signal: AbortSignal): Promise<NoticeConnection>;
}

/** A listener to notices of an engine. */
export interface NoticeListener {
  readonly onText: (text: string) => void;
  /** The connection ended. */
  readonly onEnd: (reason: unknown) => void;
}

/** A connection on which notices come. */
export interface NoticeConnection {
  /** Rejects, or never settles, when nothing can come any more. */
  ping(): Promise<unknown>;
}

const longestTopic = 1000;
const messageVersion = 1;
/** A connection that is dead without a word is found so. */
const pingEveryMs = 10_000;
const firstDelayMs = 50;
const longestDelayMs = 2000;

/**
 * Notices over one connection, which is open while there are subscriptions, and opened again when
 * it ends.
 */
export function createEngineNotices(
  engine: NoticeEngine,
  client: EngineClient,
  limit: { readonly timeoutMs: number },
): Notices & { close(): Promise<void> } {
  const sender = crypto.randomUUID();
  const topics = new Map<string, EventSource<void>>();
  let isClosed = false;
  let running: Promise<void> | undefined;
  /** Aborts when no topic is left. */
  let wanted = new AbortController();
  const isWanted = (): boolean => !isClosed && topics.size > 0;
  const tellAll = (): void => {
    for (const topic of Array.from(topics.values())) topic.emit();
  };
  const onText = (text: string): void => {
    const notice = readNotice(text);
    if (notice === undefined) tellAll();
    else if (notice.from !== sender) topics.get(notice.topic)?.emit();
  };
  const run = async (): Promise<void> => {
    let delayMs = firstDelayMs;
    const onOpen = (): void => {
      delayMs = firstDelayMs;
      client.setNotices(undefined);
      // Notices from before it was open are lost.
      tellAll();
    };
    while (isWanted()) {
      wanted = new AbortController();
      const { signal } = wanted;
      const reason = await stayConnected(engine, { onText, onOpen }, { ...limit, signal }).catch(
        (error: unknown) => error,
      );
      if (signal.aborted) continue;
      client.setNotices(isHostsideError(reason) ? reason : storeFailed("the connection for notices ended", reason));
      await pause(delayMs * (0.5 + systemRandom()), signal);
      delayMs = Math.min(delayMs * 2, longestDelayMs);
    }
    client.setNotices(undefined);
  };
  const look = (): void => {
    if (!isWanted()) return wanted.abort();
    running ??= run().finally(() => {
      running = undefined;
      look();
    });
  };
  return {
    async publish(topic) {
      assertTopic(topic);
      const text = JSON.stringify({ version: messageVersion, from: sender, topic });
      const what = `telling of ${quoteText(topic)}`;
      await client.ask({ what, effect: "write", send: (signal) => engine.send(text, signal) });
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
      wanted.abort();
      if (running !== undefined) await settleWithin(running, limit.timeoutMs);
    },
  };
}

/** Opens a connection and stays on it. Settles with why it ended, or when the signal aborts. */
async function stayConnected(
  engine: NoticeEngine,
  { onText, onOpen }: { readonly onText: (text: string) => void; readonly onOpen: () => void },
  { signal, ...limit }: { readonly timeoutMs: number; readonly signal: AbortSignal },
): Promise<unknown> {
  const ended = new AbortController();
  const over = AbortSignal.any([signal, ended.signal]);
  const listener = { onText, onEnd: (reason: unknown) => ended.abort(reason) };
  try {
    const opening = doStep("opening a connection for notices", limit, () => engine.listen(listener, over));
    const connection = await untilAborted(opening, over);
    onOpen();
    while (!over.aborted) {
      await pause(pingEveryMs, over);
      const what = "a sign of life on the connection for notices";
      if (!over.aborted)
        await untilAborted(
          doStep(what, limit, () => connection.ping()),
          over,
        );
    }
    return over.reason;
  } finally {
    // The engine closes its connection.
    ended.abort();
  }
}

/** `undefined` for what a later version says, or nobody: then anything may have changed. */
function readNotice(text: string): { readonly from: string; readonly topic: string } | undefined {
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
