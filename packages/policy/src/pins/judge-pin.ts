import { quoteText } from "@hostside/core/implement";
import type { PinPlan } from "./pin-options.ts";
import type { Fingerprints, PinRecord } from "./pin-record.ts";

/** A tool as pins see it. */
export interface PinnedTool {
  /** Empty for a tool that is on no server. */
  readonly serverId: string;
  /** Under which name its server is in the record. */
  readonly key: string;
  readonly toolName: string;
  /** Absent: the tool cannot be told from another one. */
  readonly fingerprint: string | undefined;
  /** The version that its server claims. */
  readonly version: string | undefined;
  /** A hash of what its server says of itself. Absent: that is not known. */
  readonly words: string | undefined;
}

/** Under this name, which no tool has, a server's words are pinned among its tools. */
export const wordsName = "";

/** The facts by which a tool is judged. */
export interface PinFacts extends PinPlan {
  /** `undefined` while it has not been read. */
  readonly record: PinRecord | undefined;
  /** Tools of servers that are seen for the first time right now. */
  readonly firstUse: ReadonlyMap<string, { readonly tools: Fingerprints }>;
}

/**
 * How a tool stands to what is known of it. Held back are those from `"drifted"` on: it is another
 * one now, it came later, nobody has approved it, it has no fingerprint, its server has another
 * version, or says other things of itself; what is known has not been read; or nobody asked when it
 * was listed.
 */
export type PinKind =
  | "free"
  | "pinned"
  | "approved"
  | "trusted"
  | "drifted"
  | "new"
  | "unpinned"
  | "unfingerprinted"
  | "other-version"
  | "other-words"
  | "unread"
  | "unseen";

/** The verdict of pins on a tool. */
export interface PinVerdict {
  readonly kind: PinKind;
  readonly held: boolean;
  /** True if a person has approved it as it is, or a lock has it so. */
  readonly approved: boolean;
  /** The deciding rule: `pins.locks["github"]`. */
  readonly rule: string;
  /** A clause after the name of the tool. */
  readonly why: string;
}

/** Judges a tool: pure. */
export function judgePin(tool: PinnedTool, facts: PinFacts): PinVerdict {
  const { serverId, key, toolName, fingerprint } = tool;
  const { record, unpinned } = facts;
  const lock = facts.locks.get(serverId);
  const locked = lock?.tools.get(toolName);
  const kept = record?.get(key)?.get(toolName);
  const approved = fingerprint !== undefined && kept?.approved.includes(fingerprint) === true;
  if (unpinned === "off" || serverId === "") {
    return approved ? pass("approved", "approval", "was approved as it is") : pass("free", "", "is not pinned");
  }
  // Trust on first use counts only while that is what the host wants.
  const isTrusting = unpinned === "trust-on-first-use" && lock === undefined;
  const pin = kept !== undefined && (isTrusting || kept.approved.length > 0) ? kept : undefined;
  const otherVersion = judgeVersion(tool, facts);
  if (otherVersion !== undefined) return otherVersion;
  if (fingerprint === undefined)
    return judgeWithout(facts, locked !== undefined || pin !== undefined || lock !== undefined);
  const otherWords = judgeWords(tool, facts);
  if (otherWords !== undefined) return otherWords;
  if (lock !== undefined && locked?.hash === fingerprint)
    return pass("pinned", lock.place, `is the one in ${lock.place}`);
  if (record === undefined) return unread;
  if (approved) return pass("approved", "approval", "was approved as it is");
  if (lock !== undefined) return judgeUnlocked(lock.place, locked !== undefined || pin !== undefined, facts);
  if (pin !== undefined) {
    if (isTrusting && pin.trusted === fingerprint)
      return pass("trusted", "pins.unpinned", "is as it was at the first use of its server");
    return pin.approved.length > 0
      ? hold("drifted", "approval", "is another one than the one that was approved")
      : hold("drifted", "pins.unpinned", "is another one than the one of the first use of its server");
  }
  return judgeUnknown(tool, facts);
}

