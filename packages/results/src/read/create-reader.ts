import { createDeadline, formatMs, headWithin, untilAborted, utf8Length } from "@hostside/core/implement";
import type { BlobSink } from "../keep/blob-sink.ts";
import type { Handles, KeptItem } from "../keep/create-handles.ts";
import { encodeBase64 } from "../keep/encode-base64.ts";
import { readMedia, type MediaRules } from "../media/read-media.ts";
import { codePointsIn, unitAfter } from "../present/untrusted.ts";
import {
  describeMatch,
  type ReadAnswer,
  type ReadFailure,
  type ReadRequest,
  type TextMatch,
} from "./results-read-tool.ts";

/** The parts of a reader. */
export interface ResultReaderInit {
  readonly sink: BlobSink;
  readonly handles: Handles;
  /** Media that a model may have whole. */
  readonly media: MediaRules;
  /** How many bytes of text one answer may have, for a text of that origin. */
  readonly roomFor: (item: KeptItem) => number;
}

/** The call that reads. */
export interface ReadWork {
  /** The name under which the handles of its conversation are kept. */
  readonly scope: string;
  readonly signal: AbortSignal | undefined;
}

/** Reads what was kept. */
export interface Reader {
  /** Brings a part of it. A failure is an answer; rejects only with the reason of the signal. */
  read(request: ReadRequest, work: ReadWork): Promise<ReadAnswer>;
}

const readTimeoutMs = 30_000;
const defaultCharacters = 10_000;
const defaultMatches = 10;
const mostMatches = 50;

/** Makes a reader. */
export function createReader(init: ResultReaderInit): Reader {
  const { sink, handles } = init;
  const readNow = async (request: ReadRequest, scope: string): Promise<ReadAnswer> => {
    const item = await handles.find(request.handle, scope);
    if (item === undefined) return unknownHandle();
    const data = await sink.read(item.key);
    if (data?.length !== item.bytes) return unknownHandle();
    if (item.characters === undefined) return readBytes(request, { ...init, item, data });
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(data);
    const source = { ...init, item, text, total: item.characters };
    return request.query === undefined ? readPage(request, source) : findMatches(request, source);
  };

  return {
    async read(request, { scope, signal }) {
      const late = new Error(`reading it took longer than ${formatMs(readTimeoutMs)}`);
      const deadline = createDeadline({ timeoutMs: readTimeoutMs, signal, onTimeout: () => late });
      try {
        return await untilAborted(readNow(request, scope), deadline.signal);
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

function failure(reason: ReadFailure["reason"], message: string): ReadFailure {
  return { kind: "failed", reason, message };
}

function unknownHandle(): ReadFailure {
  const message =
    "Nothing is kept under this handle: it is wrong, or what it stood for is too old, had to go or is with another process. Copy a handle exactly as a result gives it, or call the tool again that brought the result.";
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

// Of UTF-16 units on either side of a match.
const around = 80;

/** Finds a plain text, whatever its case. `more`: there are others. Linear in the text. */
export function findText(
  text: string,
  { query, from, maxMatches }: { readonly query: string; readonly from: number; readonly maxMatches: number },
): { readonly matches: readonly TextMatch[]; readonly more: boolean } {
  const [folded, wanted] = [foldUnits(text), foldUnits(query)];
  const matches: TextMatch[] = [];
  let counted = unitAfter(text, 0, from);
  let offset = from;
  let line = 1 + lineBreaksIn(text, 0, counted);
  for (let at = folded.indexOf(wanted, counted); at !== -1; at = folded.indexOf(wanted, at + wanted.length)) {
    if (matches.length === maxMatches) return { matches, more: true };
    offset += codePointsIn(text, counted, at);
    line += lineBreaksIn(text, counted, at);
    counted = at;
    matches.push({ offset, line, text: lineAround(text, at, at + wanted.length) });
  }
  return { matches, more: false };
}

/**
 * The text in lower case, unit for unit: as long as it was, so that places in it are places in the
 * text. U+0130 becomes `i`, because it alone has a longer small letter; all kinds of small sigma
 * are one, because which it is depends on its neighbours.
 */
function foldUnits(text: string): string {
  return text.replaceAll("\u0130", "i").toLowerCase().replaceAll("\u03C2", "\u03C3");
}

/** Cuts the line of a match around it, with `…` where the line goes on. */
function lineAround(text: string, start: number, end: number): string {
  const lineStart = text.lastIndexOf("\n", start - 1) + 1;
  const lineBreak = text.indexOf("\n", end);
  const lineEnd = lineBreak === -1 ? text.length : lineBreak;
  const first = wholeUnit(text, Math.max(start === 0 ? 0 : lineStart, start - around));
  const last = wholeUnit(text, Math.min(lineEnd, end + around));
  return `${first > lineStart ? "…" : ""}${text.slice(first, last)}${last < lineEnd ? "…" : ""}`;
}

/** The place, or the one before it when it is inside of a surrogate pair. */
function wholeUnit(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  const isInside = unit >= 0xdc00 && unit <= 0xdfff && at > 0;
  return isInside ? at - 1 : at;
}

function lineBreaksIn(text: string, from: number, to: number): number {
  let count = 0;
  // By unit, and not by indexOf(), which looks beyond `to`.
  for (let at = from; at < to; at += 1) if (text.charCodeAt(at) === 10) count += 1;
  return count;
}
