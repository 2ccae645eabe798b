import type { Clock } from "@toolport/core";
import { createDeadline, formatMs, settleWithin } from "@toolport/core/implement";
import type { Keeping, KeptPieces, OutcomePiece } from "../keeping.ts";
import type { SafeOutcome } from "../present/read-outcome.ts";
import type { PresentOccasion } from "../result-presenter.ts";
import { keepPiece, refusalWords, type KeepJob, type PieceKeeperInit } from "./keep-piece.ts";
import type { HandleOwner } from "./kept-item.ts";
import { contentOf } from "./piece-content.ts";

/** What a keeper needs. */
export interface KeeperInit extends PieceKeeperInit {
  readonly clock: Clock;
  /** For all pieces of one result, in milliseconds. */
  readonly keepTimeoutMs: number;
  /** Of one result. */
  readonly maxPieces: number;
  readonly tool: string;
}

/** What became of the pieces of one result. */
export interface KeptResult extends KeptPieces {
  /** Handles that were good before and are no longer, because there was no room for them beside the new ones. */
  readonly dropped: readonly string[];
}

/** For whom something is kept. */
export interface KeepWork {
  readonly owner: HandleOwner;
  readonly occasion: PresentOccasion;
}

/** Keeps pieces of results, and never fails for it. */
export interface Keeper {
  /** Keeps pieces for whoever called. Settles within the time, or when the occasion's signal aborts. Never rejects. */
  keep(outcome: SafeOutcome, pieces: readonly OutcomePiece[], work: KeepWork): Promise<KeptResult>;
  /** Gives up what is under way, waits for it at most 5 seconds, and keeps nothing any more. Never rejects. */
  close(): Promise<void>;
}

const closeMs = 5000;

/** Makes a keeper. */
export function createKeeper(init: KeeperInit): Keeper {
  const { clock, keepTimeoutMs, tool } = init;
  let isClosed = false;
  /** One for each result that is being kept. */
  const ends = new Set<AbortController>();
  const underWay = new Set<Promise<unknown>>();
  const track = (work: Promise<unknown>): void => {
    const settled = work.then(ignore, ignore).then(() => void underWay.delete(settled));
    underWay.add(settled);
  };

  return {
    async keep(outcome, pieces, { owner, occasion: { signal: given, context } }) {
      const late = `keeping it took longer than ${formatMs(keepTimeoutMs)}`;
      const end = new AbortController();
      const giveUp = (): void => end.abort(given?.reason);
      if (isClosed || given?.aborted) giveUp();
      given?.addEventListener("abort", giveUp);
      ends.add(end);
      const { signal } = end;
      const deadline = createDeadline({ timeoutMs: keepTimeoutMs, signal, clock, onTimeout: () => new Error(late) });
      const whyEnded = (): string | undefined => {
        if (isClosed) return refusalWords.closed;
        if (given?.aborted) return "the work was given up";
        return deadline.signal.aborted ? late : undefined;
      };
      const dropped: string[] = [];
      const conversation = context?.conversation;
      const job: KeepJob = { outcome, owner, conversation, signal: deadline.signal, whyEnded, dropped };
      try {
        const { found, lost } = await keepAll(pieces, job, { ...init, track });
        const older = dropped.filter((handle) => !lost.has(handle));
        return { tool, of: (piece) => found.get(nameOf(piece)), dropped: older };
      } finally {
        ends.delete(end);
        given?.removeEventListener("abort", giveUp);
        deadline.dispose();
      }
    },
    async close() {
      isClosed = true;
      for (const end of ends) end.abort(new Error(refusalWords.closed));
      await settleWithin(Promise.all(underWay), closeMs, clock);
    },
  };
}

interface KeptAll {
  /** By the name of the piece. */
  readonly found: ReadonlyMap<string, Keeping>;
  /** Handles that had to go for a later piece of the same result. */
  readonly lost: ReadonlySet<string>;
}

/** What became of each piece. */
async function keepAll(
  pieces: readonly OutcomePiece[],
  job: KeepJob,
  init: KeeperInit & { readonly track: (work: Promise<unknown>) => void },
): Promise<KeptAll> {
  const { maxPieces } = init;
  const found = new Map<string, Keeping>();
  const keptOf = (piece: OutcomePiece): Keeping | undefined => found.get(nameOf(piece));
  // One after the other: a result's tenth piece must not take the room of its first.
  for (const piece of spread(job.outcome, pieces)) {
    const isOneTooMany = piece.part === "block" && found.size >= maxPieces;
    const why = isOneTooMany ? `of one result ${maxPieces} pieces are kept` : job.whyEnded();
    if (why !== undefined) {
      found.set(nameOf(piece), { notKept: why });
      continue;
    }
    const content = contentOf(job.outcome, piece, keptOf);
    if (content !== undefined) found.set(nameOf(piece), await keepPiece(content, job, init));
  }
  const lost = new Set<string>();
  for (const [name, keeping] of found) {
    if (!("handle" in keeping) || !job.dropped.includes(keeping.handle)) continue;
    lost.add(keeping.handle);
    found.set(name, { notKept: refusalWords.full });
  }
  return { found, lost };
}

function ignore(): void {}

function nameOf(piece: OutcomePiece): string {
  if (piece.part === "block") return `block ${piece.index}`;
  return piece.part === "rest" ? `rest ${piece.from}` : piece.part;
}

/** The pieces with the media of the rest by themselves; the rest last, to name them. */
function spread({ blocks }: SafeOutcome, pieces: readonly OutcomePiece[]): readonly OutcomePiece[] {
  const rest = pieces.find((piece) => piece.part === "rest");
  if (rest === undefined) return pieces;
  const others = pieces.filter((piece) => piece !== rest);
  const media = blocks.flatMap((block, index): OutcomePiece[] => {
    const type: string | undefined = block?.type;
    return index >= rest.from && (type === "image" || type === "audio") ? [{ part: "block", index }] : [];
  });
  return [...others, ...media, rest];
}
