import { headWithin } from "@hostside/core/implement";
import { isKnownContent, type ContentBlock } from "@hostside/core";
import type { OutcomePiece, Omission, PresentedMedia, TextPart } from "../presented.ts";
import { bytesInWords, readMedia, type MediaClaim, normalMediaType } from "../media/read-media.ts";
import { handleOf, wayTo } from "./notices.ts";
import { oneLine, quoted } from "./untrusted.ts";
import type { PresentSettings } from "./present-options.ts";
import type { SafeOutcome } from "./read-outcome.ts";
import { repeatsStructured, structuredBesideBlocks } from "./structured-json.ts";

type ResourceLink = Extract<ContentBlock, { readonly type: "resource_link" }>;

/** A text of a presentation before it is cut and delimited. */
export interface TextPiece {
  readonly kind: "text";
  readonly part: TextPart;
  /** Shown before the text, and never cut: where it is from. Empty for most. */
  readonly head: string;
  readonly text: string;
  /** Written by a server, and so between marks where there are any. */
  readonly foreign: boolean;
  /** Its piece of the outcome; absent for words of ours. */
  readonly piece?: OutcomePiece | undefined;
  /** The type of its block; `structured` for structured content. */
  readonly label: string;
}

/** A picture, a sound or a file of a presentation. */
export interface MediaPiece {
  readonly kind: "media";
  readonly media: PresentedMedia;
}

/** The pieces of an outcome, in its order. */
export interface Pieces {
  readonly pieces: readonly (TextPiece | MediaPiece)[];
  readonly omitted: readonly Omission[];
  /** JSON of the structured content, where there is one. */
  readonly json: string | undefined;
  /** The place of the piece that shows the structured content. */
  readonly structuredAt: number | undefined;
  /** The first block that was not looked at, and how many there are. */
  readonly rest: { readonly from: number; readonly count: number } | undefined;
}

/**
 * The pieces of an outcome, in its order, with a notice for each block that is not shown. The
 * structured content comes last.
 */
export function readPieces(outcome: SafeOutcome, settings: PresentSettings): Pieces {
  const found = createFound(settings);
  const { pieces, omitted, omit } = found;
  const written = structuredBesideBlocks(outcome);
  const json = written?.kind === "json" ? written.json : undefined;
  let structuredAt: number | undefined;

  const addBlock = (block: ContentBlock | undefined, piece: OutcomePiece): void => {
    if (block === undefined) {
      omit("a block", "it is no block of content", { kind: "unknown", reason: "unknown-kind", piece });
    } else if (!isKnownContent(block)) {
      const kind: string = block.type;
      omit(`a block of ${kindInWords(kind)}`, whyUnknown(kind), {
        kind: oneLine(kind, 80),
        reason: "unknown-kind",
        piece,
      });
    } else if (block.type === "image" || block.type === "audio") {
      addMedia(block, { label: block.type, piece }, found);
    } else if (block.type === "resource_link") {
      pieces.push(foreign("link", { head: "", text: describeLink(block), piece, label: "resource_link" }));
    } else if (block.type === "resource") {
      const { resource } = block;
      if (resource.text !== undefined) {
        const text = isBlank(resource.text) ? "" : resource.text;
        const head = `${resourceHead(resource.uri)}${text === "" ? "" : "\n"}`;
        pieces.push(foreign("resource", { head, text, piece, label: "resource" }));
      } else {
        const name = oneLine(resource.uri, longestName);
        const claim = { data: resource.blob ?? "", mimeType: resource.mimeType, name };
        addMedia(claim, { label: "resource", piece, uri: resource.uri }, found);
      }
    } else if (!isBlank(block.text)) {
      if (structuredAt === undefined && json !== undefined && repeatsStructured(block.text, json))
        structuredAt = pieces.length;
      pieces.push(foreign("content", { head: "", text: block.text, piece, label: "text" }));
    }
  };

  outcome.blocks.forEach((block, index) => addBlock(block, { part: "block", index }));
  if (written?.kind === "not-json") {
    omit("structured content", written.why, { kind: "structured", reason: "not-json", piece: { part: "structured" } });
  } else if (json !== undefined) {
    structuredAt = placeStructured(pieces, json, { said: structuredAt, settings });
  }
  const from = outcome.blocks.length;
  const rest = outcome.count > from ? { from, count: outcome.count - from } : undefined;
  return { pieces, omitted, json, structuredAt, rest };
}

/** The pieces that were found until now. */
interface Found {
  readonly settings: PresentSettings;
  readonly pieces: (TextPiece | MediaPiece)[];
  readonly omitted: Omission[];
  /** How many media are among the pieces, in words or as they are. */
  media: number;
  /** Puts a notice in the place of something that is not shown. */
  readonly omit: (what: string, why: string, omission: Omission) => void;
}

