import { isKnownContent, type Clock, type ContentBlock } from "@hostside/core";
import { createDeadline, formatMs, onAbort, settleWithin } from "@hostside/core/implement";
import type { KeepResult, KeptPieces, OutcomePiece } from "../keeping.ts";
import type { SafeOutcome } from "../present/read-outcome.ts";
import type { PresentContext } from "../result-presenter.ts";
import { failedWords, keepPiece, refusalWords, type KeepJob, type PieceKeeperInit } from "./keep-piece.ts";
import type { HandleOwner } from "./kept-item.ts";
import { contentOf, type PieceContent } from "./piece-content.ts";

/** What a keeper needs. */
export interface KeeperInit extends PieceKeeperInit {
  readonly clock: Clock;
  /** For all pieces of one result, in milliseconds. */
  readonly keepTimeoutMs: number;
  /** Of one result. */
  readonly maxPieces: number;
  readonly tool: string;
}

/** For whom something is kept. */
export interface KeepWork {
  readonly owner: HandleOwner;
  readonly presentContext: PresentContext;
}

/** The pieces of one result that are kept, or were not: all that was asked for until now. */
export interface ResultKeeping extends KeptPieces {
  /**
   * Keeps pieces, each once however often it is asked for. Settles within the time that there is
   * for the whole result, or when the occasion's signal aborts. Never rejects.
   */
  keep(pieces: readonly OutcomePiece[]): Promise<void>;
  /**
   * Handles of earlier results that are no longer good, because there was no room for them beside
   * the new ones.
   */
  dropped(): readonly string[];
  /** Releases the timer and the listener. What is under way goes on. */
  end(): void;
}

/** Keeps pieces of results, and never fails for it. */
export interface Keeper {
  /** Begins to keep pieces of one result: its time runs from now on. Who begins ends it. */
  begin(outcome: SafeOutcome, work: KeepWork): ResultKeeping;
  /**
   * Gives up what is under way, waits for it at most 5 seconds, and keeps nothing any more. Never
   * rejects.
   */
  close(): Promise<void>;
}

const closeMs = 5000;

/** Makes a keeper. */
export function createKeeper(init: KeeperInit): Keeper {
  const { clock, keepTimeoutMs } = init;
  let isClosed = false;
  /** One for each result that is being kept. */
  const ends = new Set<AbortController>();
  const underWay = new Set<Promise<unknown>>();
  const track = (work: Promise<unknown>): void => {
    const settled = work.then(ignore, ignore).then(() => void underWay.delete(settled));
    underWay.add(settled);
  };

  return {
    begin(outcome, { owner, presentContext: { signal: given, context } }) {
      const late = `keeping it took longer than ${formatMs(keepTimeoutMs)}`;
      const end = new AbortController();
      const giveUp = (): void => end.abort(given?.reason);
      if (isClosed || given?.aborted) giveUp();
      const stopListening = given && onAbort(given, giveUp);
      ends.add(end);
      const { signal } = end;
      const deadline = createDeadline({ timeoutMs: keepTimeoutMs, signal, clock, onTimeout: () => new Error(late) });
      const whyEnded = (): string | undefined => {
        if (isClosed) return refusalWords.closed;
        if (given?.aborted) return "the work was given up";
        return deadline.signal.aborted ? late : undefined;
      };
      const conversation = context?.conversation;
      const job: KeepJob = { outcome, owner, conversation, signal: deadline.signal, whyEnded, dropped: [] };
      return {
        ...keepPieces(job, { ...init, track }),
        end() {
          ends.delete(end);
          stopListening?.();
          deadline.dispose();
        },
      };
    },
    async close() {
      isClosed = true;
      for (const end of ends) end.abort(new Error(refusalWords.closed));
      await settleWithin(Promise.all(underWay), closeMs, clock);
    },
  };
}

/**
 * Keeps the pieces of one result one after the other: its tenth must not take the room of its
 * first.
 */
function keepPieces(
  job: KeepJob,
  init: KeeperInit & { readonly track: (work: Promise<unknown>) => void },
): Omit<ResultKeeping, "end"> {
  const { maxPieces, tool } = init;
  /** By the name of the piece. */
  const found = new Map<string, KeepResult>();
  /** Handles of this result that had to go for a later piece of it. */
  const lost = new Set<string>();
  const of = (piece: OutcomePiece): KeepResult | undefined => found.get(nameOf(piece));
  const keepOne = async (piece: OutcomePiece): Promise<KeepResult | undefined> => {
    const isOneTooMany = piece.part === "block" && found.size >= maxPieces;
    const why = isOneTooMany ? `of one result ${maxPieces} pieces are kept` : job.whyEnded();
    if (why !== undefined) return { notKept: why };
    const content = readContentOf(piece, job, { of, maxBytes: init.maxBytes });
    if (content === undefined) return undefined;
    if (!("notKept" in content)) return keepPiece(content, job, init);
    init.onFailure({ origin: job.outcome.origin, why: content.notKept });
    return content;
  };
  return {
    tool,
    of,
    async keep(pieces) {
      for (const piece of spread(job.outcome, pieces)) {
        if (of(piece) !== undefined) continue;
        const keeping = await keepOne(piece);
        if (keeping !== undefined) found.set(nameOf(piece), keeping);
      }
      for (const [name, keeping] of found) {
        if (!("handle" in keeping) || !job.dropped.includes(keeping.handle)) continue;
        lost.add(keeping.handle);
        found.set(name, { notKept: refusalWords.full });
      }
    },
    dropped: () => job.dropped.filter((handle) => !lost.has(handle)),
  };
}

/**
 * The bytes of a piece, or why they are not kept. What cannot be read is no reason to have no
 * result.
 */
function readContentOf(
  piece: OutcomePiece,
  { outcome }: KeepJob,
  { of, maxBytes }: { readonly of: KeptPieces["of"]; readonly maxBytes: number },
): PieceContent | { readonly notKept: string } | undefined {
  try {
    const content = contentOf(outcome, piece, { of, maxBytes });
    return content === "too-large" ? { notKept: refusalWords["too-large"] } : content;
  } catch {
    return { notKept: failedWords };
  }
}

function ignore(): void {}

function hasBytes(block: ContentBlock | undefined): boolean {
  if (block === undefined || !isKnownContent(block)) return false;
  return (
    block.type === "image" || block.type === "audio" || (block.type === "resource" && block.resource.text === undefined)
  );
}

function nameOf(piece: OutcomePiece): string {
  if (piece.part === "block") return `block ${piece.index}`;
  return piece.part === "rest" ? `rest ${piece.from}` : piece.part;
}

/** The pieces with the media of the rest by themselves; the rest last, to name them. */
function spread({ blocks }: SafeOutcome, pieces: readonly OutcomePiece[]): readonly OutcomePiece[] {
  const rest = pieces.find((piece) => piece.part === "rest");
  if (rest === undefined) return pieces;
  const others = pieces.filter((piece) => piece !== rest);
  const media = blocks.flatMap((block, index): OutcomePiece[] =>
    index >= rest.from && hasBytes(block) ? [{ part: "block", index }] : [],
  );
  return [...others, ...media, rest];
}
