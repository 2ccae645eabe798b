import { clock, assertKnownOptions, createEvent, type Fields } from "@hostside/core/implement";
import { createTrustPrompts } from "./trust-prompts.ts";
import type { ConfigReport, ConfigWatch, WatchConfigOptions } from "./config-watch.ts";
import { createFolderWatch } from "./folder-watch.ts";
import { createLastGoodConfigs, createWorkQueue, runOnce, type Used, type WatchParts } from "./watch-run.ts";
import type { LoadedConfig } from "./load-config.ts";
import { loadFields } from "./load-options.ts";

const optionFields: Fields<WatchConfigOptions> = {
  ...loadFields,
  target: true,
  quietMs: true,
  pollMs: true,
  signal: true,
};
const defaultQuietMs = 500;
const mostQuiets = 10;
const fallbackPollMs = 5000;

/**
 * Loads configurations, applies them, and does so again whenever a file that may have to do with it
 * changes, comes or goes. Edits are applied one after the other, and of several only the last.
 * Nobody is waited for who is asked about trust: their server starts when they have answered.
 *
 * Resolves when the first load is applied. Rejects with what `applyServers` rejects with then, with
 * the reason of `signal` when it aborts before, and with a `TypeError` for an option that is
 * unknown.
 */
export async function watchConfig(options: WatchConfigOptions = {}): Promise<ConfigWatch> {
  assertKnownOptions("watchConfig()", options, optionFields);
  const controller = new AbortController();
  const { signal } = options;
  const reports = createEvent<ConfigReport>();
  let cancelTimer = (): void => undefined;
  let cancelPoll = (): void => undefined;
  let hintedAt: number | undefined;
  let used: Used | undefined;

  const queue = createWorkQueue(async () => {
    if (controller.signal.aborted) return;
    const { next, report } = await runOnce(parts, used);
    // Nobody hears of what ends after close().
    if (controller.signal.aborted) return;
    const isFirst = used === undefined;
    used = next;
    poll(next.config);
    if (report !== undefined && !isFirst) reports.emit(report);
    parts.trustPrompts?.ask(next.undecided);
  });
  const onHint = (): void => {
    cancelTimer();
    if (controller.signal.aborted) return;
    const quietMs = options.quietMs ?? used?.config.settings.watch?.quietMs ?? defaultQuietMs;
    hintedAt ??= clock.now();
    // A file that never rests is read all the same.
    const leftMs = Math.max(0, hintedAt + mostQuiets * quietMs - clock.now());
    cancelTimer = clock.schedule(Math.min(quietMs, leftMs), () => {
      hintedAt = undefined;
      void queue.request();
    });
  };
  const parts: WatchParts = {
    options,
    signal: controller.signal,
    folders: createFolderWatch(onHint),
    good: createLastGoodConfigs(),
    trustPrompts:
      options.trust?.canAsk === true ? createTrustPrompts(options.trust, () => void queue.request()) : undefined,
  };
  const poll = ({ settings }: LoadedConfig): void => {
    cancelPoll();
    const isBlind = parts.folders.unwatched.length > 0 && settings.watch?.enabled !== false;
    const pollMs = options.pollMs ?? (isBlind ? fallbackPollMs : undefined);
    if (pollMs !== undefined) cancelPoll = clock.schedule(pollMs, () => void queue.request());
  };
  const onAbort = (): void => void close();
  const close = async (): Promise<void> => {
    controller.abort(signal?.reason);
    signal?.removeEventListener("abort", onAbort);
    cancelTimer();
    cancelPoll();
    parts.folders.close();
    parts.trustPrompts?.close();
    reports.close();
    await queue.settled();
  };
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    signal?.throwIfAborted();
    await queue.request();
    controller.signal.throwIfAborted();
  } catch (error) {
    await close();
    throw error;
  }
  const first: Used | undefined = used;
  if (first === undefined) throw new TypeError("the first load has ended without a configuration");
  return {
    get config() {
      return (used ?? first).config;
    },
    onReport: reports.on,
    reload: () => queue.request(),
    close,
    [Symbol.asyncDispose]: close,
  };
}