function createFound(settings: PresentSettings): Found {
  const pieces: (TextPiece | MediaPiece)[] = [];
  const omitted: Omission[] = [];
  return {
    settings,
    pieces,
    omitted,
    media: 0,
    omit(what, why, omission) {
      omitted.push({ ...omission, ...handleOf(settings.kept, omission.piece) });
      pieces.push(notice(`[${what} is not shown: ${why}${wayTo(settings.kept, omission.piece)}]`));
    },
  };
}

interface Place {
  readonly label: string;
  readonly piece: OutcomePiece;
  /** The URI of a resource. */
  readonly uri?: string;
}

function addMedia(claim: MediaClaim, { label, piece, uri }: Place, found: Found): void {
  const { settings, pieces } = found;
  const read = readMedia(claim, { types: settings.mediaTypes, maxItemBytes: settings.maxItemBytes });
  if (read.kind === "shown" && found.media < settings.maxItems) {
    found.media += 1;
    pieces.push(settings.mediaInWords ? notice(mediaInWords(read.media)) : { kind: "media", media: read.media });
    return;
  }
  // Between marks, where there are any: a URI has room for whole sentences.
  const isDelimited = settings.delimiters && uri !== undefined;
  if (isDelimited) pieces.push(foreign("link", { head: resourceHead(uri), text: "", piece, label }));
  const { mimeType, bytes } = read.kind === "shown" ? read.media : read;
  const sized = bytes === undefined ? "" : `, ${bytesInWords(bytes)}`;
  const where = isDelimited || uri === undefined ? "" : `, resource ${quoted(uri, longestUri)}`;
  const why = read.kind === "shown" ? `a result may show ${settings.maxItems} media` : read.why;
  const reason = read.kind === "shown" ? "too-many" : read.reason;
  found.omit(`${label} of ${typeInWords(claim.mimeType)}${sized}${where}`, why, {
    kind: label,
    reason,
    mimeType,
    bytes,
    piece,
  });
}

const longestUri = 512;
const longestName = 200;
const longestDescription = 1000;

/** Words of ours, which are never cut. */
export function notice(text: string): TextPiece {
  return { kind: "text", part: "notice", head: text, text: "", foreign: false, label: "notice" };
}

/** Makes the words for a medium in a text. */
export function mediaInWords({ type, mimeType, bytes }: PresentedMedia): string {
  return `[${type}: ${mimeType}, ${bytes} bytes]`;
}

function resourceHead(uri: string): string {
  return `Resource: ${oneLine(uri, longestUri)}`;
}

// A notice stands outside of the marks: of the server's words it has only such as cannot be a
// sentence.
const properKind = /^[\w.:/+-]{1,40}$/;

function kindInWords(kind: string): string {
  return properKind.test(kind) ? `the kind ${quoted(kind)}` : "a kind without a proper name";
}

function typeInWords(mimeType: string | undefined): string {
  if (mimeType === undefined || mimeType === "") return "no type";
  const type = normalMediaType(mimeType);
  return type === undefined ? "a type that is none" : quoted(type);
}

function foreign(part: TextPiece["part"], rest: Pick<TextPiece, "head" | "text" | "piece" | "label">): TextPiece {
  return { kind: "text", part, foreign: true, ...rest };
}

/**
 * Puts JSON of the structured content in its place: at the end, or where a text stands that says
 * the same and would be cut, because with line breaks and indents it is longer. Returns the place
 * of what shows it.
 */
function placeStructured(
  pieces: (TextPiece | MediaPiece)[],
  json: string,
  { said, settings }: { readonly said: number | undefined; readonly settings: PresentSettings },
): number {
  const at = said ?? pieces.length;
  const there = pieces[at];
  const isShort = there?.kind === "text" && (there.text.length <= json.length || !isTooLong(there.text, settings));
  if (isShort) return at;
  const label = "structured";
  pieces[at] = foreign(label, { head: "", text: json, piece: { part: "structured" }, label });
  return at;
}

function isTooLong(text: string, { maxTextBytes }: PresentSettings): boolean {
  return headWithin(text, maxTextBytes).end < text.length;
}

function isBlank(text: string): boolean {
  return !/\S/.test(text);
}

function whyUnknown(kind: string): string {
  return kind.startsWith("malformed:") ? "it lacks what every block of its kind has" : "nobody here knows it";
}

/** A link in lines: its URI, and what its server says of it, each bounded. */
function describeLink({ uri, name, title, description, mimeType, size }: ResourceLink): string {
  const lines = [resourceHead(uri)];
  if (!isBlank(name)) lines.push(`Name: ${oneLine(name, longestName)}`);
  if (title !== undefined && !isBlank(title)) lines.push(`Title: ${oneLine(title, longestName)}`);
  if (description !== undefined && !isBlank(description))
    lines.push(`Description: ${oneLine(description, longestDescription)}`);
  if (mimeType !== undefined && !isBlank(mimeType)) lines.push(`Type: ${oneLine(mimeType, longestName)}`);
  if (size !== undefined && Number.isFinite(size) && size >= 0) lines.push(`Size: ${bytesInWords(size)}`);
  return lines.join("\n");
}
