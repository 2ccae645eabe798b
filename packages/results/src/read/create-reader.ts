import type { Clock } from "@hostside/core";
import { createDeadline, formatMs, untilAborted } from "@hostside/core/implement";
import type { BlobSink, ByteRange } from "../keep/blob-sink.ts";
import type { Handles } from "../keep/create-handles.ts";
import { encodeBase64 } from "../keep/encode-base64.ts";
import type { HandleOwner, KeptItem } from "../keep/kept-item.ts";
import { rangeOfCharacters, takeCharacters, type TextIndex } from "../keep/text-index.ts";
import { readMedia, type MediaRules } from "../media/read-media.ts";
import { createTextFinder, type FoundText, type TextMatch } from "./find-text.ts";
import type { BytesPage, ReadAnswer, ReadFailure, TextMatches, TextPage } from "./read-answer.ts";
import type { ReadRequest } from "./read-request.ts";

/** What a reader needs. */
export interface ResultReaderInit {
  readonly sink: BlobSink;
  readonly handles: Handles;
  /** The name of this presenter: what it kept is within its reach, or gone. */
  readonly reachable: string;
  readonly clock: Clock;
  /** For one request, in milliseconds. */
  readonly readTimeoutMs: number;
  /** Media that a model may have whole. */
  readonly media: MediaRules;
  /** How many bytes of text one answer may have, for a text of that origin. */
  readonly roomFor: (item: KeptItem) => number;
  /** Whether a text is short enough in other ways, such as in tokens. */
  readonly fits: (text: string, item: KeptItem) => boolean;
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

const defaultCharacters = 10_000;
const defaultMatches = 10;
const mostMatches = 50;
const searchBytes = 256 * 1024;

/** Makes a reader. */
export function createReader(init: ResultReaderInit): Reader {
  const { sink, handles, reachable, clock, readTimeoutMs } = init;

  const readNow = async (request: ReadRequest, owner: HandleOwner, signal: AbortSignal): Promise<ReadAnswer> => {
    const item = await handles.find(request.handle, owner);
    if (item === undefined) return unknownHandle();
    if (item === "unreadable") return failure("unavailable", unreadableWords);
    const source: Source = {
      ...init,
      item,
      signal,
      bytes: async (range) => {
        signal.throwIfAborted();
        const data = await sink.read(item.key, range);
        const wanted = Math.min(range.length, item.bytes - range.offset);
        if (data === undefined || data.length !== wanted) throw new GoneError(item.keptBy !== reachable);
        return data;
      },
    };
    const { text } = item;
    if (text === undefined) return readBytes(request, source);
    return request.query === undefined ? readPage(request, text, source) : findMatches(request, text, source);
  };
  return {
    async read(request, { owner, signal }) {
      const late = new Error(`reading it took longer than ${formatMs(readTimeoutMs)}`);
      const deadline = createDeadline({ timeoutMs: readTimeoutMs, signal, clock, onTimeout: () => late });
      try {
        return await untilAborted(readNow(request, owner, deadline.signal), deadline.signal);
      } catch (error) {
        if (signal?.aborted) throw error;
        if (error instanceof GoneError) return error.isElsewhere ? elsewhere() : unknownHandle();
        const why = error === late ? late.message : "what keeps it failed";
        return failure("unavailable", `It cannot be read now: ${why}. The same call may be tried again.`);
      } finally {
        deadline.dispose();
      }
    },
  };
}

interface Source extends ResultReaderInit {
  readonly item: KeptItem;
  readonly signal: AbortSignal;
  /** All bytes of the range that there are. */
  readonly bytes: (range: ByteRange) => Promise<Uint8Array>;
}

/** The record is there and the bytes are not: they grew old, or went for newer ones. */
class GoneError extends Error {
  /** Whether another presenter kept it, such as that of another replica, whose sink may have it. */
  readonly isElsewhere: boolean;

