import { ToolportError } from "@toolport/core";
import { quoteText, untilAborted } from "@toolport/core/implement";
import type { McpProvider } from "@toolport/provider";
import type { Creation } from "./create-entry.ts";
import type { Entry } from "./entry.ts";
import type { PoolParts } from "./pool-parts.ts";
import { updateEntry } from "./update-entry.ts";

/**
 * Gets the provider of a key, made if there is none, with the servers that it is to have. It is taken in the turn in which it is known to be there: a moment
 * later it may be displaced.
 */
export type Obtain = <T>(key: string, signal: AbortSignal | undefined, take: Take<T>) => Promise<T>;

type Take<T> = (entry: Entry, provider: McpProvider) => T;

/** What gets providers. */
export interface ObtainInit {
  readonly parts: PoolParts;
  readonly creation: Creation;
  /** Throws when the pool was shut down. */
  readonly assertOpen: () => void;
}

/** Says how providers are got. */
export function createObtain({ parts, creation, assertOpen }: ObtainInit): Obtain {
  const { entries, settings } = parts;
  return async (key, signal, take) => {
    assertKey(key);
    for (;;) {
      assertOpen();
      if (signal?.aborted === true) throw abortedError(key, signal);
      const entry = entries.get(key) ?? creation.begin(key);
      entry.waiters += 1;
      try {
        if (entry.state.name === "creating") await wait(entry.state.attempt, key, signal);
      } finally {
        creation.leave(entry);
      }
      // It may have ended in the turn in which it became ready.
      if (entries.get(key) !== entry || entry.state.name !== "ready") continue;
      const { provider } = entry.state;
      updateEntry(entry, provider, parts);
      entry.usedAt = settings.clock.now();
      return take(entry, provider);
    }
  };
}

/** Throws a `TypeError` for what cannot be a key. */
export function assertKey(key: unknown): asserts key is string {
  if (typeof key !== "string" || key === "") throw new TypeError("key must be a text that is not empty");
}

async function wait(attempt: Promise<unknown>, key: string, signal: AbortSignal | undefined): Promise<void> {
  try {
    await (signal === undefined ? attempt : untilAborted(attempt, signal));
  } catch (error) {
    throw signal?.aborted === true ? abortedError(key, signal) : error;
  }
}

function abortedError(key: string, { reason }: AbortSignal): ToolportError {
  const message = `the wait for the provider of key ${quoteText(key)} was given up`;
  return new ToolportError(message, { code: "aborted", cause: reason });
}