/**
 * Tells whether a tool came or changed after the first use of its server, or is not in its lock.
 */
export function isNewTool(
  { serverId, key, toolName, fingerprint }: PinnedTool,
  { locks, record, firstUse }: PinFacts,
): boolean {
  if (serverId === "") return false;
  const kept = record?.get(key)?.get(toolName);
  const [lock, print] = [locks.get(serverId), fingerprint ?? ""];
  if (kept?.approved.includes(print) === true) return false;
  if (lock !== undefined) return lock.tools.get(toolName)?.hash !== print;
  const known = record?.has(key) === true ? kept?.trusted : firstUse.get(key)?.tools.get(toolName);
  return known !== print;
}

function judgeVersion({ serverId, version }: PinnedTool, { versions }: PinFacts): PinVerdict | undefined {
  const range = versions.get(serverId);
  if (range === undefined || range.matches(version)) return undefined;
  const { place, text } = range;
  const said = version === undefined ? "says no version" : `says that its version is ${quoteText(version, 80)}`;
  return hold("other-version", place, `is held back, because its server ${said}, and ${place} wants ${text}`);
}

function judgeWords({ serverId, key, words }: PinnedTool, facts: PinFacts): PinVerdict | undefined {
  const { locks, record, unpinned } = facts;
  const lock = locks.get(serverId);
  const kept = record?.get(key)?.get(wordsName);
  if (words === undefined || kept?.approved.includes(words) === true) return undefined;
  const why = "is held back, because its server says other things of itself than";
  if (lock !== undefined) {
    if (lock.words === undefined || lock.words === words) return undefined;
    return record === undefined ? unread : hold("other-words", lock.place, `${why} ${lock.place} has`);
  }
  const isTrusting = unpinned === "trust-on-first-use";
  if (kept === undefined || (isTrusting && kept.trusted === words)) return undefined;
  if (kept.approved.length > 0) return hold("other-words", "approval", `${why} when it was approved`);
  return isTrusting ? hold("other-words", "pins.unpinned", `${why} at its first use`) : undefined;
}

function judgeWithout({ unpinned, record }: PinFacts, isExpected: boolean): PinVerdict {
  if (unpinned === "allow" && !isExpected && record !== undefined) return free;
  const why = "is held back, because it has no fingerprint to know it by: its server lists more of it than is kept";
  return hold("unfingerprinted", "pins", why);
}

function judgeUnlocked(place: string, isKnown: boolean, { unpinned }: PinFacts): PinVerdict {
  if (isKnown) return hold("drifted", place, `is neither the one in ${place} nor one that was approved`);
  if (unpinned === "allow") return pass("free", "pins.unpinned", `is not in ${place}`);
  return hold("new", place, `is held back, because it is not in ${place}`);
}

function judgeUnknown({ key, toolName, fingerprint }: PinnedTool, facts: PinFacts): PinVerdict {
  const { unpinned, record, firstUse } = facts;
  const rule = "pins.unpinned";
  if (unpinned === "allow") return free;
  if (unpinned === "quarantine") return hold("unpinned", rule, "is held back, because nobody has approved it");
  if (record?.has(key) === true) {
    return hold("new", rule, "is held back, because it came after the first use of its server, or was revoked");
  }
  if (fingerprint !== undefined && firstUse.get(key)?.tools.get(toolName) === fingerprint) {
    return pass("trusted", rule, "is trusted, because this is the first use of its server");
  }
  return hold("unseen", rule, "is held back, because the policy was not asked when it was listed");
}

function pass(kind: PinKind, rule: string, why: string): PinVerdict {
  return { kind, held: false, approved: kind === "pinned" || kind === "approved", rule, why };
}

function hold(kind: PinKind, rule: string, why: string): PinVerdict {
  return { kind, held: true, approved: false, rule, why };
}

const free: PinVerdict = pass("free", "pins.unpinned", "is not pinned");
const unread: PinVerdict = hold("unread", "pins", "is held back until what was approved has been read from the store");
