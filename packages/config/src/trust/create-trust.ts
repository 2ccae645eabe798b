import { type Lock, type Store, createMemoryLock, type JsonValue } from "@hostside/core";
import {
  clock,
  assertKnownOptions,
  escapeUnseen,
  quoteText,
  untilAborted,
  type Fields,
  isPlainObject,
  readVersioned,
  writeVersioned,
  type ValueVersion,
} from "@hostside/core/implement";
import { describeEntry, fingerprintEntry, referencesOf, type EntryFingerprint } from "./describe-entry.ts";
import type {
  AskTrust,
  DecideOptions,
  Trust,
  TrustAnswer,
  TrustEntry,
  TrustQuestion,
  TrustRecord,
  TrustVerdict,
  TrustPlace,
} from "./trust.ts";

/** Options of {@linkcode createTrust}. */
interface TrustOptions {
  /**
   * The store of the answers. A user's own: what a project can write to, it could trust itself
   * with.
   */
  readonly store: Store;
  /** Absent: what nobody has decided about does not start. */
  readonly ask?: AskTrust | undefined;
  /**
   * Lets one process at a time change the list of answers. Goes with `store`: processes that
   * share one share the other. Default: in this process.
   */
  readonly lock?: Lock | undefined;
}

const optionFields: Fields<TrustOptions> = { store: true, ask: true, lock: true };

/**
 * Decisions of users about servers that projects bring. An answer counts for one entry in one
 * folder as it was when it was given: after any change of it the user is asked again. Only what is
 * kept counts: where the store fails, nothing is trusted.
 *
 * Throws a `TypeError` for an option that is unknown or of a wrong type.
 *
 * @example
 * const trust = createTrust({ store, ask: async (question) => dialog(question) });
 * const config = await loadConfig({ files: "auto", trust });
 */
export function createTrust(options: TrustOptions): Trust {
  assertKnownOptions("createTrust()", options, optionFields);
  const { store, ask, lock } = options;
  if (ask !== undefined && typeof ask !== "function") throw new TypeError("ask must be a function");
  const records = createTrustRecords(store, lock ?? createMemoryLock());
  // The open questions, by place and fingerprint.
  const asking = new Map<string, Promise<TrustVerdict>>();
  // When the user has time for the next question.
  let last: Promise<unknown> = Promise.resolve();
  const keep = (entry: TrustEntry, found: EntryFingerprint, answer: TrustAnswer): Promise<void> =>
    records.change((all) => [
      ...all.filter((one) => !isSamePlace(one, placeOf(entry))),
      { ...placeOf(entry), ...found, answer, answeredAt: clock.date() },
    ]);

  const askUser = async (question: TrustQuestion, signal: AbortSignal | undefined): Promise<TrustAnswer | undefined> =>
    signal === undefined
      ? ask?.(question)
      : untilAborted(ask?.(question, signal) ?? Promise.resolve(undefined), signal);
  const decideAnew = async (
    entry: TrustEntry,
    found: EntryFingerprint,
    { question, signal }: { readonly question: TrustQuestion; readonly signal: AbortSignal | undefined },
  ): Promise<TrustVerdict> => {
    if (isAborted(signal)) return undecided(question, true);
    const length = lengthOf(question);
    if (length > longestQuestion) {
      const long = `it has ${length} characters, and at most ${longestQuestion} can be shown whole`;
      return untrusted(question, "too-long", `cannot be trusted: ${long}; put it into a file of your own`);
    }
    let answer: TrustAnswer | undefined;
    try {
      answer = await askUser(question, signal);
    } catch {
      return isAborted(signal)
        ? undecided(question, true)
        : untrusted(question, "failed", "is not trusted: whoever asks about it failed");
    }
    if (answer !== "trust" && answer !== "refuse") return undecided(question, true);
    try {
      await keep(entry, found, answer);
    } catch {
      return untrusted(question, "failed", "is not trusted: the answer about it cannot be kept in the store");
    }
    return verdictOf(question, answer);
  };
  const decide = async (entry: TrustEntry, { ask: asks, signal }: DecideOptions = {}): Promise<TrustVerdict> => {
    const found = await fingerprintEntry(entry);
    let known: TrustRecord | undefined;
    try {
      known = (await records.all()).find((record) => isSamePlace(record, placeOf(entry)));
    } catch {
      const why = "is not trusted: what was decided about it cannot be read from the store";
      return untrusted(questionOf(entry, found, undefined), "failed", why);
    }
    const question = questionOf(entry, found, known);
    if (known?.fingerprint === found.fingerprint) return verdictOf(question, known.answer);
    if (asks !== true || ask === undefined) return undecided(question, ask !== undefined);
    const key = JSON.stringify([placeOf(entry), found.fingerprint]);
    const asked = asking.get(key) ?? last.then(() => decideAnew(entry, found, { question, signal }));
    if (!asking.has(key)) last = asked;
    asking.set(key, asked);
    return asked.finally(() => asking.delete(key));
  };
  return {
    canAsk: ask !== undefined,
    decide,
    remember: async (entry, answer) => keep(entry, await fingerprintEntry(entry), answer),
    async revoke(place) {
      let count = 0;
      await records.change((all) => {
        const left = all.filter((record) => !matches(record, place));
        count = all.length - left.length;
        return left;
      });
      return count;
    },
    list: records.all,
  };
}

