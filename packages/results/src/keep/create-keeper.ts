import { isKnownContent, type ContentBlock, type ToolOrigin } from "@hostside/core";
import { checkBase64, createDeadline, formatMs, onAbort, settleWithin, untilAborted } from "@hostside/core/implement";
import type { KeepResult, KeptPieces, OutcomePiece } from "../presented.ts";
import { codePointsIn } from "../present/untrusted.ts";
import type { SafeOutcome } from "../present/read-outcome.ts";
import { writeStructured } from "../present/structured-json.ts";
import { normalMediaType } from "../media/read-media.ts";
import type { BlobRefusal, BlobSink } from "./blob-sink.ts";
import type { Handles } from "./create-handles.ts";
import { decodeBase64 } from "./encode-base64.ts";

/** A piece that was not kept, and why. */
export interface KeepFailure {
  readonly origin: ToolOrigin | undefined;
  readonly why: string;
  /** The error that was thrown, if any. */
  readonly cause?: unknown;
}

/** The parts of a keeper. */
export interface KeeperInit {
  readonly sink: BlobSink;
  readonly handles: Handles;
  /** Bytes of one conversation: a larger piece is not kept at all. */
  readonly maxBytes: number;
  /** Told why something was not kept. */
  readonly onFailure: (failure: KeepFailure) => void;
  readonly tool: string;
  /** Says whether notices name files. */
  readonly showPaths: boolean;
}

