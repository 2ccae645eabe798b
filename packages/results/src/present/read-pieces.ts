import { isKnownContent, type ContentBlock, type ResourceLink } from "@toolport/core";
import type { OutcomePiece } from "../keeping.ts";
import { bytesInWords, readMedia, type MediaClaim } from "../media/read-media.ts";
import type { Omission, PresentedMedia } from "../presented.ts";
import { keepingOf, notShown, wayTo } from "./notices.ts";
import { oneLine, quoted } from "./one-line.ts";
import type { MediaPiece, Pieces, TextPiece } from "./pieces.ts";
import type { PresentSettings } from "./present-options.ts";
import type { SafeOutcome } from "./read-outcome.ts";
import { repeatsStructured, writeStructured } from "./structured-json.ts";

/** The pieces of an outcome, in its order, with a notice for each block that is not shown. The structured content comes last. */
export function readPieces(outcome: SafeOutcome, settings: PresentSettings): Pieces {
  const pieces: (TextPiece | MediaPiece)[] = [];
  const omitted: Omission[] = [];
  const written = outcome.structured === undefined ? undefined : writeStructured(outcome.structured.value);
  const json = written?.kind === "json" ? written.json : undefined;
  let structuredAt: number | undefined;
  let media = 0;

  const omit = (what: string, why: string, omission: Omission): void => {
    const keeping = keepingOf(settings.kept, omission.piece);
    omitted.push({ ...omission, ...(keeping !== undefined && "handle" in keeping ? { handle: keeping.handle } : {}) });
    pieces.push(notice(notShown(what, why, wayTo(settings.kept, omission.piece))));
  };
  const addMedia = (claim: MediaClaim, label: string, { piece, where }: Place): void => {
    const read = readMedia(claim, { types: settings.mediaTypes, maxItemBytes: settings.maxItemBytes });
    const type = claim.mimeType === undefined || claim.mimeType === "" ? "no type" : quoted(claim.mimeType);
    const sized = (bytes: number | undefined): string => (bytes === undefined ? "" : `, ${bytesInWords(bytes)}`);
    const what = (bytes: number | undefined): string => `${label} of ${type}${sized(bytes)}${where}`;
    if (read.kind === "omitted") {
      const { reason, why, mimeType, bytes } = read;
      omit(what(bytes), why, { kind: label, reason, mimeType, bytes, piece });
    } else if (media >= settings.maxItems) {
      const why = `a result may show ${settings.maxItems} media`;
      const { mimeType, bytes } = read.media;
      omit(what(bytes), why, { kind: label, reason: "too-many", mimeType, bytes, piece });
    } else {
      media += 1;
      pieces.push(settings.mediaInWords ? notice(mediaInWords(read.media)) : { kind: "media", media: read.media });
    }
  };
  const addBlock = (block: ContentBlock | undefined, piece: OutcomePiece): void => {
    if (block === undefined) {
      omit("a block", "it is no block of content", { kind: "unknown", reason: "unknown-kind", piece });
    } else if (!isKnownContent(block)) {
      const kind: string = block.type;
      omit(`a block of the kind ${quoted(kind)}`, whyUnknown(kind), {
        kind: oneLine(kind, 80),
        reason: "unknown-kind",
        piece,
      });
    } else if (settings.audience === "assistant" && isForUsersAlone(block)) {
      omit(`a block (${block.type})`, "its server means it for the user", {
        kind: block.type,
        reason: "for-users",
        piece,
      });
    } else if (block.type === "image" || block.type === "audio") {
      addMedia(block, block.type, { piece, where: "" });
    } else if (block.type === "resource_link") {
      pieces.push(foreign("link", { head: "", text: describeLink(block), piece, label: "resource_link" }));
    } else if (block.type === "resource") {
      const { resource } = block;
      if (resource.text !== undefined) {
        const text = isBlank(resource.text) ? "" : resource.text;
        const head = `Resource: ${oneLine(resource.uri, longestUri)}${text === "" ? "" : "\n"}`;
        pieces.push(foreign("resource", { head, text, piece, label: "resource" }));
      } else {
        const name = oneLine(resource.uri, longestName);
        const where = `, resource ${quoted(resource.uri, longestUri)}`;
        addMedia({ data: resource.blob ?? "", mimeType: resource.mimeType, name }, "resource", { piece, where });
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
  } else if (json !== undefined && structuredAt === undefined) {
    structuredAt = pieces.length;
    pieces.push(foreign("structured", { head: "", text: json, piece: { part: "structured" }, label: "structured" }));
  }
  const from = outcome.blocks.length;
  const rest = outcome.count > from ? { from, count: outcome.count - from } : undefined;
  return { pieces, omitted, json, structuredAt, rest };
}

interface Place {
  readonly piece: OutcomePiece;
  /** Words for a notice. */
  readonly where: string;
}

const longestUri = 512;
const longestName = 200;
const longestDescription = 1000;

/** Words of ours, which are never cut. */
export function notice(text: string): TextPiece {
  return { kind: "text", part: "notice", head: text, text: "", foreign: false, label: "notice" };
}

/** What stands for a medium in a text. */
export function mediaInWords({ type, mimeType, bytes }: PresentedMedia): string {
  return `[${type}: ${mimeType}, ${bytes} bytes]`;
}

function foreign(part: TextPiece["part"], rest: Pick<TextPiece, "head" | "text" | "piece" | "label">): TextPiece {
  return { kind: "text", part, foreign: true, ...rest };
}

function isBlank(text: string): boolean {
  return !/\S/.test(text);
}

function whyUnknown(kind: string): string {
  return kind.startsWith("malformed:") ? "it lacks what every block of its kind has" : "nobody here knows it";
}

function isForUsersAlone(block: { readonly annotations?: { readonly audience?: readonly string[] } }): boolean {
  const audience = block.annotations?.audience;
  return audience !== undefined && audience.length > 0 && !audience.includes("assistant");
}

/** A link in lines: its URI, and what its server says of it, each bounded. */
export function describeLink({ uri, name, title, description, mimeType, size }: ResourceLink): string {
  const lines = [`Resource: ${oneLine(uri, longestUri)}`];
  if (!isBlank(name)) lines.push(`Name: ${oneLine(name, longestName)}`);
  if (title !== undefined && !isBlank(title)) lines.push(`Title: ${oneLine(title, longestName)}`);
  if (description !== undefined && !isBlank(description))
    lines.push(`Description: ${oneLine(description, longestDescription)}`);
  if (mimeType !== undefined && !isBlank(mimeType)) lines.push(`Type: ${oneLine(mimeType, longestName)}`);
  if (size !== undefined && size >= 0) lines.push(`Size: ${bytesInWords(size)}`);
  return lines.join("\n");
}