  constructor(isElsewhere: boolean) {
    super("the bytes are not here");
    this.isElsewhere = isElsewhere;
  }
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

async function readPage(request: ReadRequest, index: TextIndex, source: Source): Promise<TextPage | ReadFailure> {
  const { item, roomFor, fits } = source;
  const { offset = 0, limit = defaultCharacters } = request;
  const total = index.characters;
  if (offset > total || (offset === total && total > 0)) {
    return failure("beyond-the-end", `The text has ${total} characters: "offset" must be less than that.`);
  }
  const maxBytes = roomFor(item);
  // No more characters than bytes fit.
  const end = Math.min(total, offset + Math.min(limit, maxBytes));
  const range = rangeOfCharacters(index, item.bytes, { start: offset, end });
  const data = await source.bytes(range);
  let page = takeCharacters(data, range.skip, { count: end - offset, maxBytes });
  let text = decode(page.data);
  while (page.characters > 1 && !fits(text, item)) {
    page = takeCharacters(page.data, 0, { count: Math.ceil(page.characters * 0.7), maxBytes });
    text = decode(page.data);
  }
  const next = offset + page.characters;
  return { kind: "text", item, text, offset, total, ...(next < total && { next }) };
}

function decode(data: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(data);
}

async function findMatches(request: ReadRequest, index: TextIndex, source: Source): Promise<TextMatches> {
  const { item } = source;
  const { offset = 0, limit = defaultMatches, query = "" } = request;
  const maxMatches = Math.min(limit, mostMatches);
  const { matches, more } = await searchItem({ query, from: offset, maxMatches }, source);
  const shown = fitMatches(matches, source);
  const isAll = shown.length === matches.length && !more;
  const last = shown.at(-1);
  const next = isAll || last === undefined ? {} : { next: last.offset + 1 };
  return { kind: "matches", item, matches: shown, total: index.characters, ...next };
}

async function searchItem(
  plan: { readonly query: string; readonly from: number; readonly maxMatches: number },
  { item, bytes }: Source,
): Promise<FoundText> {
  const finder = createTextFinder(plan);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (let offset = 0; offset < item.bytes; offset += searchBytes) {
    const data = await bytes({ offset, length: searchBytes });
    if (finder.read(decoder.decode(data, { stream: true }))) break;
  }
  return finder.finish();
}

/** As many matches as one answer has room for, and at least one. */
function fitMatches(matches: readonly TextMatch[], { item, roomFor, fits }: Source): readonly TextMatch[] {
  let count = 0;
  let text = "";
  for (const match of matches) {
    text += `${describeMatch(match)}\n`;
    // A UTF-16 unit is at most three bytes.
    if (count > 0 && (text.length * 3 > roomFor(item) || !fits(text, item))) break;
    count += 1;
  }
  return matches.slice(0, count);
}

/** A match as a line of an answer. */
export function describeMatch({ offset, line, text }: TextMatch): string {
  return `character ${offset}, line ${line}: ${text}`;
}

async function readBytes({ offset, limit, query }: ReadRequest, source: Source): Promise<ReadAnswer> {
  const { item, media, roomFor, fits } = source;
  const { bytes, mimeType } = item;
  if (query !== undefined) {
    return failure("no-text", `It is no text but ${bytes} bytes of the type ${mimeType}: it cannot be searched.`);
  }
  if (offset === undefined && limit === undefined) {
    if (bytes > media.maxItemBytes) return { kind: "facts", item };
    const data = encodeBase64(await source.bytes({ offset: 0, length: bytes }));
    const read = readMedia({ data, mimeType }, media);
    return read.kind === "shown" ? { kind: "media", item, media: read.media } : { kind: "facts", item };
  }
  const from = offset ?? 0;
  if (from >= bytes) return failure("beyond-the-end", `It has ${bytes} bytes: "offset" must be less than that.`);
  // Four characters of base64 for three bytes.
  let length = Math.min(limit ?? bytes, bytes - from, Math.max(3, Math.floor(roomFor(item) / 4) * 3));
  const data = await source.bytes({ offset: from, length });
  while (length > 3 && !fits(encodeBase64(data.subarray(0, length)), item)) length = Math.ceil(length * 0.7);
  const next = from + length;
  const page: BytesPage = { kind: "bytes", item, base64: encodeBase64(data.subarray(0, length)), offset: from };
  return next < bytes ? { ...page, next } : page;
}