/** The call whose result is kept. */
export interface KeepWork {
  readonly scope: string;
  readonly conversation: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** The pieces of one result that are kept, or were not: all that was asked for until now. */
export interface ResultKeeping extends KeptPieces {
  /**
   * Keeps pieces, each once however often it is asked for. Settles within the time that there is
   * for the whole result, or when the signal of the call aborts. Never rejects.
   */
  keep(pieces: readonly OutcomePiece[]): Promise<void>;
  /** Releases the timer and the listener. Work that is under way continues. */
  end(): void;
}

/** Keeps pieces of results, and never fails for it. */
export interface Keeper {
  /** Begins to keep pieces of one result: its time runs from now on. The caller ends it. */
  begin(outcome: SafeOutcome, work: KeepWork): ResultKeeping;
  /**
   * Gives up what is under way, waits for it at most 5 seconds, and keeps nothing any more. Never
   * rejects.
   */
  close(): Promise<void>;
}

// For all pieces of one result.
const keepMs = 5000;
const closeMs = 5000;
// Of one result, each by itself.
const mostPieces = 16;

const refusalWords: Readonly<Record<BlobRefusal, string>> = {
  full: "there is no room left where such things are kept",
  "too-large": "it is larger than anything that is kept",
  closed: "nothing is kept any more",
};
const failedWords = "what keeps such things failed";

/** Makes a keeper. */
export function createKeeper(init: KeeperInit): Keeper {
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();
  return {
    begin(outcome, work) {
      const late = `keeping it took longer than ${formatMs(keepMs)}`;
      const { signal: given } = work;
      // AbortSignal.any() would leave an entry with each of the two as long as they live.
      const giveUp = new AbortController();
      const ignoreAborts = [closing.signal, ...(given === undefined ? [] : [given])].map((signal) => {
        const end = (): void => giveUp.abort(signal.reason);
        if (signal.aborted) end();
        return onAbort(signal, end);
      });
      const deadline = createDeadline({
        timeoutMs: keepMs,
        signal: giveUp.signal,
        onTimeout: () => new Error(late),
      });
      const whyEnded = (): string | undefined => {
        if (closing.signal.aborted) return refusalWords.closed;
        if (given?.aborted) return "the work was given up";
        return deadline.signal.aborted ? late : undefined;
      };
      const job: KeepJob = { ...work, outcome, signal: deadline.signal, whyEnded, underWay };
      return {
        ...keepPieces(job, init),
        end() {
          for (const ignore of ignoreAborts) ignore();
          deadline.dispose();
        },
      };
    },
    async close() {
      closing.abort(new Error(refusalWords.closed));
      await settleWithin(Promise.all(underWay), closeMs);
    },
  };
}

/** The work of keeping pieces of one result. */
interface KeepJob extends KeepWork {
  readonly outcome: SafeOutcome;
  /** Aborts when the time is up, the caller gives up, or nothing is kept any more. */
  readonly signal: AbortSignal;
  /** Says why nothing more is kept; `undefined` while there is time. */
  readonly whyEnded: () => string | undefined;
  readonly underWay: Set<Promise<unknown>>;
}

function keepPieces(job: KeepJob, init: KeeperInit): Omit<ResultKeeping, "end"> {
  const { outcome, underWay } = job;
  const found = new Map<string, KeepResult>();
  const of = (piece: OutcomePiece): KeepResult | undefined => found.get(JSON.stringify(piece));
  const refuse = (why: string, cause?: unknown): KeepResult => {
    init.onFailure({ origin: outcome.origin, why, cause });
    return { notKept: why };
  };
  const keepOne = async (piece: OutcomePiece): Promise<KeepResult | undefined> => {
    const isOneTooMany = piece.part === "block" && found.size >= mostPieces;
    const why = isOneTooMany ? `of one result ${mostPieces} pieces are kept` : job.whyEnded();
    if (why !== undefined) return { notKept: why };
    try {
      const content = contentOf(outcome, piece, init.maxBytes);
      if (content === undefined) return undefined;
      if (content === "too-large") return refuse(refusalWords["too-large"]);
      const work = putPiece(content, job, init);
      const settled = Promise.allSettled([work]).then(() => void underWay.delete(settled));
      underWay.add(settled);
      const keeping = await untilAborted(work, job.signal);
      return keeping.notKept === undefined ? keeping : refuse(keeping.notKept);
    } catch (cause) {
      return refuse(job.whyEnded() ?? failedWords, cause);
    }
  };
  return {
    tool: init.tool,
    of,
    async keep(pieces) {
      for (const piece of pieces) {
        if (of(piece) !== undefined) continue;
        const keeping = await keepOne(piece);
        if (keeping !== undefined) found.set(JSON.stringify(piece), keeping);
      }
    },
  };
}

async function putPiece(
  { data, mimeType, text }: PieceContent,
  { outcome, scope, conversation, signal }: KeepJob,
  { sink, handles, maxBytes, showPaths }: KeeperInit,
): Promise<KeepResult> {
  if (data.length > maxBytes) return { notKept: refusalWords["too-large"] };
  const put = await sink.put({ data, mimeType, conversation }, { signal });
  // A sink is a product's own: it may give another reason than those.
  if (!put.kept) return { notKept: Object.hasOwn(refusalWords, put.reason) ? refusalWords[put.reason] : failedWords };
  const { key, path } = put;
  let handle: string | undefined;
  try {
    signal.throwIfAborted();
    const characters = text === undefined ? undefined : codePointsIn(text, 0, text.length);
    const { serverId = "", toolName = "" } = outcome.origin ?? {};
    const item = { key, mimeType, bytes: data.length, characters, serverId, toolName };
    handle = await handles.add(item, scope);
    signal.throwIfAborted();
    return { handle, characters, path: showPaths ? path : undefined };
  } catch (error) {
    // Nobody gets to know of it: it would only take room.
    await (handle === undefined ? sink.delete(key) : handles.drop(handle, scope));
    throw error;
  }
}

/** Bytes to be kept, as one reads them again. */
interface PieceContent {
  readonly data: Uint8Array;
  readonly mimeType: string;
  /** The same as a text; `undefined` for what is none. */
  readonly text: string | undefined;
}

const encoder = new TextEncoder();
const octets = "application/octet-stream";

/**
 * Reads the content of a piece to be kept: a text as UTF-8, with U+FFFD for each lone surrogate,
 * which UTF-8 does not have; media as the bytes that their base64 stands for; structured content as
 * JSON. `undefined` for what nobody could read: bad base64, what is no JSON, a kind that is not
 * known. `"too-large"` for what has more than `maxBytes` for sure: it is neither written nor
 * decoded. Nothing of `_meta`. Linear.
 */
function contentOf(
  { blocks, count, structured }: SafeOutcome,
  piece: OutcomePiece,
  maxBytes: number,
): PieceContent | "too-large" | undefined {
  if (piece.part === "structured") {
    const written = writeStructured(structured?.value);
    return written.kind === "json" ? textContent(written.json, "application/json", maxBytes) : undefined;
  }
  if (piece.part === "rest") {
    const parts: string[] = [];
    let units = 0;
    for (const block of blocks.slice(piece.from)) {
      const part = describeBlock(block);
      units += part.length;
      // Blocks may be one and the same long text a hundred thousand times: joined, no runtime has
      // room for it.
      if (units > maxBytes) return "too-large";
      parts.push(part);
    }
    if (count > blocks.length) parts.push(`[${count - blocks.length} more blocks were not kept]`);
    return textContent(parts.join("\n\n"), "text/plain", maxBytes);
  }
  const block = blocks[piece.index];
  return block === undefined ? undefined : contentOfBlock(block, maxBytes);
}

/** The bytes of a block's media or resource, or its text. */
function contentOfBlock(block: ContentBlock, maxBytes: number): PieceContent | "too-large" | undefined {
  if (!isKnownContent(block)) return undefined;
  switch (block.type) {
    case "text":
      return textContent(block.text, "text/plain", maxBytes);
    case "image":
    case "audio":
      return bytesContent(block.data, block.mimeType, maxBytes);
    case "resource": {
      const { text, blob, mimeType } = block.resource;
      return text === undefined
        ? bytesContent(blob ?? "", mimeType, maxBytes)
        : textContent(text, mimeType ?? "text/plain", maxBytes);
    }
    case "resource_link":
      return textContent(linkText(block.uri, block.name), "text/plain", maxBytes);
  }
}

function textContent(text: string, mimeType: string, maxBytes: number): PieceContent | "too-large" {
  // In UTF-8 a text has no fewer bytes than UTF-16 units.
  if (text.length > maxBytes) return "too-large";
  return { data: encoder.encode(text), mimeType: normalMediaType(mimeType) ?? "text/plain", text };
}

function bytesContent(
  base64: string,
  mimeType: string | undefined,
  maxBytes: number,
): PieceContent | "too-large" | undefined {
  const checked = checkBase64(base64);
  if (checked.kind === "bad") return undefined;
  if (checked.bytes > maxBytes) return "too-large";
  const data = decodeBase64(checked.data);
  const type = normalMediaType(mimeType ?? "") ?? octets;
  return { data, mimeType: type, text: isTextType(type) ? fromUtf8(data) : undefined };
}

function isTextType(type: string): boolean {
  return type.startsWith("text/") || /^application\/(?:[\w.+-]+\+)?(?:json|xml|yaml|x-ndjson|javascript)$/.test(type);
}

function fromUtf8(data: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data);
  } catch {
    return undefined;
  }
}

/** A block in a text of many: what is no text is named. */
function describeBlock(block: ContentBlock | undefined): string {
  if (block === undefined || !isKnownContent(block)) return "[a block of a kind that is not known]";
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type} ${normalMediaType(block.mimeType) ?? octets}]`;
    case "resource": {
      const { uri, text, mimeType } = block.resource;
      const head = `Resource: ${uri}`;
      return text === undefined ? `${head}\n[${normalMediaType(mimeType ?? "") ?? octets}]` : `${head}\n${text}`;
    }
    case "resource_link":
      return linkText(block.uri, block.name);
  }
}

function linkText(uri: string, name: string): string {
  return `Resource: ${uri}\nName: ${name}`;
}
