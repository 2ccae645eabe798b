import { ToolportError } from "@toolport/core";
import { quoteText, untilAborted } from "@toolport/core/implement";
import type { McpProvider } from "@toolport/provider";
import { closeWithin, type Endings } from "./end-entry.ts";
import { untilGone, type Entry } from "./entry.ts";
import { makeProvider } from "./make-provider.ts";
import type { PoolParts } from "./pool-parts.ts";
import type { Slots } from "./slots.ts";

/** How providers come to be. */
export interface Creation {
  /** Begins to make the provider of a key, which must have none. */
  begin(key: string): Entry;
  /** Says that one less waits for it. The last one who gives it up ends it. */
  leave(entry: Entry): void;
}

/** What makes providers, and ends those that nobody waits for. */
export interface CreationParts extends PoolParts {
  readonly endings: Endings;
  readonly slots: Slots;
  readonly onReady: () => void;
}

/** Makes providers, one at a time for each key. */
export function createCreation(parts: CreationParts): Creation {
  const { settings, entries, ending, events, config, slots, endings } = parts;
  const { clock } = settings;

  const listen = (entry: Entry, provider: McpProvider): void => {
    provider.onCallEnded(() => void (entry.usedAt = clock.now()));
    provider.onClosed(() => void endings.end(entry, { why: "closed", reason: "closed by its owner", drainMs: 0 }));
    // Its end may not be over: whoever refuses it waits for that.
    if (provider.closed) throw new TypeError("make() gave a provider that is closed");
  };
  const bringUp = async (entry: Entry, controller: AbortController, leave: Leave): Promise<McpProvider> => {
    const { key } = entry;
    const { signal } = controller;
    await slots.take(key, signal);
    if (signal.aborted) {
      slots.promise()();
      throw signal.reason;
    }
    entry.hasSlot = true;
    // The one before may still have its processes.
    await untilAborted(untilGone(ending, key), signal);
    entry.config = config();
    const making = makeProvider(entry, controller, parts);
    leave(making.over);
    const provider = await making.provider;
    try {
      signal.throwIfAborted();
      listen(entry, provider);
    } catch (error) {
      leave(closeWithin(provider, "nobody wants it any more", settings));
      throw error;
    }
    entry.state = { name: "ready", provider };
    entry.usedAt = clock.now();
    parts.onReady();
    events.emit({ type: "created", key });
    return provider;
  };
  return {
    begin(key) {
      const controller = new AbortController();
      let left = Promise.resolve();
      // In a later turn, when there is an entry.
      const attempt = Promise.resolve().then(() => bringUp(entry, controller, (leftover) => void (left = leftover)));
      const over = attempt.then(
        () => undefined,
        () => left,
      );
      const now = clock.now();
      const entry: Entry = {
        key,
        state: { name: "creating", attempt, over, controller },
        config: config(),
        refused: undefined,
        hasSlot: false,
        waiters: 0,
        leases: 0,
        usedAt: now,
        createdAt: now,
      };
      entries.set(key, entry);
      attempt.catch((error: unknown) => void endings.fail(entry, error));
      return entry;
    },
    leave(entry) {
      entry.waiters -= 1;
      if (entry.waiters === 0) void endings.fail(entry, unwantedError(entry.key));
    },
  };
}

/** Says what is left to be waited for when an attempt fails. */
type Leave = (leftover: Promise<void>) => void;

function unwantedError(key: string): ToolportError {
  return new ToolportError(`the provider of key ${quoteText(key)} was given up: nobody waits for it any more`, {
    code: "closed",
  });
}
