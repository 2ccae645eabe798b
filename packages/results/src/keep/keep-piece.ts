import type { ToolOrigin } from "@hostside/core";
import { untilAborted } from "@hostside/core/implement";
import type { KeepResult } from "../keeping.ts";
import type { SafeOutcome } from "../present/read-outcome.ts";
import type { BlobRefusal, BlobSink } from "./blob-sink.ts";
import type { Handles } from "./create-handles.ts";
import type { HandleOwner } from "./kept-item.ts";
import type { PieceContent } from "./piece-content.ts";
import { indexText } from "./text-index.ts";

/** Why a piece was not kept. */
export interface KeepFailure {
  readonly origin: ToolOrigin | undefined;
  readonly why: string;
  /** What was thrown, if anything was. */
  readonly cause?: unknown;
}

/** What keeping a piece needs. */
export interface PieceKeeperInit {
  readonly sink: BlobSink;
  readonly handles: Handles;
  /** Of one conversation: what is larger is not kept at all. */
  readonly maxBytes: number;
  /** The name of this presenter. */
  readonly keptBy: string;
  /** Told why something was not kept. */
  readonly onFailure: (failure: KeepFailure) => void;
}

/** The work of keeping pieces of one result. */
export interface KeepJob {
  readonly outcome: SafeOutcome;
  readonly owner: HandleOwner;
  readonly conversation: string | undefined;
  /** Aborts when the time is up, the caller gives up, or nothing is kept any more. */
  readonly signal: AbortSignal;
  /** Why nothing more is kept, in words; `undefined` while there is time. */
  readonly whyEnded: () => string | undefined;
  /** Gets the handles that had to go for new ones. */
  readonly dropped: string[];
}

/** Why a sink refused, in words for a model. */
export const refusalWords: Readonly<Record<BlobRefusal, string>> = {
  full: "there is no room left where such things are kept",
  "too-large": "it is larger than anything that is kept",
  closed: "nothing is kept any more",
};

/** Why nothing is kept when whoever keeps it throws, or does what no sink does. */
export const failedWords = "what keeps such things failed";

/**
 * Keeps a piece, or says why not. Settles when the job's signal aborts, at the latest; the work
 * itself undoes what it did by then.
 */
export async function keepPiece(
  content: PieceContent,
  job: KeepJob,
  { track, ...init }: PieceKeeperInit & { readonly track: (work: Promise<unknown>) => void },
): Promise<KeepResult> {
  const work = putPiece(content, job, init);
  track(work);
  const { origin } = job.outcome;
  try {
    const keeping = await untilAborted(work, job.signal);
    if ("notKept" in keeping) init.onFailure({ origin, why: keeping.notKept });
    return keeping;
  } catch (cause) {
    const why = job.whyEnded() ?? failedWords;
    init.onFailure({ origin, why, cause });
    return { notKept: why };
  }
}

async function putPiece(
  { data, mimeType, isText, isAscii }: PieceContent,
  { outcome, owner, conversation, signal, dropped }: KeepJob,
  { sink, handles, maxBytes, keptBy }: PieceKeeperInit,
): Promise<KeepResult> {
  if (data.length > maxBytes) return { notKept: refusalWords["too-large"] };
  const put = await sink.put({ data, mimeType, conversation }, { signal });
  // A sink is a product's own: it may give another reason than those.
  if (!put.kept) return { notKept: Object.hasOwn(refusalWords, put.reason) ? refusalWords[put.reason] : failedWords };
  const { key, path } = put;
  let handle: string | undefined;
  try {
    signal.throwIfAborted();
    const text = isText ? indexText(data, isAscii) : undefined;
    const { serverId = "", toolName = "" } = outcome.origin ?? {};
    const added = await handles.add({ key, mimeType, bytes: data.length, text, serverId, toolName, keptBy }, owner);
    ({ handle } = added);
    signal.throwIfAborted();
    dropped.push(...added.dropped);
    return { handle, path, characters: text?.characters };
  } catch (error) {
    // Nobody gets to know of it: it would only take room.
    await (handle === undefined ? sink.delete(key) : handles.drop(handle, owner.scope));
    throw error;
  }
}