/** The longest question: a longer one would hide its end. */
const longestQuestion = 4000;

function lengthOf({ serverId, folder, file = "", cwd = "", ...lists }: TrustQuestion): number {
  const { starts, sets, settings, replaces, references, changed } = lists;
  const names = references.map(({ name }) => name);
  const texts = [serverId, folder, file, cwd, starts, sets, settings, replaces, names, changed].flat();
  return texts.reduce((length, text) => length + escapeUnseen(JSON.stringify(text)).length, 0);
}

function verdictOf(question: TrustQuestion, answer: TrustAnswer): TrustVerdict {
  return answer === "trust" ? { trusted: true } : untrusted(question, "refused", "was refused");
}

function undecided(question: TrustQuestion, canAsk: boolean): TrustVerdict {
  const { changed } = question;
  const since =
    changed.length === 0 ? "" : ` since it changed (${changed.map((name) => quoteText(name, 80)).join(", ")})`;
  const text = canAsk ? "waits for somebody to trust it" : "there is nobody to ask whether it is trusted";
  return untrusted(question, "undecided", text + since);
}

type Why = (TrustVerdict & { readonly trusted: false })["why"];

function untrusted(question: TrustQuestion, why: Why, text: string): TrustVerdict {
  return { trusted: false, why, message: `is brought by a project, and ${text}`, question };
}

function questionOf(
  entry: TrustEntry,
  { fingerprint, parts }: EntryFingerprint,
  before: TrustRecord | undefined,
): TrustQuestion {
  const { server, folder } = entry;
  const { line, column } = server.position ?? {};
  return {
    serverId: server.id,
    folder,
    ...(server.file === undefined ? {} : { file: server.file }),
    ...(line === undefined ? {} : { line, column }),
    ...describeEntry(entry),
    references: referencesOf(server),
    changed: before === undefined ? [] : changedParts(before.parts, parts),
    ...(before === undefined ? {} : { before: before.answer }),
    fingerprint,
  };
}

function changedParts(before: TrustRecord["parts"], after: TrustRecord["parts"]): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].filter((name) => before[name] !== after[name]).toSorted();
}

function placeOf({ server, folder }: TrustEntry) {
  return { folder, ...(server.file === undefined ? {} : { file: server.file }), serverId: server.id };
}

// A signal aborts while it is looked away.
function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

const key = "hostside:trust";
const longestChangeMs = 10_000;
const format: ValueVersion = { what: "the answers about trust", version: 1 };

/**
 * Answers in this store, as one value. Changes are made one after the other, among all that share
 * the lock; who lost it without noticing writes nothing. Rejects as the store and the lock do, and
 * with `store_failed` for what a later version of Hostside has written, which is left as it is.
 */
function createTrustRecords(store: Store, lock: Lock) {
  const all = async (): Promise<readonly TrustRecord[]> => {
    const stored = await store.get(key);
    // What nobody here can have written is as good as nothing: the user is asked again.
    const records = isPlainObject(stored) && "version" in stored ? readVersioned(stored, format) : undefined;
    return Array.isArray(records) ? records.filter(isRecord) : [];
  };
  const change = (edit: (records: readonly TrustRecord[]) => readonly TrustRecord[]): Promise<void> =>
    lock.withLock(key, longestChangeMs, async (signal, fencingToken) => {
      const records = edit(await all());
      // Not every store knows of fencing tokens.
      signal.throwIfAborted();
      await store.set(key, writeVersioned(records as unknown as JsonValue, format), undefined, fencingToken);
    });
  return { all, change };
}

function isSamePlace(record: TrustPlace, place: TrustPlace): boolean {
  return record.file === place.file && matches(record, place);
}

function matches(record: TrustPlace, { folder, file, serverId }: Partial<TrustPlace>): boolean {
  return (
    (folder === undefined || record.folder === folder) &&
    (file === undefined || record.file === file) &&
    (serverId === undefined || record.serverId === serverId)
  );
}

// What a store has is whatever somebody put there.
function isRecord(value: unknown): value is TrustRecord {
  if (!isPlainObject(value)) return false;
  const { folder, file = "", serverId, answer, fingerprint, parts, answeredAt } = value;
  return (
    [folder, file, serverId, fingerprint].every((text) => typeof text === "string") &&
    (answer === "trust" || answer === "refuse") &&
    isPlainObject(parts) &&
    typeof answeredAt === "number"
  );
}
