import type { Clock, Lock } from "@hostside/core";
import { assertKnownOptions, assertTimeoutMs, systemClock, systemRandom, type Fields } from "@hostside/core/implement";
import { hashNameHex } from "../store/hash-text.ts";
import { createFolderLock } from "./folder-lock.ts";
import { assertFolderPath, keepOpen } from "./private-folder.ts";

/** Options of {@linkcode createFileLock}. */
export interface FileLockOptions {
  /** Absolute path of a folder that is for locks alone; made when it is not there. */
  readonly folder: string;
  /**
   * How long anybody waits for a turn, in milliseconds; then it is `overloaded`. Default 60,000.
   */
  readonly maxWaitMs?: number | undefined;
  /** Default the real time. */
  readonly clock?: Clock | undefined;
}

const optionFields: Fields<FileLockOptions> = { folder: true, maxWaitMs: true, clock: true };

/**
 * A lock among the processes of one machine that share a folder, which its user alone may use
 * (0700). Who dies or stands still with it loses it after 5 s.
 *
 * Throws a `TypeError` for options that are wrong. What is wrong with the folder is a
 * `store_failed` of `withLock`.
 */
export function createFileLock(options: FileLockOptions): Lock {
  const owner = "createFileLock()";
  assertKnownOptions(owner, options, optionFields);
  const { folder, maxWaitMs = 60_000, clock = systemClock } = options;
  assertFolderPath(owner, folder);
  assertTimeoutMs(maxWaitMs);
  const open = keepOpen(folder, clock);
  const lock = createFolderLock({ folder: async () => (await open()).path, clock, random: systemRandom, maxWaitMs });
  return { withLock: async (key, leaseMs, work) => lock.withLock(await hashNameHex(key), leaseMs, work) };
}
