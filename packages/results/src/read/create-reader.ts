import { createDeadline, formatMs, headWithin, untilAborted, utf8Length } from "@hostside/core/implement";
import type { BlobSink } from "../keep/blob-sink.ts";
import type { HandleOwner, Handles, KeptItem } from "../keep/create-handles.ts";
import { encodeBase64 } from "../keep/encode-base64.ts";
import { readMedia, type MediaRules } from "../media/read-media.ts";
import { codePointsIn, unitAfter } from "../present/code-points.ts";
import { describeMatch, findText } from "./find-text.ts";
import type { ReadAnswer, ReadFailure, ReadRequest } from "./read-answer.ts";

/** What a reader needs. */
export interface ResultReaderInit {
  readonly sink: BlobSink;
  readonly handles: Handles;
  /** The name of this presenter: what it kept is within its reach, or gone. */
  readonly reachable: string;
  /** Media that a model may have whole. */
  readonly media: MediaRules;
  /** How many bytes of text one answer may have, for a text of that origin. */
  readonly roomFor: (item: KeptItem) => number;
}

/** For whom something is read. */
export interface ReadWork {
  readonly owner: HandleOwner;
  readonly signal: AbortSignal | undefined;
}

/** Reads what was kept. */
export interface Reader {
  /**
   * Brings a part of it. What goes wrong is an answer; rejects only with the reason of the signal.
   */
  read(request: ReadRequest, work: ReadWork): Promise<ReadAnswer>;
}

const readTimeoutMs = 30_000;
const defaultCharacters = 10_000;
const defaultMatches = 10;
const mostMatches = 50;

/** Makes a reader. */
export function createReader(init: ResultReaderInit): Reader {
  const { sink, handles, reachable } = init;
  const readNow = async (request: ReadRequest, owner: HandleOwner): Promise<ReadAnswer> => {
    const item = await handles.find(request.handle, owner);
    if (item === undefined) return unknownHandle();
    if (item === "unreadable") return failure("unavailable", unreadableWords);
    const data = await sink.read(item.key);
    if (data?.length !== item.bytes) return item.keptBy === reachable ? unknownHandle() : elsewhere();
    if (item.characters === undefined) return readBytes(request, { ...init, item, data });
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(data);
    const source = { ...init, item, text, total: item.characters };
    return request.query === undefined ? readPage(request, source) : findMatches(request, source);
  };

  return {
    async read(request, { owner, signal }) {
      const late = new Error(`reading it took longer than ${formatMs(readTimeoutMs)}`);
      const deadline = createDeadline({ timeoutMs: readTimeoutMs, signal, onTimeout: () => late });
      try {
        return await untilAborted(readNow(request, owner), deadline.signal);
      } catch (error) {
        if (signal?.aborted) throw error;
        const why = error === late ? late.message : "what keeps it failed";
        return failure("unavailable", `It cannot be read now: ${why}. The same call may be tried again.`);
      } finally {
        deadline.dispose();
      }
    },
  };
}

type AnswerRoom = Pick<ResultReaderInit, "roomFor" | "media"> & { readonly item: KeptItem };

interface TextSource extends AnswerRoom {
  readonly text: string;
  /** Its code points. */
  readonly total: number;
}

const unreadableWords =
  "It cannot be read here: what is known of it was not written by this version of the program. Call the tool again that brought the result.";

function elsewhere(): ReadFailure {
  const message =
    "It was kept by another process of this program, and cannot be reached from here, or is too old. Call the tool again that brought the result.";
  return failure("unavailable", message);
}

function failure(reason: ReadFailure["reason"], message: string): ReadFailure {
  return { kind: "failed", reason, message };
}

function unknownHandle(): ReadFailure {
  const message =
    "Nothing is kept under this handle: it is wrong, or what it stood for is too old or had to go. Copy a handle exactly as a result gives it, or call the tool again that brought the result.";
  return failure("unknown-handle", message);
}

function readPage(
  { offset = 0, limit = defaultCharacters }: ReadRequest,
  { item, text, total, roomFor }: TextSource,
): ReadAnswer {
  if (offset > total || (offset === total && total > 0)) {
    return failure("beyond-the-end", `The text has ${total} characters: "offset" must be less than that.`);
  }
  const maxBytes = roomFor(item);
  const start = unitAfter(text, 0, offset);
  // No more characters than bytes fit.
  const most = text.slice(start, unitAfter(text, start, Math.min(limit, maxBytes)));
  const page = most.slice(0, headWithin(most, maxBytes).end);
  const next = offset + codePointsIn(page, 0, page.length);
  return { kind: "text", item, text: page, offset, total, ...(next < total && { next }) };
}

function findMatches(
  { offset = 0, limit = defaultMatches, query = "" }: ReadRequest,
  { item, text, total, roomFor }: TextSource,
): ReadAnswer {
  const { matches, more } = findText(text, { query, from: offset, maxMatches: Math.min(limit, mostMatches) });
  let count = 0;
  let bytes = 0;
  for (const match of matches) {
    bytes += utf8Length(describeMatch(match)) + 1;
    if (count > 0 && bytes > roomFor(item)) break;
    count += 1;
  }
  const shown = matches.slice(0, count);
  const last = shown.at(-1);
  const isAll = count === matches.length && !more;
  return { kind: "matches", item, matches: shown, total, ...(!isAll && last && { next: last.offset + 1 }) };
}

function readBytes(
  { offset, limit, query }: ReadRequest,
  { item, data, media, roomFor }: AnswerRoom & { readonly data: Uint8Array },
): ReadAnswer {
  const { bytes, mimeType } = item;
  if (query !== undefined) {
    return failure("no-text", `It is no text but ${bytes} bytes of the type ${mimeType}: it cannot be searched.`);
  }
  if (offset === undefined && limit === undefined) {
    if (bytes > media.maxItemBytes) return { kind: "facts", item };
    const read = readMedia({ data: encodeBase64(data), mimeType }, media);
    return read.kind === "shown" ? { kind: "media", item, media: read.media } : { kind: "facts", item };
  }
  const from = offset ?? 0;
  if (from >= bytes) return failure("beyond-the-end", `It has ${bytes} bytes: "offset" must be less than that.`);
  // Four characters of base64 for three bytes.
  const next = from + Math.min(limit ?? bytes, bytes - from, Math.max(3, Math.floor(roomFor(item) / 4) * 3));
  const base64 = encodeBase64(data.subarray(from, next));
  return { kind: "bytes", item, base64, offset: from, ...(next < bytes && { next }) };
}
