import { open, readdir, rename, stat, unlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { Cancel, Lock, Random } from "@hostside/core";
import {
  clock,
  assertKnownOptions,
  createPolledLock,
  doStep,
  type Fields,
  type LockHold,
  settleWithin,
  startStopwatch,
  systemRandom,
} from "@hostside/core/implement";
import { hashNameHex } from "../store/sealer.ts";
import { assertFolderPath, errnoCodeOf, isThere, keepOpen, longestStepMs } from "./private-folder.ts";

/** Options of {@linkcode createFileLock}. */
export interface FileLockOptions {
  /** Absolute path of a folder that is for locks alone; made when it is not there. */
  readonly folder: string;
}

const optionFields: Fields<FileLockOptions> = { folder: true };
/** The longest wait for a turn; then it is `overloaded`. */
const maxWaitMs = 60_000;

/**
 * A lock among the processes of one machine that share a folder, which its user alone may use
 * (0700). A process that dies or stands still with it loses it after 5 s.
 *
 * Throws a `TypeError` for options that are wrong. An unusable folder is a `store_failed` of
 * `withLock`.
 *
 * @example
 * const lock = createFileLock({ folder: "/var/lib/my-agent/locks" });
 * await lock.withLock("settings", 5000, async () => saveSettings());
 */
export function createFileLock(options: FileLockOptions): Lock {
  assertKnownOptions("createFileLock()", options, optionFields);
  const { folder } = options;
  assertFolderPath("createFileLock()", folder);
  const open = keepOpen(folder);
  const lock = createFolderLock({ folder: async () => (await open()).path });
  return { withLock: async (key, leaseMs, work) => lock.withLock(await hashNameHex(key), leaseMs, work) };
}

/** Parts of a {@linkcode createFolderLock}. */
export interface FolderLockInit {
  /** The path of a folder that is there and nobody else writes to. */
  readonly folder: () => Promise<string>;
  readonly random?: Random | undefined;
}

const beatMs = 1000;
/** A holder that was silent for so long is dead, or stands still. */
const silenceMs = 5000;
/** A holder that could not touch its file for so long stops, before others take it for dead. */
const sureMs = silenceMs - beatMs;
/**
 * No more of the time between two looks counts as silence: a process that stood still
 * itself has heard of nobody.
 */
const longestLookMs = 250;

/**
 * A lock among processes that share a folder. Keys are names of files.
 *
 * A turn is a file `<key>.<number>.held`, made as one that must be new; it becomes `.free` when it
 * is over. The highest number counts, and no number comes twice, because the latest file stays: so
 * of several who find a dead holder at the same moment, one makes the next number, and the others
 * see it. (`proper-lockfile` removes what it found dead, and of two who do so one can remove the
 * lock of the other.) Who has it touches the file each second, and waiters compare what they saw
 * with what they see: clocks of different machines need not agree.
 */
export function createFolderLock({ folder, random = systemRandom }: FolderLockInit): Lock {
  const startAttempt: Parameters<typeof createPolledLock>[0]["startAttempt"] = (key) => {
    const watch = createWatch();
    return {
      take: async (onLost) => {
        const path = await folder();
        const taking = (async (): Promise<LockHold | undefined> => {
          const latest = last(await listTurns(path, key));
          if (latest?.state === "held" && !(await watch.isSilent(join(path, latest.file)))) return undefined;
          const number = (latest?.number ?? 0) + 1;
          const sinceMade = startStopwatch();
          const own = `${key}.${number}.held`;
          if (!(await create(join(path, own)))) return undefined;
          const turns = await listTurns(path, key);
          if (turns.some((turn) => turn.file !== own && turn.number >= number)) {
            await isThere(unlink(join(path, own)));
            return undefined;
          }
          // The one before stays, too: who lists the folder while this goes on sees one of the two.
          for (const { file, number: old } of turns) if (old < number - 1) await isThere(unlink(join(path, file)));
          return hold({ folder: path, key, number, sinceMade }, onLost);
        })();
        const limit = { timeoutMs: longestStepMs };
        return doStep(`the lock ${join(path, key)}`, limit, () => taking).catch((error: unknown) => {
          // Nobody has what was taken too late.
          void taking.then((late) => late?.release()).catch(() => {});
          throw error;
        });
      },
    };
  };
  return createPolledLock({ random, maxWaitMs, startAttempt });
}

interface TurnFile {
  readonly file: string;
  readonly number: number;
  readonly state: string;
}

async function listTurns(path: string, key: string): Promise<readonly TurnFile[]> {
  const turns: TurnFile[] = [];
  for (const file of await readdir(path)) {
    if (!file.startsWith(`${key}.`)) continue;
    const [, number = "", state = ""] = /^(\d{1,15})\.(held|free)$/.exec(file.slice(key.length + 1)) ?? [];
    if (state !== "") turns.push({ file, number: Number(number), state });
  }
  // Of one number, `held` is after `free`: who came too late with it removes it again.
  return turns.sort((a, b) => a.number - b.number || (a.state < b.state ? -1 : 1));
}

function last<T>(items: readonly T[]): T | undefined {
  return items[items.length - 1];
}

async function create(path: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    await file.close();
    return true;
  } catch (error) {
    if (errnoCodeOf(error) === "EEXIST") return false;
    throw error;
  }
}

/** Finds out whether a holder is silent, by looking again and again. */
function createWatch(): { isSilent(path: string): Promise<boolean> } {
  let seen = "";
  let lookedAt = 0;
  let silentMs = 0;
  return {
    async isSilent(path) {
      const now = clock.now();
      let sight = "gone";
      await isThere(stat(path).then(({ mtimeMs }) => (sight = `${path} ${mtimeMs}`)));
      silentMs = sight === seen ? silentMs + Math.min(now - lookedAt, longestLookMs) : 0;
      [seen, lookedAt] = [sight, now];
      return sight !== "gone" && silentMs >= silenceMs;
    },
  };
}

interface Own {
  readonly folder: string;
  readonly key: string;
  readonly number: number;
  /** Since before the file was made. */
  readonly sinceMade: () => number;
}

function hold({ folder, key, number, sinceMade }: Own, onLost: (reason: unknown) => void): LockHold {
  const path = join(folder, `${key}.${number}`);
  let sinceHeard = sinceMade;
  const isSure = (): boolean => sinceHeard() < sureMs;
  let isOver = false;
  let cancel: Cancel = () => {};
  let beating: Promise<void> = Promise.resolve();
  const beat = async (): Promise<void> => {
    // Before the file is touched: who stands still after that is silent from then on.
    const since = startStopwatch();
    try {
      const now = new Date();
      await utimes(`${path}.held`, now, now);
      const latest = last(await listTurns(folder, key));
      if (latest !== undefined && latest.number > number) throw new Error(`${latest.file} came after ${number}`);
      sinceHeard = since;
    } catch (error) {
      // A disk that is full for a moment is no reason to stop, until the others must think that
      // nobody is there.
      const isGone = /^(?:|ENOENT)$/.test(errnoCodeOf(error));
      if (!isOver && (isGone || !isSure())) return onLost(error);
    }
    if (!isOver) schedule();
  };
  const schedule = (): void => {
    cancel = clock.schedule(beatMs, () => void (beating = beat()));
  };
  schedule();
  return {
    isSure,
    async release() {
      isOver = true;
      cancel();
      // What cannot be renamed is taken over after a silence.
      const giveBack = beating.then(() => rename(`${path}.held`, `${path}.free`)).catch(() => {});
      await settleWithin(giveBack, longestStepMs);
    },
  };
}
